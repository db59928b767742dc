"""A right call of every public name; `test_manners.py` puts other things in place of its arguments."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import stickslip as ss

Call = tuple[Callable[..., Any], dict[str, Any]]


@functools.cache
def belt() -> ss.System:
    return ss.models.block_on_belt()


@functools.cache
def forced() -> ss.System:
    return ss.models.forced_oscillator()


@functools.cache
def run() -> Any:
    return ss.simulate(belt(), 300)


@functools.cache
def brief() -> Any:
    """A run for what takes long: a sound of it that is played slowly has millions of values."""
    return ss.simulate(belt(), 30)


@functools.cache
def orbit() -> ss.Orbit:
    return ss.find_orbit(belt())


@functools.cache
def branch() -> ss.Branch:
    return ss.follow(orbit(), "belt.speed", to=0.21)


@functools.cache
def diagram() -> Any:
    return ss.sweep(belt(), {"belt.speed": [0.2, 0.3]}, times=(20, 20))


@functools.cache
def plane() -> Any:
    return ss.sweep(belt(), {"belt.speed": [0.2, 0.3], "contact.normal": [1.0, 1.2]}, times=(20, 20))


@functools.cache
def landscape() -> Any:
    return ss.basins(belt(), {"x.block": [0.0, 1.0], "v.block": [0.0, 0.1]}, t=30)


@functools.cache
def releases() -> ss.ReturnMap:
    return ss.return_map(ss.models.two_blocks())


@functools.cache
def velocity() -> np.ndarray:
    return np.random.default_rng(0).uniform(-1, 1, 200)


@functools.cache
def force() -> np.ndarray:
    noise = np.random.default_rng(1).normal(0, 0.05, 200)
    return -np.sign(velocity()) * 4 / (1 + 3 * abs(velocity())) + noise


@functools.cache
def fit() -> Any:
    return ss.identify.fit_law((velocity(), force()), "hyperbolic", normal=10.0)


@functools.cache
def aged() -> Any:
    stick_time, strength = aging_table()
    return ss.identify.aging(stick_time, strength)


@functools.cache
def aging_table() -> tuple[np.ndarray, np.ndarray]:
    stick_time = np.linspace(0.1, 5, 30)
    return stick_time, 1 + 0.3 * (1 - np.exp(-stick_time)) + np.random.default_rng(2).normal(0, 0.01, 30)


@functools.cache
def decay() -> tuple[np.ndarray, np.ndarray]:
    time = np.linspace(0, 10, 400)
    return time, np.exp(-0.2 * time) * np.cos(5 * time) + np.random.default_rng(3).normal(0, 0.01, 400)


@functools.cache
def motion() -> tuple[np.ndarray, np.ndarray]:
    time = np.linspace(0, 50, 300)
    return time, ss.interpolate(run(), time)["x.block"].values


@functools.cache
def signal() -> ss.series.Series:
    return ss.series.from_run(run(), "x.block", 0.1)


@functools.cache
def table(folder: Path) -> Path:
    path = folder / "measured.csv"
    ss.identify.write(path, {"time": np.arange(5.0), "velocity": np.ones(5)}, {"time": "s", "velocity": "m/s"})
    return path


@functools.cache
def kept(folder: Path) -> Path:
    return ss.save(run(), folder / "kept.nc")


def _explored(what: Any, host: str, port: int, workers: int) -> None:
    """The explorer, started and stopped: without a browser, and without waiting."""
    ss.explore(what, host=host, port=port, workers=workers, browser=False, wait=False).stop()


def calls(folder: Path) -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """Name, callable, and arguments with which it works."""
    block, board = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
    law = ss.Coulomb(0.4, 0.3)
    touch = {"on": block, "against": board, "law": law}
    yield "Mass", ss.Mass, {"name": "block", "m": 1.0}
    yield "Rotor", ss.Rotor, {"name": "disc", "inertia": 1.0}
    yield "Belt", ss.Belt, {"name": "belt"}
    yield "Base", ss.Base, {"name": "base"}
    yield "State", ss.State, {"name": "integral", "rate": 1.0}
    yield "Parameter", ss.Parameter, {"name": "mu", "value": 0.3}
    yield "Force", ss.Force, {"on": block, "force": 1.0}
    yield "Torque", ss.Torque, {"on": ss.Rotor("disc", inertia=1.0), "torque": 1.0}
    yield "Spring", ss.Spring, {"a": block, "b": ss.ground, "k": 1.0}
    yield "Damper", ss.Damper, {"a": block, "b": ss.ground, "c": 1.0}
    yield "Contact", ss.Contact, touch
    yield "SmoothContact", ss.SmoothContact, touch | {"eps": 1e-3}
    yield "CompliantContact", ss.CompliantContact, touch | {"stiffness": 10.0}
    yield "DynamicContact", ss.DynamicContact, touch | {"law": ss.Dahl(0.3, 10.0)}
    yield "BristleContact", ss.BristleContact, {"on": block, "against": board}
    yield "Scatter", ss.Scatter, {"static": 0.1}
    yield "About", ss.About, {"name": "model"}
    yield "Formula", ss.Formula, {"text": "2*a*v", "variables": ("v",), "parameters": {"a": 1.0}}
    yield "FunctionLaw", ss.FunctionLaw, {"function": lambda v, mu=0.3: mu + 0 * v}
    rate = {"rate": lambda v, z, a=1.0: v - a * abs(v) * z, "coefficient": lambda v, z, a=1.0: a * z}
    yield "StateLaw", ss.StateLaw, rate
    yield "Coulomb", ss.Coulomb, {"mu_s": 0.4}
    yield "Hyperbolic", ss.Hyperbolic, {"mu_s": 0.4, "delta": 3.0}
    yield "Stribeck", ss.Stribeck, {"mu_s": 0.4, "mu_k": 0.3, "v_s": 0.1}
    yield "PoppStelter", ss.PoppStelter, {"mu_0": 0.4, "mu_1": 0.3, "lambda_1": 1.0}
    yield "Polynomial", ss.Polynomial, {"coefficients": (0.4, -0.1)}
    yield "Tabulated", ss.Tabulated, {"speeds": (0.0, 1.0, 2.0), "values": (0.4, 0.3, 0.3)}
    yield "Dahl", ss.Dahl, {"mu": 0.4, "sigma_0": 10.0}
    yield "LuGre", ss.LuGre, {"mu_s": 0.4, "mu_k": 0.3, "v_s": 0.1, "sigma_0": 10.0}
    plastic = {"mu_s": 0.4, "mu_k": 0.3, "v_s": 0.1, "sigma_0": 10.0, "breakaway": 0.01}
    yield "ElastoPlastic", ss.ElastoPlastic, plastic
    yield "DieterichRuina", ss.DieterichRuina, {"mu_star": 0.6, "a": 0.01, "b": 0.015, "D_c": 1.0, "v_star": 1.0}
    yield "where", ss.where, {"condition": True, "yes": 1.0, "no": 2.0}
    yield "System", _system, {"part": ss.Spring(block, ss.ground, k=1.0)}
    yield "Filippov", ss.Filippov, {
        "states": ["x"], "f": lambda x, t: [-x], "G": lambda x, t: [1.0], "h": lambda x, t: x,
    }  # fmt: skip
    for method in (ss.Henon, ss.Bisection, ss.TimeStepping):
        yield method.__name__, method, {"step": 0.01}
    yield "Exact", ss.Exact, {}
    yield "Switch", ss.Switch, {}
    yield "Smoothing", ss.Smoothing, {"eps": 1e-3}

    yield "explore", _explored, {"what": belt(), "host": "127.0.0.1", "port": 0, "workers": 1}
    yield "simulate", ss.simulate, {"model": belt(), "t": 5.0}
    yield "compare", ss.compare, {"model": belt(), "methods": [ss.Exact(rtol=1e-9)], "t": 5.0}
    yield "energy_balance", ss.energy_balance, {"system": belt(), "run": run()}
    yield "find_orbit", ss.find_orbit, {"model": belt()}
    yield "find_orbits", ss.find_orbits, {"model": belt(), "starts": 2, "t": 50.0}
    yield "find_equilibria", ss.find_equilibria, {"model": belt()}
    yield "follow", ss.follow, {"what": orbit(), "parameter": "belt.speed", "to": 0.201, "most": 3}
    yield "fundamental_matrix", ss.fundamental_matrix, {"model": belt(), "t": 5.0}
    yield "interpolate", ss.interpolate, {"run": run(), "times": [1.0, 2.0]}
    yield "last_cycle", ss.last_cycle, {"run": run(), "mass": "block"}
    yield "orbit_error", ss.orbit_error, {"run": run(), "exact": run(), "mass": "block"}
    yield "load", ss.load, {"path": kept(folder)}
    yield "save", ss.save, {"what": run(), "path": folder / "again.nc"}
    yield "stops", ss.stops, {"run": run()}
    yield "lyapunov", ss.lyapunov, {"model": belt(), "t": 20.0}
    yield "return_map", ss.return_map, {"model": ss.models.two_blocks()}
    yield "basins", ss.basins, {"model": belt(), "grid": {"x.block": [0.0], "v.block": [0.0]}, "t": 30.0}
    swept = {"model": belt(), "over": {"belt.speed": [0.2]}, "times": (5, 5)}
    yield "plan_sweep", ss.plan_sweep, swept
    yield "sweep", ss.sweep, swept
    yield "probabilities", ss.probabilities, {"diagram": diagram()}
    yield "Field.of", ss.Field.of, {"model": belt()}

    for name, kind, arguments in _observations():
        yield f"observe.{name}", kind, arguments
    for name in ss.models.__all__:
        if name == "hinrichs_law":
            yield f"models.{name}", ss.models.hinrichs_law, {"name": "III"}
        elif name != "LIBRARY":
            yield f"models.{name}", getattr(ss.models, name), {}
    yield from _methods()
    yield from _pictures(folder)
    yield from _identify(folder)
    yield from _series(folder)


def _system(part: Any, **keywords: Any) -> ss.System:
    return ss.System(part, **keywords)


def _observations() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    for name in ss.observe.__all__:
        needed = {"Maxima": {"state": "x.block"}, "Section": {"quantity": "v.block"}}.get(name, {})
        yield name, getattr(ss.observe, name), needed
        yield f"{name} in a sweep", functools.partial(_observed, name), needed


def _observed(name: str, **arguments: Any) -> Any:
    return ss.plan_sweep(forced(), {"base.eta": [1.0]}, times=(5, 5), observe=getattr(ss.observe, name)(**arguments))


def _methods() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """What models and results can do themselves."""
    needed: dict[str, dict[str, Any]] = {
        "evaluate": {"z": [1.0, 0.0]}, "jacobian": {"z": [1.0, 0.0]},
        "propagate": {"starts": [[1.0, 0.0]], "t_end": 1.0},
        "local": {"part": "contact"}, "smoothed": {"eps": 1e-3}, "law_values": {"contact": "contact"},
        "resolve": {"name": "belt.speed"}, "unit_of": {"name": "belt.speed"}, "along": {"parameter": "belt.speed"},
        "of_kind": {"kind": "fold"}, "coefficient": {"speed": 0.1}, "band": {"speed": 0.1}, "error": {"name": "mu_s"},
        "interval": {"name": "mu_s"}, "curve": {"time": 1.0}, "slope": {"x": 0.5}, "iterate": {"x": 0.5, "turns": 2},
        "start": {"x": 1.1}, "save": {"path": "kept.nc"}, "observation": {"name": "stick_to_slip"},
        "kinetic_value": {"v": 0.1}, "with_viscous": {"c": 0.1},
    }  # fmt: skip
    things = [
        belt(), run(), diagram(), landscape(), orbit(), branch(), fit(), fit().estimate, aged(), releases(), signal(),
        ss.Field.of(belt(), order=20), ss.find_equilibria(belt())[0], ss.Hyperbolic(0.4, 3.0),
    ]  # fmt: skip
    for thing in things:
        for name in _methods_of(type(thing)):
            call, given = getattr(thing, name), needed.get(name, {})
            try:
                inspect.signature(call).bind(**given)
            except TypeError:
                continue  # what other parts of stickslip call
            yield f"{type(thing).__name__}.{name}", call, given


def _methods_of(kind: type) -> list[str]:
    """The public methods that stickslip itself gives a class."""
    own = [base for base in kind.__mro__ if base.__module__.startswith("stickslip")]
    found = {name for base in own for name, member in vars(base).items() if inspect.isfunction(member)}
    return sorted(name for name in found if not name.startswith("_"))


def _pictures(folder: Path) -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    plot = ss.plot
    s = signal()
    yield "plot.phase", plot.phase, {"run": run()}
    yield "plot.history", plot.history, {"run": run()}
    yield "plot.friction", plot.friction, {"run": run()}
    yield "plot.modes", plot.modes, {"run": run()}
    yield "plot.animate", plot.animate, {"run": run(), "seconds": 0.1}
    yield "plot.machine", plot.machine, {"system": belt()}
    yield "plot.characteristic", plot.characteristic, {"laws": ss.Hyperbolic(0.4, 3.0)}
    yield "plot.comparison", plot.comparison, {"table": ss.compare(belt(), [ss.Exact(rtol=1e-9)], 5.0)}
    yield "plot.branch", plot.branch, {"branches": branch()}
    yield "plot.multipliers", plot.multipliers, {"orbit": orbit()}
    yield "plot.bifurcation", plot.bifurcation, {"data": diagram()}
    yield "plot.parameter_map", plot.parameter_map, {"data": plane()}
    yield "plot.poincare", plot.poincare, {"data": diagram()}
    yield "plot.probabilities", plot.probabilities, {"data": ss.probabilities(diagram())}
    yield "plot.basins", plot.basins, {"data": landscape()}
    yield "plot.exponents", plot.exponents, {"found": ss.lyapunov(belt(), t=20.0)}
    yield "plot.return_map", plot.return_map, {"releases": releases(), "points": 20}
    yield "plot.fit", plot.fit, {"fits": fit()}
    yield "plot.classes", plot.classes, {"found": ss.identify.classes((velocity(), force()))}
    yield "plot.aging", plot.aging, {"fits": aged()}
    yield "plot.ringdown", plot.ringdown, {"found": ss.identify.ringdown(*decay(), mass=1.0)}
    yield "plot.reconstruction", plot.reconstruction, {"found": ss.identify.reconstruct(*motion(), mass=1.0)}
    yield "plot.panels", plot.panels, {"columns": 2, "rows": 1, "width": 3.0, "height": 2.0}
    yield "plot.save", plot.save, {"picture": plot.phase(run()), "path": folder / "phase.png"}
    yield "plot.spectrum", plot.spectrum, {"data": ss.series.spectrum(s)}
    yield "plot.autocorrelation", plot.autocorrelation, {"data": ss.series.autocorrelation(s)}
    yield "plot.embedding", plot.embedding, {"points": ss.series.embed(s, 2, 3)}
    yield "plot.mutual_information", plot.mutual_information, {"data": ss.series.mutual_information(s)}
    yield "plot.false_neighbours", plot.false_neighbours, {"data": ss.series.false_neighbours(s, 3)}
    yield "plot.correlation_sums", plot.correlation_sums, {"found": ss.series.correlation_dimension(s, 3, 3)}
    yield "plot.divergence", plot.divergence, {"found": ss.series.largest_exponent(s, 3, 3)}


def _identify(folder: Path) -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    identify = ss.identify
    stick_time, strength = aging_table()
    time, displacement = decay()
    place = {"time": motion()[0], "displacement": motion()[1], "mass": 1.0}
    yield "identify.Samples", identify.Samples, {"velocity": velocity(), "force": force()}
    yield "identify.fit_law", identify.fit_law, {"samples": (velocity(), force()), "law": "hyperbolic", "normal": 10.0}
    yield "identify.compare", identify.compare, {"samples": (velocity(), force()), "laws": ["coulomb"]}
    yield "identify.classes", identify.classes, {"data": (velocity(), force())}
    yield "identify.aging", identify.aging, {"stick_time": stick_time, "force": strength}
    yield "identify.compare_aging", identify.compare_aging, {"stick_time": stick_time, "force": strength}
    yield "identify.aging_verdict", identify.aging_verdict, {"fits": [aged()]}
    yield "identify.breakaways", identify.breakaways, {
        "time": time, "velocity": displacement, "force": displacement, "threshold": 0.1,
    }  # fmt: skip
    yield "identify.sticking", identify.sticking, {"velocity": displacement, "threshold": 0.1}
    yield "identify.ringdown", identify.ringdown, {"time": time, "displacement": displacement, "mass": 1.0}
    yield "identify.reconstruct", identify.reconstruct, place
    yield "identify.read", identify.read, {"path": table(folder)}
    yield "identify.write", identify.write, {"path": folder / "again.csv", "columns": {"time": [0.0, 1.0]}}


def _series(folder: Path) -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    series = ss.series
    s = signal()
    yield "series.Series", series.Series, {"values": s.values, "interval": 0.1}
    yield "series.from_run", series.from_run, {"run": run(), "name": "x.block"}
    yield "series.from_events", series.from_events, {"run": run(), "name": "x.block"}
    yield "series.from_csv", series.from_csv, {"path": table(folder), "column": "velocity"}
    yield "series.to_wav", series.to_wav, {"run": brief(), "path": folder / "squeak.wav", "speed": 100.0}
    for name in ("autocorrelation", "spectrum", "mutual_information", "fundamental"):
        yield f"series.{name}", getattr(series, name), {"series": s}
    for name in ("choose", "embed", "false_neighbours", "correlation_dimension", "largest_exponent"):
        arguments = {"series": s, "delay": 3} | ({} if name == "false_neighbours" else {"dimension": 3})
        yield f"series.{name}", getattr(series, name), arguments
