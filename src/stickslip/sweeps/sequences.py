"""Sequences of modes of many motions, packed one after another: which are the same, and where a cycle begins."""

from __future__ import annotations

from itertools import count

import numpy as np
from numpy.typing import NDArray

from stickslip.arrays import Ints
from stickslip.sweeps.packed import places

Modes = NDArray[np.int8]


def kinds_of(lengths: Ints, modes: Modes) -> tuple[Ints, Ints]:
    """One sequence of every kind, and of which kind each of them is.

    Sequences are known by a code, a sum of random numbers, one for each place and mode; those of one code are then
    compared whole, and where they differ, other random numbers are taken.

    >>> one_of, kind = kinds_of(np.array([2, 1, 2]), np.array([[0], [1], [1], [0], [1]], np.int8))
    >>> one_of.tolist(), kind.tolist()
    ([0, 1], [0, 1, 0])
    """
    import pandas as pd

    for seed in count():
        kind, codes = pd.factorize(_codes(lengths, modes, seed))
        one_of = np.empty(len(codes), np.int64)
        one_of[kind[::-1]] = np.arange(len(kind))[::-1]
        if _are_same(lengths, modes, one_of[kind]):
            return one_of, kind
    raise AssertionError("there is no last seed")


def _codes(lengths: Ints, modes: Modes, seed: int) -> NDArray[np.uint64]:
    """Numbers that are the same for sequences that are the same."""
    longest, contacts = int(lengths.max(initial=0)), modes.shape[1]
    random = np.random.default_rng(seed).integers(0, 2**64, (longest, contacts, 3), np.uint64)
    _, place = _owners(lengths)
    sums = np.zeros(len(modes) + 1, np.uint64)
    each = np.zeros(len(modes), np.uint64)
    for contact in range(contacts):
        each += random[place, contact, modes[:, contact] + 1]
    np.cumsum(each, out=sums[1:])
    ends = places(lengths)
    return sums[ends[1:]] - sums[ends[:-1]] + lengths.astype(np.uint64)


def _are_same(lengths: Ints, modes: Modes, others: Ints) -> bool:
    """Whether each sequence is the same as its other one."""
    owner, place = _owners(lengths)
    if not np.array_equal(lengths, lengths[others]):
        return False
    return bool(np.array_equal(modes, modes[places(lengths)[:-1][others][owner] + place]))


def _owners(lengths: Ints) -> tuple[Ints, Ints]:
    """The sequence to which each entry belongs, and its place in it."""
    owner = np.repeat(np.arange(len(lengths)), lengths)
    return owner, np.arange(len(owner)) - places(lengths)[:-1][owner]


def begun_alike(lengths: Ints, modes: Modes) -> Modes:
    """Cycles of modes, each begun where it reads smallest, stick before slip: equal cycles then have equal words.

    >>> begun_alike(np.array([2, 2]), np.array([[-1], [0], [0], [-1]], np.int8)).ravel().tolist()
    [0, -1, 0, -1]
    """
    one_of, kind = kinds_of(lengths, modes)
    first = places(lengths)[:-1]
    turn = np.array([_turn(modes[first[one] : first[one] + lengths[one]]) for one in one_of], np.int64)
    owner, place = _owners(lengths)
    return np.asarray(modes[first[owner] + (place + turn[kind][owner]) % lengths[owner]])


def _turn(cycle: Modes) -> int:
    """By how many phases a cycle is to be turned so that it reads smallest."""
    size, contacts = cycle.shape
    reading = (2 * np.abs(cycle) + (cycle < 0)).astype(np.uint8).tobytes()
    twice, length = reading + reading, len(reading)
    return min(range(size), key=lambda turn: twice[turn * contacts : turn * contacts + length], default=0)
