"""One server for the tests of the explorer."""

import pytest
from tests.explorer.session import session

import stickslip as ss


@pytest.fixture(scope="module")
def page():
    with ss.explore(port=0, browser=False, wait=False) as found:
        yield found


@pytest.fixture
def talk(page):
    with session(page) as opened:
        yield opened
