"""`find_equilibria`: where a system rests, be it in slip, at a point, or in stick, in a whole interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from stickslip.arrays import Complexes, Floats
from stickslip.errors import ModelError, OrbitError
from stickslip.model.errors import shown
from stickslip.model.system import Model, System
from stickslip.orbits.balance import Balance, equilibrated, freedom, rest
from stickslip.orbits.drift import decided, drift_at
from stickslip.orbits.equilibrium import Equilibrium
from stickslip.orbits.guess import scale_of
from stickslip.orbits.resting import Resting, is_affine, resting_set

BORDER = 1e-9
"""How far right of the imaginary axis an eigenvalue must lie to count as unstable, relative to the largest."""

SAME = 1e-7
"""Equilibria nearer than this, relative to their size, are one."""

SPREAD = 48
"""Starts of Newton's method all around, for forces that are not linear."""

MOST_CONTACTS = 6
"""Contacts of a system given by its equations for which all modes are tried."""


def find_equilibria(model: Model, *, guess: Any = None) -> list[Equilibrium]:
    """The equilibria of a model, each checked to be one that the system itself can be in.

    Where a contact slips, as on a moving belt, an equilibrium is a point. Where contacts stick, as on the ground, the
    masses can rest anywhere in a set: it is given by the interval of every state. With linear forces every equilibrium
    is found; with others those that Newton's method meets from many starts.

    Parameters
    ----------
    model : System or Filippov
        The model.
    guess : sequence of float, mapping or Equilibrium, optional
        A state near which to look; by default everywhere.

    Returns
    -------
    list of Equilibrium
        Those found, perhaps none; with a guess, the nearest to it first.

    Raises
    ------
    ModelError
        If the model is none, or has contacts for which there is no rest.
    OrbitError
        If the guess is no state of the model, or what rubs by a law with a state of its own is at rest.

    See Also
    --------
    find_orbit : periodic motions.
    follow : an equilibrium along a parameter.

    Examples
    --------
    >>> import stickslip as ss
    >>> (steady,) = find_equilibria(ss.models.block_on_belt())
    >>> steady.state["x.block"], steady.stable
    (0.625, False)
    """
    if not isinstance(model, Model):
        raise ModelError(f"{shown(model)} is not a model: build a System or a Filippov")
    _refuse_memory(model)
    start = _guessed(model, guess)
    balance = Balance.of(model)
    own = np.array(model.start_state(None), float)
    starts = [_inside(model, np.zeros(balance.n), own), own]
    starts = starts if start is None else [start, *starts]
    if isinstance(model, System):
        starts = [_at_rest(model, z) for z in starts]
    found = [found for mode in _modes(balance, starts) for found in _in_mode(balance.in_mode(mode), starts)]
    if start is not None:
        found.sort(key=lambda e: _distance(e, start))
    return found


def _refuse_memory(model: Model) -> None:
    """A contact whose internal states depend on its mode does not come to rest as the others do."""
    contacts = list(model.friction.values()) if isinstance(model, System) else []
    for contact in contacts:
        if contact.internal_states():
            raise ModelError(
                f"find_equilibria cannot carry {contact.internal_states()[0]!r}, an internal state of a contact; look "
                "for the equilibria of the same system with a plain Contact: the masses rest and slide at the same "
                "places"
            )


def _guessed(model: Model, guess: Any) -> Floats | None:
    if guess is None:
        return None
    if isinstance(guess, Equilibrium):
        if guess.model.states != model.states:
            raise OrbitError("the guess is an equilibrium of a model with other states")
        guess = guess.state
    if isinstance(guess, str) or not isinstance(guess, Mapping | Sequence | np.ndarray):
        raise OrbitError(f"the guess is {shown(guess)}: give states by name, a list of numbers, or an Equilibrium")
    try:
        return np.array(model.start_state(guess if isinstance(guess, Mapping) else list(guess)), float)
    except ModelError as error:
        raise OrbitError(f"the guess: {error}") from None


