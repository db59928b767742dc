"""A short part of the faults of the cache; `make faults` has more."""

import pytest
from tests.faults import cache


@pytest.mark.nightly
def test_no_fault_of_the_cache_does_harm():
    assert cache.campaign(4, 1) == []
