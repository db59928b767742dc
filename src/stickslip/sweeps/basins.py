"""`basins`: which attractor each start leads to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stickslip._version import __version__
from stickslip.arguments import check_model, check_progress, numbers
from stickslip.arrays import Floats
from stickslip.errors import ModelError, ResultError
from stickslip.model.errors import check_number, check_whole, shown, suggest, visible
from stickslip.model.system import Model
from stickslip.progress import Progress, reporting
from stickslip.reading import parsed
from stickslip.result import state_attributes
from stickslip.status import Status
from stickslip.sweeps.attractor import Attractor, attractor_of
from stickslip.sweeps.crowd import Crowd, classified
from stickslip.sweeps.layout import BASINS, Sweep
from stickslip.sweeps.search import UNRESOLVED, Search


def basins(
    model: Model,
    grid: Mapping[str, ArrayLike],
    *,
    t: float,
    start: Mapping[str, float] | Sequence[float] | None = None,
    near: float = 1e-3,
    most: int = 4,
    forcing: float | None = None,
    progress: Progress = None,
) -> Basins:
    """Which attractor each start on a grid leads to; the attractors are found on the way.

    Equilibria that attract are known beforehand; orbits are found by `find_orbit` from where motions end after 3 t, and
    must repeat themselves within t/2. Motions that do not are followed for 4000 periods of the excitation, or 40 t:
    where neighbours part for sure, the cells that were visited are an attractor, too. What is found to be neither stays
    unresolved, and `notes` in the attributes says why. Ctrl-C keeps what is known by then: motions that have not
    arrived are unresolved, and `status` in the attributes says so.

    Parameters
    ----------
    model : System or Filippov
        The model.
    grid : mapping of str to array
        The values of two states by name; all others are as in `start`.
    t : float
        How long each start is simulated at most, in units of time.
    start : mapping or sequence of float, optional
        The states that are not on the grid; the model's own by default.
    near : float, default 1e-3
        A motion has arrived when it is nearer to an attractor than this, relative to the size of the states, at two
        looks in a row (of 48 in the time t); on a chaotic one, when it is in its cells from then on to the end.
    most : int, default 4
        How many searches for an attractor may fail, as they do where motions are quasi-periodic.
    forcing : float, optional
        The period of the excitation, for a model whose equations do not show it; by default it is read off them.
    progress : callable or bool, optional
        Called now and then with the part of the time that is done; by default a bar, as in `simulate`.

    Returns
    -------
    Basins
        Over the grid `attractor` (its number, −1 where unresolved) and `transient_time`, when the motion was first seen
        near its attractor, to within t/48; per attractor the `fraction` of the starts with its standard error, which is
        that of as many random starts (on a grid an upper bound), and `points` of it (with an excitation: at the phase
        at which motions start). Its `attractors` lists them.

    Raises
    ------
    ModelError
        If the grid or a number is not allowed, or the model has no such state.

    See Also
    --------
    find_orbits : the orbits that random starts lead to.
    plot.basins : the picture.

    Examples
    --------
    >>> import stickslip as ss
    >>> grid = {"x.block": [-3, 0.5, 4], "v.block": [-2.0, 0.0, 1.0]}
    >>> data = ss.basins(ss.models.coulomb_oscillator(), grid, t=30)
    >>> data.fraction.values.tolist(), [str(attractor) for attractor in data.attractors]
    ([1.0], ['rest in stick'])
    """
    check_model(model)
    check_progress(progress)
    t = check_number("basins: t", t, positive=True)
    near = check_number("basins: near", near, positive=True)
    axes = _axes(model, grid)
    states = _starts(model, axes, start)
    forcing = None if forcing is None else check_number("basins: forcing", forcing, positive=True)
    search = Search(model, near, check_whole("basins: most", most, 0), forcing)
    with reporting(progress, "following starts", lambda part: part) as report:
        search.measure(states, t)
        crowd, status = classified(search, states, t, report)
    return _dataset(model, axes, crowd, status)


class Basins(Sweep):  # type: ignore[no-untyped-call]
    """Which attractor each start leads to, as `basins` returns it: an `xarray.Dataset` that lists its attractors.

    See Also
    --------
    stickslip.basins, stickslip.Attractor, stickslip.plot.basins

    Examples
    --------
    >>> import stickslip as ss
    >>> grid = {"x.block": [-3, 0.5, 4], "v.block": [-2.0, 0.0, 1.0]}
    >>> data = ss.basins(ss.models.coulomb_oscillator(), grid, t=30)
    >>> [str(attractor) for attractor in data.attractors]
    ['rest in stick']
    """

    __slots__ = ()

    @property
    def attractors(self) -> list[Attractor]:
        """The attractors, in the order of their numbers."""
        try:
            return [attractor_of(entry) for entry in parsed(self.attrs["attractors"], "attractors")]
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ResultError(f"the attribute 'attractors' is damaged ({visible(str(error)[:120])})") from None


# -- input ---------------------------------------------------------------------------------------------------------


def _axes(model: Model, grid: Any) -> dict[str, Floats]:
    if not isinstance(grid, Mapping):
        raise ModelError(f"basins: the grid is {shown(grid)}: give values of two states by name")
    if len(grid) != 2:
        raise ModelError(f"basins: the grid has {len(grid)} states: give two")
    axes = {}
    for name, values in grid.items():
        if name not in model.states:
            raise ModelError(f"basins: there is no state {name!r}{suggest(name, model.states)}")
        axis = numbers(f"the values of {name!r}", values)
        if len(axis) == 0:
            raise ModelError(f"basins: there are no values of {name!r} on the grid")
        if not (np.all(np.diff(axis) > 0) or np.all(np.diff(axis) < 0)):
            raise ModelError(f"basins: the values of {name!r} must rise or fall, each different from the others")
        axes[name] = axis
    return axes


def _starts(model: Model, axes: Mapping[str, Floats], start: Any) -> Floats:
    """All points of the grid, the first state changing slowest."""
    mesh = np.meshgrid(*axes.values(), indexing="ij")
    states = np.tile(np.array(model.start_state(start), float), (mesh[0].size, 1))
    for name, values in zip(axes, mesh, strict=True):
        states[:, model.states.index(name)] = values.ravel()
    return states


# -- result ----------------------------------------------------------------------------------------------------------


def _dataset(model: Model, axes: Mapping[str, Floats], crowd: Crowd, status: Status) -> Basins:
    """Labels over the grid, attractors that nothing leads to left out, the most frequent first."""
    search, labels = crowd.search, crowd.labels
    counts = np.array([np.sum(labels == number) for number in range(len(search.found))], int)
    kept = [int(i) for i in np.argsort(-counts, kind="stable") if counts[i] > 0]
    numbers = np.full(len(search.found) + 1, UNRESOLVED)
    numbers[kept] = np.arange(len(kept))
    shape = tuple(len(axis) for axis in axes.values())
    fraction = counts[kept] / len(labels)
    unresolved = float(np.mean(labels == UNRESOLVED))
    attractors = [search.found[i] for i in kept]
    reasons = search.reasons or ["Some motions had not arrived anywhere when the time was over: give a longer t."]
    sentence = "All starts were followed."
    if not status.finished:
        sentence = f"{status.value} {int(np.sum(labels != UNRESOLVED))} of {len(labels)} starts had arrived."
        reasons = [sentence]
    data = {
        "attractor": (tuple(axes), numbers[labels].reshape(shape)),
        "transient_time": (tuple(axes), crowd.arrival.reshape(shape), {"units": model.time_unit}),
        "fraction": ("number", fraction),
        "fraction_error": ("number", np.sqrt(fraction * (1 - fraction) / len(labels))),
        "points": (("number", "sample", "state"), search.points(kept)),
    }
    coordinates: dict[str, Any] = {name: (name, axis, state_attributes(model, name)) for name, axis in axes.items()} | {
        "number": np.arange(len(kept)),
        "state": np.array(model.states, dtype=np.str_),
        "attractor_kind": ("number", np.array([a.kind for a in attractors], dtype=np.str_)),
        "description": ("number", [str(a) for a in attractors]),
    }
    attributes = {
        "format": BASINS,
        "version": __version__,
        "model_name": model.about.name,
        "title": model.about.title,
        "time_unit": model.time_unit,
        "parameters": json.dumps(dict(model.parameters)),
        "status": sentence,
        "outcome": status.word,
        "attractors": json.dumps([vars(attractor) for attractor in attractors]),
        "unresolved": unresolved,
        "notes": " ".join(dict.fromkeys(reasons)) if unresolved > 0 else "",
    }
    return Basins(data, coordinates, attributes)
