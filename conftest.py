"""What tests and examples in docstrings need."""

import gc
import sys

import pytest


def pytest_collection_finish() -> None:
    """What is there by now, thousands of tests and all modules, stays: to look through it again and again for garbage
    would take one second in twenty."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(autouse=True)
def no_pictures_stay_open():
    """Each example draws a picture, and pyplot would keep them all."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
