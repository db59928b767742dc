"""`stickslip explore`: the explorer in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.request import urlopen

from stickslip.cli import arguments
from stickslip.errors import ModelError
from stickslip.model.library import LIBRARY

if TYPE_CHECKING:
    from stickslip.cli.commands.exploring import Explore
    from stickslip.cli.report import Report

PATIENCE = 10.0
"""Seconds that a server has to answer."""


def perform(asked: Explore, report: Report) -> bool:
    """Serve until Ctrl-C; a check is done as soon as the page has come."""
    from stickslip import explore

    plain = asked.what in LIBRARY or asked.what.endswith((".toml", ".nc"))
    what = asked.what if plain else arguments.read_model(asked.what)
    with explore(
        what, port=asked.port, host=asked.host, browser=asked.browser and not asked.check, wait=False,
        workers=asked.workers,
    ) as page:  # fmt: skip
        report.tell(url=page.url)
        report.out.print(f"The explorer is at {page.url}", soft_wrap=True)
        if asked.check:
            with urlopen(page.url, timeout=PATIENCE) as answer:
                if answer.status != 200:
                    raise ModelError(f"the page at {page.url} cannot be served")
        else:
            report.out.print("Ctrl-C ends it.")
            report.out.file.flush()
            page.wait()
    return True
