"""One server for the tests of the explorer, and the programs that they need."""

import pytest
from tests.explorer.debian import installed
from tests.explorer.session import session

import stickslip as ss

NEEDED = {"browser": "chromium", "npm": "npm"}
"""Programs by the fixtures that use them."""


def pytest_collection_finish(session):
    """Install what is missing before any test runs: that may take longer than a test may."""
    if not session.config.option.collectonly:
        used = {name for item in session.items for name in getattr(item, "fixturenames", ())}
        for program in [NEEDED[name] for name in NEEDED if name in used]:
            installed(program)


@pytest.fixture(scope="session")
def npm():
    return installed("npm")


@pytest.fixture(scope="module")
def page():
    with ss.explore(port=0, browser=False, wait=False) as found:
        yield found


@pytest.fixture
def talk(page):
    with session(page) as opened:
        yield opened
