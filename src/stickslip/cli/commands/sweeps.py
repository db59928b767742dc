"""Many motions: sweep, map, lyapunov, basins."""

from pathlib import Path
from typing import Annotated

import typer

from stickslip.cli.commands.options import Forcing, OfModel, Over, OverStates, Plots, saved
from stickslip.cli.declare import command


class Swept(OfModel):
    """A model at many values of parameters."""

    over: Over
    times: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="TRANSIENT OBSERVED", help="Times before observing, and of observing."),
    ] = None
    periods: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="TRANSIENT OBSERVED", help="The same in periods of the excitation; 300 100 by default."),
    ] = None
    rtol: Annotated[float, typer.Option(metavar="NUMBER", help="Relative tolerance of each step.")] = 1e-9
    tolerance: Annotated[
        float, typer.Option(metavar="NUMBER", help="How well a motion must repeat itself to be periodic.")
    ] = 1e-6
    most_steps: Annotated[int, typer.Option(metavar="N", help="Steps after which a motion is given up.")] = 10**7
    shortcut: Annotated[bool, typer.Option(help="Leave out whole cycles of motions that repeat themselves.")] = True
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Of random friction and random starts.")] = 0
    target: Annotated[str, typer.Option(metavar="cpu|cuda", help="Where: on the processor, or on a GPU.")] = "cpu"
    threads: Annotated[int | None, typer.Option(metavar="N", help="How many at once; one per core by default.")] = None
    checkpoint: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Keep finished work here; the same command goes on with it.")
    ] = None
    plot: Plots = []
    save: Annotated[Path | None, saved("the sweep")] = None


@command("sweep", "sweeps")
class Sweep(Swept):
    """Simulate a model at many values of a parameter: bifurcation diagrams.

    Ctrl-C stops; what was computed until then is summed up, saved and drawn all the same.
    """

    observe: Annotated[
        str,
        typer.Option(
            metavar="WHAT,…",
            help="The points that are recorded: stick_to_slip, slip_to_stick (of one contact: stick_to_slip:contact1), "
            "strobe, strobe:every=2.0, section:x.block=0.5:down (up, down or both), maxima:x.block; also "
            "largest_exponent:per=release and signature; or none.",
        ),
    ] = "stick_to_slip"
    most: Annotated[int, typer.Option(metavar="N", help="The largest number of points recorded for each value.")] = 500
    carry: Annotated[
        str | None, typer.Option(metavar="up|down", help="Start each motion where the one before it ended.")
    ] = None


@command("map", "sweeps")
class Map(Swept):
    """Simulate a model over a grid of two parameters: a map of what its motion is like."""

    quantity: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="What to draw: periodicity, largest_exponent (of releases: largest_exponent:per=release), signature, "
            "period, events, n, m, stick_fraction (of one contact: stick_fraction:contact1), minimum and maximum (of "
            "one state: maximum:x.block), steps, time.",
        ),
    ] = "periodicity"


@command("lyapunov", "long_runs")
class Lyapunov(OfModel):
    """Lyapunov exponents of a motion, through every stick and slip.

    Ctrl-C stops; what was measured until then is printed and saved all the same.
    """

    t: Annotated[
        float, typer.Option("--t", metavar="TIME", help="How long neighbours are followed.", show_default=False)
    ]
    transient: Annotated[
        float | None, typer.Option(metavar="TIME", help="How long the motion runs before; a tenth of --t by default.")
    ] = None
    count: Annotated[
        int | None, typer.Option(metavar="N", help="How many exponents, from the largest; all by default.")
    ] = None
    per: Annotated[str, typer.Option(metavar="WHAT", help="time, forcing or release: exponents per what.")] = "time"
    renormalise: Annotated[
        int, typer.Option(metavar="N", help="Steps between two orthonormalisations; it changes no exponent.")
    ] = 1
    rtol: Annotated[float, typer.Option(metavar="NUMBER", help="Relative tolerance of each step.")] = 1e-10
    plot: Plots = []
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the exponents to a table (.csv), or how they settle in time (.nc)."),
    ] = None


@command("basins", "long_runs")
class Basins(OfModel):
    """Which attractor each start leads to, over a grid of two states.

    Ctrl-C stops; what is known by then is printed, saved and drawn all the same.
    """

    grid: OverStates
    t: Annotated[
        float, typer.Option("--t", metavar="TIME", help="How long each start is followed at most.", show_default=False)
    ]
    near: Annotated[
        float, typer.Option(metavar="PART", help="Nearer to an attractor than this, a motion has arrived.")
    ] = 1e-3
    most: Annotated[int, typer.Option(metavar="N", help="How many searches for an attractor may fail.")] = 4
    forcing: Forcing = None
    plot: Plots = []
    save: Annotated[Path | None, saved("the basins")] = None
