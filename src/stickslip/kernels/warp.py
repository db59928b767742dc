"""What a GPU has besides: threads in warps and blocks, votes, numbers that all change. `targets/ptx.py` has the
instructions for all of this; what is here is its meaning where one thread is all there is, in its warp and its block.
"""

from math import frexp

from stickslip.kernels.records import Ints


def thread_index() -> int:
    """The number of this thread in its block."""
    return 0


def block_index() -> int:
    """The number of this block."""
    return 0


def block_size() -> int:
    """How many threads a block has."""
    return 1


def warp_size() -> int:
    """How many threads go together, and vote."""
    return 1


def is_first_of_warp() -> bool:
    """Whether this thread has the lowest number in its warp."""
    return True


def votes(condition: bool) -> int:
    """A binary digit for every thread of the warp: whether the condition holds there. All of them must come here."""
    return 1 if condition else 0


def count_bits(bits: int) -> int:
    """How many binary digits are 1."""
    return bits.bit_count()


def count_bits_before(bits: int) -> int:
    """How many of those are 1 that belong to threads of the warp before this one."""
    return 0


def from_first_of_warp(value: int) -> int:
    """What the first thread of the warp has here."""
    return value


def add_to_common(numbers: Ints, place: int, amount: int) -> int:
    """Add to a number that all threads change, and give back what it was before, without anyone in between."""
    before = numbers[place]
    numbers[place] = before + amount
    return int(before)


def exponent_of(x: float) -> int:
    """The exponent of a float that is not zero, not tiny and not infinite: 2^exponent ≤ |x| < 2^(exponent + 1)."""
    return frexp(x)[1] - 1
