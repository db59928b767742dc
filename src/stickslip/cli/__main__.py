"""`python -m stickslip.cli` is the same as `stickslip`."""

from stickslip.__main__ import main

main()
