"""Frozen branches and tabulated laws.

A table has a row per interval: its start, its end, and c0, c1, c2, c3 of the cubic in the distance from the start.
"""

from stickslip.kernels.records import Floats

TABLE_WIDTH = 6
INTERVAL_WIDTH = 7  # of an interval in lockstep: its start, where it ends below and above, and the cubic


def table_interval(table: Floats, rows: int, u: float) -> int:
    """The interval in which the slip speed u lies."""
    found = 0
    beyond = rows
    while beyond - found > 1:
        middle = (found + beyond) // 2
        if u >= table[middle * TABLE_WIDTH]:
            found = middle
        else:
            beyond = middle
    return found


def table_value(table: Floats, rows: int, u: float) -> float:
    """The tabulated coefficient at slip speed u."""
    row = table_interval(table, rows, u) * TABLE_WIDTH
    w = u - table[row]
    return table[row + 2] + w * (table[row + 3] + w * (table[row + 4] + w * table[row + 5]))


def table_slope(table: Floats, rows: int, u: float) -> float:
    """Its derivative."""
    row = table_interval(table, rows, u) * TABLE_WIDTH
    w = u - table[row]
    return table[row + 3] + w * (2.0 * table[row + 4] + 3.0 * w * table[row + 5])


def frozen_sign(e: float, before: int, noise: float) -> int:
    """The sign of e; on the verge, the one it had."""
    if before == 0:
        return 1 if e >= 0.0 else -1
    if abs(e) <= noise:
        return before
    return 1 if e > 0.0 else -1


def frozen_interval(table: Floats, rows: int, u: float, before: int, noise: float) -> int:
    """The interval of u; on the verge of `before`, that one."""
    row = before * TABLE_WIDTH
    if table[row] - noise <= u and u <= table[row + 1] + noise:
        return before
    return table_interval(table, rows, u)
