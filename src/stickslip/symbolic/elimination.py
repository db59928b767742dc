"""In what order the forces of many sticking contacts are solved for, so that the equations have a narrow band."""

from __future__ import annotations

from collections.abc import Sequence


def eliminated(neighbours: Sequence[Sequence[int]]) -> list[int]:
    """The contacts in the order of elimination: each after those that it feels, from one end of the system on.

    That is Cuthill and McKee's order (1969), which walks through every coupled set in layers.

    >>> eliminated([[0, 2], [1, 2], [0, 1, 2]])
    [1, 2, 0]
    """
    order: list[int] = []
    found: set[int] = set()
    for contact in range(len(neighbours)):
        if contact not in found:
            end = _layers(neighbours, contact)[-1]
            layers = _layers(neighbours, end)
            found.update(layers)
            order += layers
    return order


def _layers(neighbours: Sequence[Sequence[int]], start: int) -> list[int]:
    """All that are coupled with a contact, nearest first; of equally near ones those with fewest neighbours."""
    order, found = [start], {start}
    for contact in order:
        near = sorted((other for other in neighbours[contact] if other not in found), key=lambda i: len(neighbours[i]))
        found.update(near)
        order += near
    return order


def reaches(neighbours: Sequence[Sequence[int]], order: Sequence[int]) -> list[int]:
    """Per contact, the last place in the order that it, or one before it, is coupled with.

    >>> reaches([[0, 2], [1, 2], [0, 1, 2]], [0, 2, 1])
    [1, 2, 2]
    """
    place = {contact: i for i, contact in enumerate(order)}
    reach, last = [0] * len(order), 0
    for contact in order:
        last = max(last, *(place[other] for other in neighbours[contact]))
        reach[contact] = last
    return reach
