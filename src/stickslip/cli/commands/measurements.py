"""What was measured: series, identify."""

from pathlib import Path
from typing import Annotated

import typer

from stickslip.cli.commands.options import Plots, plots
from stickslip.cli.declare import Command, command


@command("series", "time_series")
class Series(Command):
    """Analyse a time series: spectrum, embedding, correlation dimension, largest Lyapunov exponent."""

    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A table (.csv, .txt) or a saved run (.nc).", show_default=False),
    ]
    column: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A column of the table, or a quantity of the run: x.block, force.contact."),
    ] = None
    what: Annotated[
        str | None,
        typer.Option(
            metavar="KIND", help="spectrum, autocorrelation, embedding, dimension or lyapunov; by default all of them."
        ),
    ] = None
    time: Annotated[
        str | None, typer.Option(metavar="NAME", help="The table's column of times; by default t or time.")
    ] = None
    interval: Annotated[
        float | None, typer.Option(metavar="TIME", help="Time between two rows, or between two samples of the run.")
    ] = None
    after: Annotated[float | None, typer.Option(metavar="TIME", help="Leave out what a run did before this time.")] = (
        None
    )
    events: Annotated[
        bool, typer.Option("--events", help="Rows are events; of a run, take its stick → slip points.")
    ] = False
    plot: Annotated[
        list[Path],
        plots(
            "Draw into this file: what its name says (one of the kinds, information or neighbours), else what "
            "--what says."
        ),
    ] = []


@command("identify", "measurements")
class Identify(Command):
    """Read friction from measurements, with errors.

    Friction laws from velocities and forces; contact stiffness from a ring-down; static friction against the time of
    stick; friction forces from the displacement of an oscillator.
    """

    file: Annotated[Path, typer.Argument(metavar="FILE", help="Measurements: a CSV file.", show_default=False)]
    what: Annotated[str, typer.Option(metavar="WHAT", help="characteristic, ringdown, aging or reconstruct.")] = (
        "characteristic"
    )
    velocity: Annotated[str | None, typer.Option(metavar="COLUMN", help="The sliding velocity.")] = None
    force: Annotated[str | None, typer.Option(metavar="COLUMN", help="The friction force.")] = None
    time: Annotated[str | None, typer.Option(metavar="COLUMN", help="The time.")] = None
    displacement: Annotated[str | None, typer.Option(metavar="COLUMN", help="The displacement.")] = None
    stick_time: Annotated[str | None, typer.Option(metavar="COLUMN", help="How long the contact stuck.")] = None
    excitation: Annotated[str | None, typer.Option(metavar="COLUMN", help="A known force on the oscillator.")] = None
    normal: Annotated[str | None, typer.Option(metavar="NUMBER|COLUMN", help="The normal force.")] = None
    law: Annotated[
        str,
        typer.Option(
            metavar="LAW",
            help="coulomb, hyperbolic, stribeck, gaussian, popp_stelter, polynomial:3, stribeck+viscous, …",
        ),
    ] = "stribeck"
    compare: Annotated[str | None, typer.Option(metavar="LAWS", help="Others to compare with: hyperbolic,coulomb")] = (
        None
    )
    fixed: Annotated[
        list[str],
        typer.Option("--fix", metavar="NAME=VALUE", help="A parameter that keeps a value.", show_default=False),
    ] = []
    loss: Annotated[
        str, typer.Option(metavar="NAME", help="squares, huber or cauchy; the last two do not mind outliers.")
    ] = "squares"
    side: Annotated[str, typer.Option(metavar="both|+|-", help="Direction of slip.")] = "both"
    sense: Annotated[
        str, typer.Option(metavar="NAME", help="Whether the force goes against or along the velocity; auto by default.")
    ] = "auto"
    offset: Annotated[bool, typer.Option("--offset", help="The zero of the force may be off: fit it.")] = False
    slowest: Annotated[float, typer.Option(metavar="SPEED", help="Leave slower samples out.")] = 0.0
    classes: Annotated[int, typer.Option(metavar="N", help="How many classes of speed.")] = 20
    mass: Annotated[float | None, typer.Option(metavar="NUMBER", help="Of the oscillator.")] = None
    stiffness: Annotated[float, typer.Option(metavar="NUMBER", help="Of its spring, without the contact.")] = 0.0
    damping: Annotated[float, typer.Option(metavar="NUMBER", help="Of its damper, without the contact.")] = 0.0
    belt: Annotated[float, typer.Option(metavar="SPEED", help="The velocity of the surface.")] = 0.0
    noise: Annotated[
        float | None, typer.Option(metavar="NUMBER", help="Standard deviation of the displacement; found by default.")
    ] = None
    threshold: Annotated[float | None, typer.Option(metavar="SPEED", help="Slip speeds below it are rest.")] = None
    start: Annotated[float | None, typer.Option(metavar="TIME", help="Where a ring-down begins in the record.")] = None
    end: Annotated[float | None, typer.Option(metavar="TIME", help="Where it ends.")] = None
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave rows out that cannot be read.")] = False
    decimal: Annotated[str, typer.Option(metavar="MARK", help="The decimal mark, . or ,")] = "."
    plot: Plots = []
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write classes of speed, or reconstructed forces, to CSV.")
    ] = None
