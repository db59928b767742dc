"""What can be typed: a class for each command. Nothing but typer is imported here."""

# isort: off  the order is that of the help
from stickslip.cli.commands import exploring as exploring
from stickslip.cli.commands import measurements as measurements
from stickslip.cli.commands import motions as motions
from stickslip.cli.commands import orbits as orbits
from stickslip.cli.commands import papers as papers
from stickslip.cli.commands import shells as shells
from stickslip.cli.commands import sweeps as sweeps
