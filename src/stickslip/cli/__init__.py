"""The command line: `stickslip models`, `simulate`, `orbit`, `follow`, `sweep`, `series` and so on, one function each.

Only typer is imported here; numpy, SymPy, xarray and matplotlib come with the command that needs them, so that
`stickslip --help` answers at once.

Exit codes: 0 finished, 1 error, 2 wrong usage, 3 the run or branch stopped early (its results are kept), 130
interrupted before there was a result.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from stickslip._version import __version__

STOPPED_EARLY = 3
INTERRUPTED = 130

app = typer.Typer(
    name="stickslip",
    help="Machines that stick and slip, simulated exactly.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help, because importing rich would double the time it takes
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

ModelArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A model of the library (block_on_belt), one with arguments (chain:n=10), or a model file (brake.toml).",
        show_default=False,
    ),
]

Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter: --set belt.speed=0.3. May be repeated."),
]
Start = Annotated[
    list[str] | None,
    typer.Option("--start", metavar="NAME=VALUE", help="An initial state: --start x.block=1.1. May be repeated."),
]
Period = Annotated[
    float | None,
    typer.Option(help="About how long a period is; by default the motion from the start is watched until it repeats."),
]
MethodName = Annotated[
    str, typer.Option("--method", metavar="NAME", help="exact, smooth (with --eps) or switch (with --eta).")
]
Eps = Annotated[float | None, typer.Option(help="Steepness of the smoothed friction: --eps 1e4.")]
Eta = Annotated[float | None, typer.Option(help="Half the width of the band of the switch model.")]
Plots = Annotated[
    list[Path] | None,
    typer.Option("--plot", metavar="FILE", help="Draw into this file. May be repeated."),
]


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"stickslip {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Machines that stick and slip, simulated exactly."""
    warnings.formatwarning = lambda message, *_, **__: f"warning: {message}\n"


@app.command()
def models(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[MODEL]",
            help="What to describe: a library model, one with arguments (chain:n=3), or a model file.",
            show_default=False,
        ),
    ] = "",
) -> None:
    """List the models of the library, or describe one."""
    with one_line_errors():
        from stickslip.cli import describe

        describe.one(name) if name else describe.all_models()


@app.command()
def simulate(
    model: ModelArgument,
    t: Annotated[float, typer.Option("--t", help="The time at which the run ends.", show_default=False)],
    settings: Settings = None,
    start: Start = None,
    rtol: Annotated[float, typer.Option(help="Relative tolerance of each step.")] = 1e-12,
    samples: Annotated[
        int | None,
        typer.Option(help="How many evenly spaced times to keep; by default several in each step.", show_default=False),
    ] = None,
    dense: Annotated[
        bool,
        typer.Option(
            help="Keep the step polynomials: smooth pictures, any time by `interpolate`; much memory if long."
        ),
    ] = True,
    plot: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Draw into this file (phase.png, history.pdf). May be repeated."),
    ] = None,
    picture: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="phase, history, friction, modes or characteristic; by default what the name of the file says, "
            "else phase.",
        ),
    ] = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the run to this NetCDF file (.nc).")] = None,
    events: Annotated[bool, typer.Option("--events", help="Print every event.")] = False,
    seed: Annotated[int, typer.Option(help="Of random friction: the same seed gives the same run.")] = 0,
) -> None:
    """Simulate a model and print what it does.

    Ctrl-C stops the run; what was computed until then is summed up, saved and drawn all the same.
    """
    with one_line_errors():
        from stickslip.cli import command

        request = command.Request(
            model, t, settings or [], start or [], rtol, samples, dense, plot or [], picture, save, events, seed
        )
        finished = command.perform(request)
    if not finished:
        raise typer.Exit(STOPPED_EARLY)


@app.command()
def orbit(
    model: ModelArgument,
    settings: Settings = None,
    start: Start = None,
    period: Period = None,
    method: MethodName = "exact",
    eps: Eps = None,
    eta: Eta = None,
    count: Annotated[
        int | None, typer.Option("--all", metavar="N", help="All orbits that N random starts lead to.")
    ] = None,
    unstable: Annotated[
        bool, typer.Option("--unstable", help="An unstable orbit that the motion passes by will do, as in chaos.")
    ] = False,
    plot: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Draw into this file: phase, history, friction, modes or multipliers, as its name says, else phase. "
            "May be repeated.",
        ),
    ] = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the orbit to this NetCDF file.")] = None,
) -> None:
    """Find a periodic orbit, exactly, with its stability.

    Near a start and a period the orbit may be unstable. Several orbits (--all) go to numbered files. Ctrl-C stops; the
    orbits found until then are printed, saved and drawn all the same.
    """
    with one_line_errors():
        from stickslip.cli import orbits

        search = orbits.Search(model, settings or [], start or [], period, method, eps, eta, unstable)
        finished = orbits.perform(search, count, plot or [], save)
    if not finished:
        raise typer.Exit(STOPPED_EARLY)


