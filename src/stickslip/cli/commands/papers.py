"""The papers, recomputed: papers, paper."""

from pathlib import Path
from typing import Annotated

import typer

from stickslip.cli.declare import Command, command


def _papers(incomplete: str) -> list[str]:
    from stickslip.cli import suggestions

    return suggestions.papers(incomplete)


def _items(ctx: typer.Context, incomplete: str) -> list[str]:
    from stickslip.cli import suggestions

    return suggestions.items(ctx.params.get("key") or "", incomplete)


Quick = Annotated[bool, typer.Option("--quick", help="Fewer points: all papers in a few minutes.")]
Out = Annotated[Path, typer.Option(metavar="DIR", help="The folder for pictures, data and pages.")]
Json = Annotated[
    str | None,
    typer.Option(
        "--json", metavar="FILE|-", help="Write a list of rows, ours beside the printed, to a file or stdout."
    ),
]


@command("papers", "papers")
class Papers(Command):
    """List the papers that can be recomputed; with --all recompute all of them and write the gallery.

    What is done in the folder is not done again. Ctrl-C keeps what is done.
    """

    all: Annotated[bool, typer.Option("--all", help="Recompute every figure and table of every paper.")] = False
    quick: Quick = False
    out: Out = Path("papers")
    json: Json = None  # type: ignore[assignment]


@command("paper", "papers")
class Paper(Command):
    """Recompute the figures and tables of a paper: printed numbers beside ours, pictures, the code of each.

    What is done in the folder is not done again. Ctrl-C keeps what is done.
    """

    key: Annotated[
        str, typer.Argument(metavar="KEY", help="Such as leine1998.", show_default=False, autocompletion=_papers)
    ]
    items: Annotated[
        list[str],
        typer.Argument(metavar="ITEM", help="Such as fig3; all by default.", show_default=False, autocompletion=_items),
    ] = []
    quick: Quick = False
    out: Out = Path("papers")
    json: Json = None  # type: ignore[assignment]
