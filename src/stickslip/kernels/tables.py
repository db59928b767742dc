"""Frozen branches and tabulated laws.

A table lies in W: per interval its start, its end, and c0, c1, c2, c3 of the cubic in the distance from the start.
"""

from stickslip.kernels.model import Floats

TABLE_WIDTH = 6


def table_interval(W: Floats, table: int, rows: int, u: float) -> int:
    """The interval in which the slip speed u lies."""
    found = 0
    beyond = rows
    while beyond - found > 1:
        middle = (found + beyond) // 2
        if u >= W[table + middle * TABLE_WIDTH]:
            found = middle
        else:
            beyond = middle
    return found


def table_value(W: Floats, table: int, rows: int, u: float) -> float:
    """The tabulated coefficient at slip speed u."""
    row = table + table_interval(W, table, rows, u) * TABLE_WIDTH
    w = u - W[row]
    return W[row + 2] + w * (W[row + 3] + w * (W[row + 4] + w * W[row + 5]))


def table_slope(W: Floats, table: int, rows: int, u: float) -> float:
    """Its derivative."""
    row = table + table_interval(W, table, rows, u) * TABLE_WIDTH
    w = u - W[row]
    return W[row + 3] + w * (2.0 * W[row + 4] + 3.0 * w * W[row + 5])


def frozen_sign(W: Floats, e: float, before: int, noise: float) -> int:
    """The sign of e; on the verge, the one it had."""
    if before == 0:
        return 1 if e >= 0.0 else -1
    if abs(e) <= noise:
        return before
    return 1 if e > 0.0 else -1


def frozen_interval(W: Floats, table: int, rows: int, u: float, before: int, noise: float) -> int:
    """The interval of u; on the verge of `before`, that one."""
    row = table + before * TABLE_WIDTH
    if W[row] - noise <= u and u <= W[row + 1] + noise:
        return before
    return table_interval(W, table, rows, u)
