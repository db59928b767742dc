"""Completion in shells: completion."""

from typing import Annotated

import typer

from stickslip.cli.declare import Command, command


@command("completion", "completing")
class Completion(Command):
    """Print what makes a shell complete commands, options, models and parameters.

    Bash: eval "$(stickslip completion bash)" in ~/.bashrc. Zsh: the same with zsh in ~/.zshrc, after compinit. Fish:
    stickslip completion fish > ~/.config/fish/completions/stickslip.fish
    """

    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.", show_default=False)]
