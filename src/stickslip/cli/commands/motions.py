"""Single motions: models, simulate, compare, sound."""

from pathlib import Path
from typing import Annotated

import typer

from stickslip.cli.commands.options import (
    Eps,
    Eta,
    MethodName,
    Methods,
    OfModel,
    OptionalModel,
    Plots,
    Seed,
    Shape,
    plots,
    saved,
)
from stickslip.cli.declare import Command, command


@command("models", "describe")
class Models(Command):
    """List the models of the library, or describe one."""

    name: OptionalModel = ""


@command("simulate", "command")
class Simulate(OfModel):
    """Simulate a model and print what it does.

    Ctrl-C stops the run; what was computed until then is summed up, saved and drawn all the same.
    """

    t: Annotated[float, typer.Option("--t", metavar="TIME", help="When the run ends.", show_default=False)]
    start_time: Annotated[float, typer.Option(metavar="TIME", help="When the run begins.")] = 0.0
    method: MethodName = "exact"
    rtol: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="Relative tolerance of a step (exact: 1e-12, switch, smoothing: 1e-8)."),
    ] = None
    order: Annotated[int | None, typer.Option(metavar="N", help="Of the Taylor series, 6 to 30 (exact).")] = None
    step: Annotated[float | None, typer.Option(metavar="TIME", help="henon, bisection, timestepping.")] = None
    band: Annotated[float | None, typer.Option(metavar="SPEED", help="Slower is stick (bisection); 0 by default.")] = (
        None
    )
    live: Annotated[
        bool | None, typer.Option("--live", help="Look at events in each step as it comes (bisection).")
    ] = None
    theta: Annotated[float | None, typer.Option(metavar="NUMBER", help="0.5 to 1 (timestepping); 0.5 by default.")] = (
        None
    )
    eta: Eta = None
    atol: Annotated[float | None, typer.Option(metavar="NUMBER", help="Absolute tolerance (switch).")] = None
    forgetting: Annotated[
        float | None, typer.Option(metavar="NUMBER", help="How fast slip in stick decays (switch); 10 by default.")
    ] = None
    eps: Eps = None
    shape: Shape = None
    solver: Annotated[str | None, typer.Option(metavar="NAME", help="Of SciPy, or Collocation (smoothing).")] = None
    samples: Annotated[
        int | None,
        typer.Option(metavar="N", help="How many evenly spaced times to keep; by default several in each step."),
    ] = None
    dense: Annotated[
        bool,
        typer.Option(
            help="Keep the step polynomials: smooth pictures, any time by `interpolate`; much memory if long."
        ),
    ] = True
    plot: Annotated[list[Path], plots("Draw into this file (phase.png, history.pdf).")] = []
    picture: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="phase, history, friction, modes or characteristic; by default what the name of the file says, "
            "else phase.",
        ),
    ] = None
    save: Annotated[Path | None, saved("the run")] = None
    events: Annotated[bool, typer.Option("--events", help="Print every event.")] = False
    seed: Seed = 0


@command("compare", "comparing")
class Compare(OfModel):
    """Run a model with several methods: what each costs, and what it gets wrong.

    The errors are against the exact method at its tightest tolerance.
    """

    t: Annotated[float, typer.Option("--t", metavar="TIME", help="When the runs end.", show_default=False)]
    methods: Methods = []
    cost: Annotated[str, typer.Option(metavar="WHAT", help="Of the picture: seconds, evaluations or steps.")] = (
        "seconds"
    )
    plot: Plots = []
    save: Annotated[Path | None, saved("the comparison")] = None


@command("sound", "sounds")
class Sound(OfModel):
    """Simulate a model and write what it sounds like."""

    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write (.wav).", show_default=False)]
    quantity: Annotated[
        str | None, typer.Option(metavar="NAME", help="What is heard, such as v.string; by default the first velocity.")
    ] = None
    seconds: Annotated[float, typer.Option(metavar="NUMBER", help="How long the sound is.")] = 2.0
    speed: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="Model time in a second of sound; by default 1 where that can be heard, else what gives 220 Hz.",
        ),
    ] = None
