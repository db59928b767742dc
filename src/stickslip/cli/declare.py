"""How a command is declared: a frozen class whose fields are its options, and the module that performs it.

    @command("simulate", "command")
    class Simulate(OfModel):
        '''Simulate a model and print what it does.'''

        t: Annotated[float, typer.Option("--t", help="The time at which the run ends.")]

is the command `stickslip simulate MODEL --t …`; `stickslip.cli.command.perform` gets what the user typed as a
`Simulate` and a `Report` to tell results to, and returns whether the work came to its end. A field has the name of the
argument of the verb in Python that it stands for: so messages of the verbs can be said in the words of the command
line (`wording.py`).

`running.py` makes the app of what is declared. Only typer is imported here.
"""

import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypeVar, dataclass_transform

import typer

Kind = TypeVar("Kind", bound="type[Command]")
DECLARED: dict[str, type["Command"]] = {}
"""The commands by name."""

MODULES: dict[type["Command"], str] = {}
"""The modules of stickslip.cli that perform them."""


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
    shared = {name: annotation for name, annotation in Command.__annotations__.items() if name not in found}
    return found | shared


def command(name: str, module: str) -> Callable[[Kind], Kind]:
    """Declare a command that `perform` of a module of stickslip.cli does."""

    def declared(kind: Kind) -> Kind:
        DECLARED[name] = kind
        MODULES[kind] = module
        return kind

    return declared
