"""What tests and examples in docstrings need."""

import sys

import pytest


@pytest.fixture(autouse=True)
def no_pictures_stay_open():
    """Each example draws a picture, and pyplot would keep them all."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
