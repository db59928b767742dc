"""The app that typer runs: every declared command, performed by its module, and what went wrong in one line.

A command is performed by `perform` of a module beside this one, which is imported when the command is typed: so
`stickslip --help` answers at once. This is the rightmost file of the command line; none of those that do the work
imports it.
"""

import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand

from stickslip.cli import commands  # noqa: F401  it declares all of them
from stickslip.cli.declare import DECLARED, MODULES, Command, options_of
from stickslip.errors import StickslipError

STOPPED_EARLY = 3

app = typer.Typer(
    name="stickslip",
    help="Machines that stick and slip, simulated exactly.",
    no_args_is_help=True,
    add_completion=False,  # `stickslip completion` does that, without writing into files of the user
    rich_markup_mode=None,  # plain help, because importing rich would double the time it takes
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Page(TyperCommand):
    """A command whose help has the names of its arguments, without types of Python and braces."""

    def get_help(self, ctx: Any) -> str:
        shown = re.sub(
            r"(?m)^(  [A-Z]+)( <[^>]*>)", lambda found: found[1] + " " * len(found[2]), super().get_help(ctx)
        )
        return _without_braces(shown)

    def get_usage(self, ctx: Any) -> str:
        return _without_braces(super().get_usage(ctx))


def _without_braces(text: str) -> str:
    return re.sub(r"\{([A-Z]+)\}", r"\1", text)


_REQUIRED = inspect.Parameter.empty


def _typed(kind: type[Command]) -> Callable[..., None]:
    """A command as typer wants it: a function whose arguments are what can be typed."""

    def run(**typed: Any) -> None:
        _run(kind(**typed))

    found = options_of(kind)
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                each, inspect.Parameter.KEYWORD_ONLY, default=getattr(kind, each, _REQUIRED), annotation=annotation
            )
            for each, annotation in found.items()
        ]
    )
    run.__annotations__ = found
    run.__doc__ = kind.__doc__
    return run


def _run(asked: Command) -> None:
    """Perform a command; its results are told even if it then fails to draw them."""
    with _one_line_errors(asked):
        from stickslip.cli.report import Report

        perform = import_module(f"stickslip.cli.{MODULES[type(asked)]}").perform
        with Report(asked.json in (True, "-"), asked.quiet) as report:
            finished = perform(asked, report)
    if not finished:
        raise typer.Exit(STOPPED_EARLY)


@contextmanager
def _one_line_errors(asked: Command) -> Iterator[None]:
    """What a user can mend is one line on stderr, not a traceback; so is what a user should know."""

    def show(message: Warning | str, *where: object, **more: object) -> None:
        if not asked.quiet:
            typer.secho(f"warning: {_line(asked, message)}", fg="yellow", err=True)

    try:
        with warnings.catch_warnings():
            warnings.showwarning = show
            yield
    except (StickslipError, ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError):  # the reader has seen enough, as in `stickslip … | head`
            raise
        typer.secho(f"error: {_line(asked, error)}", fg="red", err=True)
        raise typer.Exit(1) from None


def _line(asked: Command, message: BaseException | str) -> str:
    from stickslip.cli.wording import said
    from stickslip.model.errors import visible

    return visible(said(" ".join(str(message).split()), type(asked)))


for _name, _kind in DECLARED.items():
    app.command(name=_name, cls=Page)(_typed(_kind))
