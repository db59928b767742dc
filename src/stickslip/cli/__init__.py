"""The command line: `stickslip models`, `simulate`, `orbit`, `follow`, `sweep`, `series` and so on.

`commands/` declares what can be typed, `declare.py` says how, `running.py` runs it; modules beside them do the work.
Only typer is imported before a command runs.

Exit codes: 0 finished, 1 error, 2 wrong usage, 3 the run or branch stopped early (its results are kept), 130
interrupted before there was a result.
"""

from __future__ import annotations

import os
import warnings
from typing import Annotated

import typer

from stickslip._version import __version__
from stickslip.cli.running import app

__all__ = ["app"]

if "_STICKSLIP_COMPLETE" in os.environ:  # a shell asks what could come next
    from typer.completion import completion_init  # type: ignore[attr-defined]

    completion_init()


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
