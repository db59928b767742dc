"""`python -m stickslip.cli` is the same as `stickslip`."""

from stickslip.cli import app

app(prog_name="stickslip")
