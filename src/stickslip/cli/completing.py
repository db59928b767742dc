"""`stickslip completion`: the script by which a shell completes what is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stickslip.errors import ModelError
from stickslip.model.errors import shown, suggest

if TYPE_CHECKING:
    from stickslip.cli.commands.shells import Completion
    from stickslip.cli.report import Report

SHELLS = ("bash", "zsh", "fish")


def perform(asked: Completion, report: Report) -> bool:
    """Print the script that a shell is to read."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    if asked.shell not in SHELLS:
        raise ModelError(f"there is no completion for the shell {shown(asked.shell)}{suggest(asked.shell, SHELLS)}")
    script = get_completion_script(prog_name="stickslip", complete_var="_STICKSLIP_COMPLETE", shell=asked.shell)
    report.tell(shell=asked.shell, script=script)
    report.line(script)
    return True