def _modes(balance: Balance, starts: Sequence[Floats]) -> Iterator[tuple[int, ...]]:
    """The modes in which an equilibrium may be.

    Masses at rest have no velocity, so what a contact of theirs does is known: it slips on a belt that moves, else it
    sticks. Where the equations are given directly, or a state moves the belt, every mode may be.
    """
    contacts = len(balance.mode)
    # In stick the sliding velocity is known without the friction law, which may have no value on the other side.
    stuck = balance.in_mode((0,) * contacts)
    known = isinstance(balance.model, System) and not balance.model.is_steered
    if not known and contacts <= MOST_CONTACTS:
        yield from product((1, -1, 0), repeat=contacts)
        return
    tried = [np.append(z, np.zeros(contacts)) for z in starts]
    signs = [tuple(int(s) for s in np.sign(stuck.contacts(y, balance.parameters).v)) for y in tried]
    more = [] if known else [stuck.mode]
    yield from dict.fromkeys([*signs, *more])


def _at_rest(model: System, z: Floats) -> Floats:
    """Positions and internal states as they are, velocities zero."""
    return np.where([name.startswith("v.") for name in model.states], 0.0, z)


def _inside(model: Model, z: Floats, own: Floats) -> Floats:
    """A state with the internal states of another: those of some laws must be positive."""
    return np.where([name in model.internal_states for name in model.states], own, z)


def _in_mode(balance: Balance, starts: Sequence[Floats]) -> Iterator[Equilibrium]:
    """The equilibria in one mode that Newton's method meets."""
    p = balance.parameters
    at_rest = isinstance(balance.model, System)
    fixed = ("v.", *balance.model.internal_states) if at_rest else ()
    varied = np.array([not name.startswith(fixed) for name in balance.model.states])
    affine = is_affine(balance, starts, varied)
    found: list[Floats] = []
    sets: list[Resting] = []
    for z in _starts(balance.model, starts, affine, found):
        y = rest(balance, np.append(z, np.zeros(len(balance.stuck))))
        if y is None or any(_near(balance, y, other) for other in found) or any(y in resting for resting in sets):
            continue
        found.append(y)
        _check_isolated(balance, y)
        if balance.stuck and freedom(balance, y) > 0:
            resting = resting_set(balance, y, affine)
            if resting is not None and not any(resting.same_as(other) for other in sets):
                sets.append(resting)
                yield _of_set(balance, resting)
        elif min(balance.margins(y, p).values(), default=1.0) > 0:
            yield equilibrium_at(balance, y, p)


def _check_isolated(balance: Balance, y: Floats) -> None:
    """Refuse what looks like a point but is one of a set: at v = 0 bristles may be bent by any amount."""
    own = getattr(balance.model, "dynamic", {})
    if own and not balance.stuck and freedom(balance, y) > 0:
        raise OrbitError(
            f"what rubs at {', '.join(own)} is at rest, where its law allows any deflection: the equilibria are a set, "
            "which is found for a Contact only; put a Contact there, or let the surface move"
        )


def _starts(model: Model, starts: Sequence[Floats], affine: bool, found: Sequence[Floats]) -> Iterator[Floats]:
    """Where Newton's method begins: the given starts; then, if forces are not linear, all around what was found."""
    yield from starts
    if affine:
        return
    n = len(starts[0])
    size = scale_of(np.array([*starts, *(y[:n] for y in found)]), n)
    numbers = np.random.default_rng(0)
    for _ in range(SPREAD):
        z = numbers.uniform(-1, 1, n) * size * 10 ** numbers.uniform(-0.5, 2.0)
        yield _at_rest(model, _inside(model, z, starts[0])) if isinstance(model, System) else z


# -- what was found --------------------------------------------------------------------------------------------------


def equilibrium_at(balance: Balance, y: Floats, p: Floats, model: Model | None = None) -> Equilibrium:
    """The equilibrium at a point."""
    eigenvalues = balance.eigenvalues(y, p)
    stable = _decayed(eigenvalues)
    if stable is None and not balance.stuck:
        stable = _swings(balance, y, p)
    if stable and balance.stuck:
        stable = _attracts(balance, y, p)
    return _equilibrium(balance, y, p, eigenvalues, stable, model=model)