@app.command()
def follow(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="A model as for simulate, or an orbit saved before (orbit.nc).", show_default=False
        ),
    ],
    parameter: Annotated[str, typer.Argument(metavar="PARAMETER", help="Such as belt.speed.", show_default=False)],
    to: Annotated[
        list[float],
        typer.Option(
            "--to", help="The value to go to; given twice, both ways from the present one.", show_default=False
        ),
    ],
    settings: Settings = None,
    start: Start = None,
    period: Period = None,
    method: MethodName = "exact",
    eps: Eps = None,
    eta: Eta = None,
    step: Annotated[float | None, typer.Option(help="The longest step, as a part of the way.")] = None,
    most: Annotated[int, typer.Option(help="The largest number of orbits in one direction.")] = 500,
    branches: Annotated[
        bool, typer.Option("--branches", help="Also follow what bifurcates at flips and branch points, once.")
    ] = False,
    quantity: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT", help="What to draw: period, multipliers, 'max x.block', 'max |x.block|', x.block for both."
        ),
    ] = None,
    plot: Plots = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the branch to this NetCDF file; several are numbered.")
    ] = None,
) -> None:
    """Follow a periodic orbit along a parameter and print its bifurcations.

    Ctrl-C stops; the branch until then is printed, saved and drawn all the same.
    """
    with one_line_errors():
        from stickslip.cli import branches as command
        from stickslip.cli import orbits

        search = orbits.Search(model, settings or [], start or [], period, method, eps, eta)
        finished = command.perform(search, command.Way(parameter, to, step, most, branches), quantity, plot or [], save)
    if not finished:
        raise typer.Exit(STOPPED_EARLY)


Over = Annotated[
    list[str],
    typer.Option(
        "--over", metavar="NAME=FIRST:LAST:COUNT", help="What is swept: belt.speed=0.02:0.5:2000.", show_default=False
    ),
]
Times = Annotated[
    tuple[float, float] | None,
    typer.Option("--t", metavar="TRANSIENT OBSERVED", help="Times before observing, and of observing."),
]
Periods = Annotated[
    tuple[float, float] | None,
    typer.Option(metavar="TRANSIENT OBSERVED", help="The same in periods of the excitation; 300 100 by default."),
]
Carry = Annotated[str | None, typer.Option(metavar="up|down", help="Start each motion where the one before it ended.")]
Checkpoint = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="Keep finished work here; the same command goes on with it.")
]
Threads = Annotated[int | None, typer.Option(help="How many at once; one per core by default.")]
SweepFile = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the sweep to this NetCDF file.")]


@app.command()
def sweep(
    model: ModelArgument,
    over: Over,
    settings: Settings = None,
    start: Start = None,
    observe: Annotated[
        str,
        typer.Option(
            help="stick_to_slip, slip_to_stick or strobe: the points that are recorded; also largest_exponent and "
            "signature. Several with commas between them."
        ),
    ] = "stick_to_slip",
    t: Times = None,
    periods: Periods = None,
    carry: Carry = None,
    rtol: Annotated[float, typer.Option(help="Relative tolerance of each step.")] = 1e-9,
    most: Annotated[int, typer.Option(help="The largest number of points recorded for each value.")] = 500,
    threads: Threads = None,
    checkpoint: Checkpoint = None,
    plot: Plots = None,
    save: SweepFile = None,
) -> None:
    """Simulate a model at many values of a parameter: bifurcation diagrams.

    Ctrl-C stops; what was computed until then is summed up, saved and drawn all the same.
    """
    with one_line_errors():
        from stickslip.cli import sweeps

        request = sweeps.Request(
            model, over, settings or [], start or [], observe, list(t or []), list(periods or []), carry, rtol, most,
            threads, checkpoint, "periodicity", plot or [], save,
        )  # fmt: skip
        finished = sweeps.perform(request, 1)
    if not finished:
        raise typer.Exit(STOPPED_EARLY)


