"""The command line: `stickslip models` and `stickslip simulate`.

Only typer is imported here; numpy, SymPy, xarray and matplotlib come with the command that needs them, so that
`stickslip --help` answers at once.

Exit codes: 0 finished, 1 error, 2 wrong usage, 3 the run stopped early (its results are kept), 130 interrupted before
there was a result.
"""

from __future__ import annotations

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
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter: --set belt.speed=0.3. May be repeated."),
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option("--start", metavar="NAME=VALUE", help="An initial state: --start x.block=1.1. May be repeated."),
    ] = None,
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
) -> None:
    """Simulate a model and print what it does.

    Ctrl-C stops the run; what was computed until then is summed up, saved and drawn all the same.
    """
    with one_line_errors():
        from stickslip.cli import command

        request = command.Request(
            model, t, settings or [], start or [], rtol, samples, dense, plot or [], picture, save, events
        )
        finished = command.perform(request)
    if not finished:
        raise typer.Exit(STOPPED_EARLY)


@contextmanager
def one_line_errors() -> Iterator[None]:
    """What a user can mend is one line on stderr, not a traceback."""
    try:
        yield
    except (ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError):  # the reader has seen enough, as in `stickslip … | head`
            raise
        typer.secho(f"error: {' '.join(str(error).split())}", fg="red", err=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        typer.secho("interrupted before there was a result", fg="red", err=True)
        raise typer.Exit(INTERRUPTED) from None
