"""The explorer: explore."""

from typing import Annotated

import typer

from stickslip.cli.declare import Command, command


def _models(incomplete: str) -> list[str]:
    from stickslip.cli import suggestions

    return suggestions.models(incomplete)


@command("explore", "exploring")
class Explore(Command):
    """Open a web page on this machine to drag the parameters of a model and see it stick and slip.

    Ctrl-C ends the server, and all that it computes.
    """

    what: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A model of the library (block_on_belt), one with arguments (chain:n=3), a model file (.toml) or a "
            "result (.nc).",
            show_default=False,
            autocompletion=_models,
        ),
    ] = "block_on_belt"
    port: Annotated[
        int | None, typer.Option(metavar="N", help="Where the page is; 8421 or another one by default, 0 for any.")
    ] = None
    host: Annotated[
        str, typer.Option(metavar="NAME", help="Elsewhere than on this machine the address has a token.")
    ] = "127.0.0.1"
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True
    workers: Annotated[int, typer.Option(metavar="N", help="Processes for quick work, and for long work.")] = 2
    check: Annotated[bool, typer.Option("--check", help="See whether the page can be served, and end.")] = False