@app.command(name="map")
def map_command(
    model: ModelArgument,
    over: Over,
    settings: Settings = None,
    start: Start = None,
    t: Times = None,
    periods: Periods = None,
    rtol: Annotated[float, typer.Option(help="Relative tolerance of each step.")] = 1e-9,
    threads: Threads = None,
    checkpoint: Checkpoint = None,
    quantity: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="What to draw: periodicity, largest_exponent, signature, period, events, stick_fraction, maximum.",
        ),
    ] = "periodicity",
    plot: Plots = None,
    save: SweepFile = None,
) -> None:
    """Simulate a model over a grid of two parameters: a map of what its motion is like."""
    with one_line_errors():
        from stickslip.cli import sweeps

        request = sweeps.Request(
            model, over, settings or [], start or [], quantity if quantity in sweeps.MEASURED else "none",
            list(t or []), list(periods or []), None, rtol, 1,
            threads, checkpoint, quantity, plot or [], save,
        )  # fmt: skip
        finished = sweeps.perform(request, 2)
    if not finished:
        raise typer.Exit(STOPPED_EARLY)


@app.command()
def lyapunov(
    model: ModelArgument,
    t: Annotated[float, typer.Option("--t", help="How long neighbours are followed.", show_default=False)],
    settings: Settings = None,
    start: Start = None,
    per: Annotated[str, typer.Option(metavar="WHAT", help="time, forcing or release: exponents per what.")] = "time",
) -> None:
    """Lyapunov exponents of a motion, through every stick and slip."""
    with one_line_errors():
        from stickslip.cli import long_runs

        finished = long_runs.exponents(model, t, settings or [], start or [], per)
    if not finished:
        raise typer.Exit(STOPPED_EARLY)


@app.command()
def basins(
    model: ModelArgument,
    over: Over,
    t: Annotated[float, typer.Option("--t", help="How long each start is followed at most.", show_default=False)],
    settings: Settings = None,
    plot: Plots = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the basins to this NetCDF file.")] = None,
) -> None:
    """Which attractor each start leads to, over a grid of two states."""
    with one_line_errors():
        from stickslip.cli import long_runs

        finished = long_runs.basins(model, over, t, settings or [], plot or [], save)
    if not finished:
        raise typer.Exit(STOPPED_EARLY)


@app.command()
def series(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A table (.csv, .txt) or a saved run (.nc).", show_default=False),
    ],
    column: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A column of the table, or a quantity of the run: x.block, force.contact."),
    ] = None,
    what: Annotated[
        str | None,
        typer.Option(
            metavar="KIND", help="spectrum, autocorrelation, embedding, dimension or lyapunov; by default all of them."
        ),
    ] = None,
    time: Annotated[
        str | None, typer.Option(metavar="NAME", help="The table's column of times; by default t or time.")
    ] = None,
    interval: Annotated[
        float | None, typer.Option(help="Time between two rows, or between two samples of the run.")
    ] = None,
    after: Annotated[float | None, typer.Option(help="Leave out what a run did before this time.")] = None,
    events: Annotated[
        bool, typer.Option("--events", help="Rows are events; of a run, take its stick → slip points.")
    ] = False,
    plot: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Draw into this file: what its name says (one of the kinds, information or neighbours), else what "
            "--what says. May be repeated.",
        ),
    ] = None,
) -> None:
    """Analyse a time series: spectrum, embedding, correlation dimension, largest Lyapunov exponent."""
    with one_line_errors():
        from stickslip.cli import time_series

        time_series.perform(time_series.Request(file, column, what, time, interval, after, events, plot or []))


