"""Random numbers of many points at once, each from a stream of its own: see `uniform`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stickslip.arrays import Floats, Ints

Words = NDArray[np.uint64]
MULTIPLIERS = 0xD2E7470EE14C6C93, 0xCA5A826395121157
STEPS = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B
ROUNDS = 10
"""Philox4x64-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011)."""

WORDS = 4
"""What a block of the generator gives."""

PIECE = 2**13
"""Points at a time: their words stay in the cache of a core."""

_HALF, _LOW = np.uint64(32), np.uint64(2**32 - 1)


def uniform(seed: int, numbers: Ints, width: int) -> Floats:
    """Per point a row in [0, 1), which depends on the seed and on its number alone.

    A row is what numpy draws from a generator of its own for every point, which takes far longer.

    >>> np.random.Generator(np.random.Philox(key=[7, 3])).random(2) == uniform(7, np.array([3]), 2)[0]
    array([ True,  True])
    """
    rows = np.empty((len(numbers), width))
    for first in range(0, len(numbers), PIECE):
        keys = numbers[first : first + PIECE].astype(np.uint64)
        for place in range(0, width, WORDS):
            words = _block(place // WORDS + 1, seed, keys)
            for column, drawn in zip(range(place, width), words, strict=False):
                rows[first : first + PIECE, column] = (drawn >> np.uint64(11)) * 2.0**-53
    return rows


def _block(counter: int, seed: int, keys: Words) -> tuple[Words, Words, Words, Words]:
    """The block of every key with this counter."""
    zero = np.zeros_like(keys)
    a, b, c, d = zero + np.uint64(counter), zero, zero, zero
    for i in range(ROUNDS):
        first, second = (np.uint64(i * step % 2**64) for step in STEPS)
        key = np.uint64((seed + int(first)) % 2**64)
        (high, low), (other_high, other_low) = _product(MULTIPLIERS[0], a), _product(MULTIPLIERS[1], c)
        a, b, c, d = other_high ^ b ^ key, other_low, high ^ d ^ (keys + second), low
    return a, b, c, d


def _product(factor: int, words: Words) -> tuple[Words, Words]:
    """The upper and the lower half of a product, from those of its factors."""
    above, below = np.uint64(factor >> 32), np.uint64(factor % 2**32)
    high, low = words >> _HALF, words & _LOW
    mixed = below * high
    middle = (below * low >> _HALF) + (mixed & _LOW) + above * low
    return above * high + (mixed >> _HALF) + (middle >> _HALF), np.uint64(factor) * words
