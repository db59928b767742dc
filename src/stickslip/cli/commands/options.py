"""Options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

from stickslip.cli.declare import Command


def _models(ctx: typer.Context, incomplete: str) -> list[str]:
    from stickslip.cli import suggestions

    return suggestions.models(incomplete)


def _typed_model(ctx: typer.Context) -> str | None:
    """The model that was typed; before the value of an option is there, it is among what is not yet understood."""
    found: str | None = ctx.params.get("model") or next(iter(ctx.args), None)
    return found


def _parameters(ctx: typer.Context, incomplete: str) -> list[str]:
    from stickslip.cli import suggestions

    return suggestions.parameters(_typed_model(ctx), incomplete)


def _states(ctx: typer.Context, incomplete: str) -> list[str]:
    from stickslip.cli import suggestions

    return suggestions.states(_typed_model(ctx), incomplete)


def _names(ctx: typer.Context, incomplete: str) -> list[str]:
    from stickslip.cli import suggestions

    return suggestions.parameter_names(_typed_model(ctx), incomplete)


def _methods(incomplete: str) -> list[str]:
    from stickslip.cli import suggestions

    return suggestions.methods(incomplete)


Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A model of the library (block_on_belt), one with arguments (chain:n=10), or a model file (brake.toml).",
        show_default=False,
        autocompletion=_models,
    ),
]
OptionalModel = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="What to describe: a library model, one with arguments (chain:n=3), or a model file.",
        show_default=False,
        autocompletion=_models,
    ),
]
OrbitOrModel = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A model as for simulate, or an orbit saved before (orbit.nc).",
        show_default=False,
        autocompletion=_models,
    ),
]
Parameter = Annotated[
    str,
    typer.Argument(metavar="PARAMETER", help="Such as belt.speed.", show_default=False, autocompletion=_names),
]
Settings = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A parameter: --set belt.speed=0.3. May be repeated.",
        show_default=False,
        autocompletion=_parameters,
    ),
]
Start = Annotated[
    list[str],
    typer.Option(
        "--start",
        metavar="NAME=VALUE",
        help="An initial state: --start x.block=1.1. May be repeated.",
        show_default=False,
        autocompletion=_states,
    ),
]
Over = Annotated[
    list[str],
    typer.Option(
        "--over",
        metavar="NAME=FIRST:LAST:COUNT",
        help="What is swept: belt.speed=0.02:0.5:2000, or one by one: belt.speed=0.1,0.2.",
        show_default=False,
        autocompletion=_parameters,
    ),
]
OverStates = Annotated[
    list[str],
    typer.Option(
        "--over",
        metavar="NAME=FIRST:LAST:COUNT",
        help="The starts: --over x.block=-3:3:60 --over v.block=-2:2:60.",
        show_default=False,
        autocompletion=_states,
    ),
]
MethodName = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="exact, henon, bisection or timestepping (with --step), switch (with --eta) or smoothing (with --eps).",
        autocompletion=_methods,
    ),
]
OrbitMethodName = Annotated[
    str,
    typer.Option(metavar="NAME", help="exact, smoothing (with --eps) or switch (with --eta).", autocompletion=_methods),
]
Methods = Annotated[
    list[str],
    typer.Option(
        "--method",
        metavar="NAME:KEY=VALUE,…",
        help="A method with its settings: --method henon:step=0.01 --method switch:eta=1e-6,rtol=1e-8. May be "
        "repeated.",
        show_default=False,
        autocompletion=_methods,
    ),
]
Eps = Annotated[float | None, typer.Option(metavar="NUMBER", help="Steepness of smoothed friction: --eps 1e4.")]
Shape = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Of smoothed friction: arctan, tanh, … (smoothing); arctan by default."),
]
Eta = Annotated[
    float | None, typer.Option(metavar="NUMBER", help="Half the width of the band (switch); 1e-6 by default.")
]
Forcing = Annotated[
    float | None,
    typer.Option(metavar="TIME", help="The period of the excitation, where the equations do not show it."),
]
Seed = Annotated[int, typer.Option(metavar="NUMBER", help="Of random friction: the same seed gives the same run.")]
Plots = Annotated[
    list[Path],
    typer.Option("--plot", metavar="FILE", help="Draw into this file. May be repeated.", show_default=False),
]


def plots(text: str) -> typer.models.OptionInfo:
    """The option --plot with a text of its own."""
    found: typer.models.OptionInfo = typer.Option(
        "--plot", metavar="FILE", help=f"{text} May be repeated.", show_default=False
    )
    return found


def saved(what: str) -> typer.models.OptionInfo:
    """The option --save: all of a result in a NetCDF file, its table in a CSV file."""
    found: typer.models.OptionInfo = typer.Option(
        "--save", metavar="FILE", help=f"Write {what} to this file: all of it (.nc), or a table (.csv)."
    )
    return found


class OfModel(Command):
    """A command about a model, with its parameters and its start."""

    model: Model
    settings: Settings = []
    start: Start = []
