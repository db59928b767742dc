"""How a command is declared: a frozen class whose fields are its options, and the module that performs it.

    @command("simulate", "command")
    class Simulate(OfModel):
        '''Simulate a model and print what it does.'''

        t: Annotated[float, typer.Option("--t", help="The time at which the run ends.")]

is the command `stickslip simulate MODEL --t …`; `stickslip.cli.command.perform` gets what the user typed as a
`Simulate` and a `Report` to tell results to, and returns whether the work came to its end. A field has the name of the
argument of the verb in Python that it stands for: so messages of the verbs can be said in the words of the command
line (`wording.py`).

Only typer is imported here; all else comes with the command that needs it, so that `stickslip --help` answers at once.
"""

import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any, TypeVar, dataclass_transform

import typer
from typer.core import TyperCommand

STOPPED_EARLY = 3
INTERRUPTED = 130

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


Kind = TypeVar("Kind", bound="type[Command]")
DECLARED: dict[str, type["Command"]] = {}
"""The commands by name."""

_REQUIRED = inspect.Parameter.empty


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Command:
    """What every command can be asked for.

    Classes that derive from it say by their annotations what can be typed. They are as dataclasses are, but made
    without compiling anything, which would take a third of the time of `stickslip --help`.
    """

    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document, with all digits, in place of text.")
    ] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False

    def __init__(self, **typed: Any) -> None:
        for name in options_of(type(self)):
            setattr(self, name, typed[name] if name in typed else getattr(type(self), name))


def options_of(kind: type[Command]) -> dict[str, Any]:
    """What can be typed, by name with its annotation; what all commands have comes last."""
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__[: kind.__mro__.index(Command)]):
        found |= inspect.get_annotations(base)
    return found | Command.__annotations__


def command(name: str, module: str) -> Callable[[Kind], Kind]:
    """Declare a command that `perform` of a module of stickslip.cli does."""

    def declared(kind: Kind) -> Kind:
        def run(**typed: Any) -> None:
            _run(kind(**typed), module)

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
        app.command(name=name, cls=Page)(run)
        DECLARED[name] = kind
        return kind

    return declared


def _run(asked: Command, module: str) -> None:
    """Perform a command; its results are told even if it then fails to draw them."""
    with one_line_errors(asked):
        from stickslip.cli.report import Report

        perform = import_module(f"stickslip.cli.{module}").perform
        with Report(asked.json, asked.quiet) as report:
            finished = perform(asked, report)
    if not finished:
        raise typer.Exit(STOPPED_EARLY)


@contextmanager
def one_line_errors(asked: Command) -> Iterator[None]:
    """What a user can mend is one line on stderr, not a traceback; so is what a user should know."""

    def show(message: Warning | str, *where: object, **more: object) -> None:
        if not asked.quiet:
            typer.secho(f"warning: {_line(asked, message)}", fg="yellow", err=True)

    try:
        with warnings.catch_warnings():
            warnings.showwarning = show
            yield
    except (ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError):  # the reader has seen enough, as in `stickslip … | head`
            raise
        typer.secho(f"error: {_line(asked, error)}", fg="red", err=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        typer.secho("interrupted before there was a result", fg="red", err=True)
        raise typer.Exit(INTERRUPTED) from None


def _line(asked: Command, message: BaseException | str) -> str:
    from stickslip.cli.wording import said
    from stickslip.model.errors import visible

    return visible(said(" ".join(str(message).split()), type(asked)))