def _of_set(balance: Balance, resting: Resting) -> Equilibrium:
    """The equilibria of a set: along it nothing grows, so only the other eigenvalues decide, unless states drift."""
    y, p, dimension = resting.inside, balance.parameters, freedom(balance, resting.inside)
    eigenvalues = balance.eigenvalues(y, p)
    drift = drift_at(balance, y, dimension)
    # Each chain of a drift is one more eigenvalue that is zero.
    zeros = np.argsort(np.abs(eigenvalues), kind="stable")[: dimension + (drift.count if drift is not None else 0)]
    eigenvalues = np.where(np.isin(np.arange(len(eigenvalues)), zeros), 0.0, eigenvalues)
    stable = _decayed(np.delete(eigenvalues, zeros))
    if stable:
        stable = _attracts(balance, y, p)
    if stable is not False and drift is not None:
        outcome = decided(balance, y, dimension, resting.ends)
        stable = outcome if outcome is False else stable and outcome
    interval = dict(zip(balance.model.states, resting.ranges, strict=True))
    return _equilibrium(balance, y, p, eigenvalues, stable, interval=interval, box=resting.box)


def _decayed(eigenvalues: Complexes) -> bool | None:
    """Whether neighbouring motions decay; None where some eigenvalue is on the imaginary axis and none beyond it."""
    border = BORDER * float(np.max(np.abs(eigenvalues), initial=0.0))
    if np.any(eigenvalues.real > border):
        return False
    return True if np.all(eigenvalues.real < -border) else None


def _swings(balance: Balance, y: Floats, p: Floats) -> bool | None:
    """Whether motions near a point without growth or decay stay there, which they do, or do not, if they are linear."""
    if not balance.is_linear:
        return None
    _, vectors = np.linalg.eig(balance.slopes(y, p)[0])
    return bool(np.linalg.cond(vectors) < 1e8)


def _attracts(balance: Balance, y: Floats, p: Floats) -> bool | None:
    """Whether contacts that begin to slip a little stop at once: friction in slip exceeds the force that is needed to
    hold them, and acts against the motion."""
    c = balance.contacts(y, p)
    A = balance.slopes(y, p)[0]
    D = A[balance.n :, : balance.n] @ A[: balance.n, balance.n :]
    weakest = float(np.min(np.linalg.eigvalsh(D + D.T)))
    if len(D) == 1 and weakest < 0:
        return False  # a sliding mode that repels
    held = np.all(np.abs(c.force[balance.stuck]) < c.kinetic[balance.stuck])
    return True if held and weakest > 0 else None


def _equilibrium(
    balance: Balance,
    y: Floats,
    p: Floats,
    eigenvalues: Complexes,
    stable: bool | None,
    *,
    model: Model | None = None,
    interval: dict[str, tuple[float, float]] | None = None,
    box: bool | None = None,
) -> Equilibrium:
    model = balance.model if model is None else model
    force = balance.contacts(y, p).force
    z = np.where(np.abs(y[: balance.n]) > 1e-15 * np.max(np.abs(y)), y[: balance.n], 0.0)
    return Equilibrium(
        model=model,
        state=dict(zip(model.states, map(float, z), strict=True)),
        mode=dict(zip(model.contacts, balance.mode, strict=True)),
        force=dict(zip(model.contacts, map(float, force), strict=True)),
        eigenvalues=eigenvalues,
        stable=stable,
        interval=interval,
        box=box,
    )


def _near(balance: Balance, a: Floats, b: Floats) -> bool:
    """Whether two points are one: equal by their own size, or both what round-off leaves of zero."""
    _, columns = equilibrated(balance.slopes(a, balance.parameters)[0])
    size = max(float(np.max(np.abs(a / columns))), float(np.max(np.abs(b / columns))))
    return bool(np.max(np.abs((a - b) / columns)) <= SAME * size)


def _distance(equilibrium: Equilibrium, z: Floats) -> float:
    """From a state to an equilibrium, or to the nearest corner of the ranges of a set."""
    state = np.array(list(equilibrium.state.values()))
    if equilibrium.interval is not None:
        low, high = np.array(list(equilibrium.interval.values())).T
        state = np.clip(z, low, high)
    return float(np.linalg.norm(state - z))