@app.command()
def sound(
    model: ModelArgument,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write (.wav).", show_default=False)],
    settings: Settings = None,
    start: Start = None,
    quantity: Annotated[
        str | None, typer.Option(metavar="NAME", help="What is heard, such as v.string; by default the first velocity.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="How long the sound is.")] = 2.0,
    speed: Annotated[
        float | None,
        typer.Option(
            help="Model time in a second of sound; by default 1 where that can be heard, else what gives 220 Hz."
        ),
    ] = None,
) -> None:
    """Simulate a model and write what it sounds like."""
    with one_line_errors():
        from stickslip.cli import sounds

        finished = sounds.perform(sounds.Tune(model, settings or [], start or [], out, quantity, seconds, speed))
    if not finished:
        raise typer.Exit(STOPPED_EARLY)


@app.command()
def identify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Measurements: a CSV file.", show_default=False)],
    what: Annotated[
        str, typer.Option(metavar="WHAT", help="characteristic, ringdown, aging or reconstruct.")
    ] = "characteristic",
    velocity: Annotated[str | None, typer.Option(metavar="COLUMN", help="The sliding velocity.")] = None,
    force: Annotated[str | None, typer.Option(metavar="COLUMN", help="The friction force.")] = None,
    time: Annotated[str | None, typer.Option(metavar="COLUMN", help="The time.")] = None,
    displacement: Annotated[str | None, typer.Option(metavar="COLUMN", help="The displacement.")] = None,
    stick_time: Annotated[str | None, typer.Option(metavar="COLUMN", help="How long the contact stuck.")] = None,
    excitation: Annotated[str | None, typer.Option(metavar="COLUMN", help="A known force on the oscillator.")] = None,
    normal: Annotated[str | None, typer.Option(metavar="NUMBER|COLUMN", help="The normal force.")] = None,
    law: Annotated[
        str,
        typer.Option(help="coulomb, hyperbolic, stribeck, gaussian, popp_stelter, polynomial:3, stribeck+viscous, …"),
    ] = "stribeck",
    compare: Annotated[
        str | None, typer.Option(metavar="LAWS", help="Others to compare with: hyperbolic,coulomb")
    ] = None,
    fix: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="A parameter that keeps a value.")] = None,
    loss: Annotated[str, typer.Option(help="squares, huber or cauchy; the last two do not mind outliers.")] = "squares",
    side: Annotated[str, typer.Option(help="Direction of slip: both, + or -.")] = "both",
    offset: Annotated[bool, typer.Option("--offset", help="The zero of the force may be off: fit it.")] = False,
    slowest: Annotated[float | None, typer.Option(help="Leave slower samples out.")] = None,
    classes: Annotated[int, typer.Option(help="How many classes of speed.")] = 20,
    mass: Annotated[float | None, typer.Option(help="Of the oscillator.")] = None,
    stiffness: Annotated[float | None, typer.Option(help="Of its spring, without the contact.")] = None,
    damping: Annotated[float | None, typer.Option(help="Of its damper, without the contact.")] = None,
    belt: Annotated[float | None, typer.Option(help="The velocity of the surface.")] = None,
    threshold: Annotated[float | None, typer.Option(help="Slip speeds below it are rest.")] = None,
    start: Annotated[float | None, typer.Option(help="Where a ring-down begins in the record.")] = None,
    end: Annotated[float | None, typer.Option(help="Where it ends.")] = None,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave rows out that cannot be read.")] = False,
    decimal: Annotated[str, typer.Option(help="The decimal mark, . or ,")] = ".",
    plot: Plots = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write classes of speed, or reconstructed forces, to CSV.")
    ] = None,
) -> None:
    """Read friction from measurements, with errors.

    Friction laws from velocities and forces; contact stiffness from a ring-down; static friction against the time of
    stick; friction forces from the displacement of an oscillator.
    """
    with one_line_errors():
        from stickslip.cli import measurements

        columns = {
            "velocity": velocity, "force": force, "time": time, "displacement": displacement,
            "stick_time": stick_time, "excitation": excitation,
        }  # fmt: skip
        numbers = {
            "mass": mass, "stiffness": stiffness, "damping": damping, "belt": belt, "threshold": threshold,
            "start": start, "end": end, "slowest": slowest,
        }  # fmt: skip
        request = measurements.Request(
            file, what, columns, law, compare, normal, fix or [], numbers, loss, side, offset, classes, skip_bad,
            decimal, plot or [], save,
        )  # fmt: skip
        measurements.perform(request)


def _print_warning(message: Warning | str, *where: object, **more: object) -> None:
    typer.secho(f"warning: {' '.join(str(message).split())}", fg="yellow", err=True)


@contextmanager
def one_line_errors() -> Iterator[None]:
    """What a user can mend is one line on stderr, not a traceback; so is what a user should know."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _print_warning
            yield
    except (ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError):  # the reader has seen enough, as in `stickslip … | head`
            raise
        from stickslip.model.errors import visible

        typer.secho(f"error: {visible(' '.join(str(error).split()))}", fg="red", err=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        typer.secho("interrupted before there was a result", fg="red", err=True)
        raise typer.Exit(INTERRUPTED) from None
