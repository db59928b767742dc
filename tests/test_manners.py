"""Arguments of the wrong kind are refused in a sentence that names them: case by case, and all of them by machine."""

from __future__ import annotations

import inspect
import math
from itertools import islice

import numpy as np
import pytest
from tests import manners_calls as right

import stickslip as ss

BLOCK = ss.Mass("block", m=1.0)
PARTS = 6
SPEEDS = {"belt.speed": [0.2]}


def belt():
    return right.belt()


CASES = {
    "name of a model": (lambda: ss.simulate("block_on_belt", 10), r"write models\.block_on_belt\(\)"),
    "name misspelt": (lambda: ss.find_orbit("drill_sting"), r"did you mean models\.drill_string\(\)"),
    "file of a model": (lambda: ss.sweep("slide.toml", SPEEDS, times=(1, 1)), r"write load\('slide\.toml'\)"),
    "function of a model": (lambda: ss.lyapunov(ss.models.chain, t=1), r"call it, chain\(\)"),
    "no model": (lambda: ss.find_equilibria(3), "3 is not a model"),
    "no model in basins": (lambda: ss.basins([], {"x.block": [0]}, t=1), r"\[\] is not a model"),
    "no model to compare": (lambda: ss.compare(None, [ss.Exact()], 1), "None is not a model"),
    "no model to compile": (lambda: ss.Field.of("x"), "'x' is not a model"),
    "method by name": (lambda: ss.simulate(belt(), 1, method="RK45"), "method is 'RK45': give one of"),
    "method as class": (lambda: ss.simulate(belt(), 1, method=ss.Exact), r"method is the class Exact: .*Exact\(…\)"),
    "method of an orbit": (lambda: ss.find_orbit(belt(), method="Smooth"), "method is 'Smooth'"),
    "methods": (lambda: ss.compare(belt(), "Exact", 1), r"methods is 'Exact': give a list"),
    "methods as classes": (lambda: ss.compare(belt(), [ss.Henon], 1), "the class Henon"),
    "three values in to": (lambda: ss.follow(right.orbit(), "belt.speed", to=(1, 2, 3)), "give one value, or two"),
    "parameter misspelt": (lambda: belt().with_({"belt.sped": 1}), r"no parameter 'belt\.sped' \(did you mean 'belt"),
    "parameter as number": (lambda: belt().with_({3: 1.0}), "3 is no name of a parameter"),
    "changes as text": (lambda: belt().with_("belt.speed=1"), "give values by name"),
    "parts as list": (lambda: belt().with_(parts=[3]), r"parts is \[3\]: give a dictionary"),
    "part of another kind": (lambda: belt().with_(parts={"contact": 3}), "3 cannot stand in for 'contact'"),
    "part unknown": (lambda: belt().local("blok"), "no part 'blok' .did you mean 'block'"),
    "values incomplete": (lambda: belt().local("contact", {}), "values has no"),
    "start as text": (lambda: ss.simulate(belt(), 1, start="rest"), "the start is 'rest'"),
    "state unknown": (lambda: ss.simulate(belt(), 1, start={3: 1.0}), "there is no state 3"),
    "mode as text": (lambda: ss.simulate(belt(), 1, mode="stick"), "mode is 'stick': give a dictionary"),
    "mode as number": (lambda: ss.simulate(belt(), 1, mode={"contact": 0}), "the mode of 'contact' is 0"),
    "end as span": (lambda: ss.simulate(belt(), (0, 10)), "say start_time="),
    "what to follow": (lambda: ss.follow(belt(), "belt.speed", to=1), "cannot be followed: give an Orbit"),
    "parameter to follow": (lambda: ss.follow(right.orbit(), 3, to=1), "parameter is 3"),
    "starts": (lambda: ss.find_orbits(belt(), starts="many"), "starts is 'many'"),
    "range of starts": (lambda: ss.find_orbits(belt(), starts=1, within={"x.block": 3}), "give two numbers"),
    "ranges of starts": (lambda: ss.find_orbits(belt(), starts=1, within=3), "within is 3: give a dictionary"),
    "carry": (lambda: ss.sweep(belt(), SPEEDS, times=(1, 1), carry=np.ones(2)), "carry is array"),
    "target": (lambda: ss.sweep(belt(), SPEEDS, times=(1, 1), target=3), "no target 3"),
    "exponent per": (lambda: ss.lyapunov(belt(), t=1, per=[]), r"per is \[\]"),
    "contact of a map": (lambda: ss.return_map(ss.models.two_blocks(), contact=3), "no contact 3"),
    "run": (lambda: ss.interpolate(3, [1.0]), "3 is not a run: give what simulate returned"),
    "run of stops": (lambda: ss.stops(None), "None is not a run"),
    "mass of a cycle": (lambda: ss.last_cycle(right.run(), []), r"has no mass \[\]"),
    "points of a cycle": (lambda: ss.last_cycle(right.run(), "block", points="x"), "points is 'x'"),
    "sweep of probabilities": (lambda: ss.probabilities("x"), "not a sweep with recorded points"),
    "range of probabilities": (lambda: ss.probabilities(right.diagram(), within=3), "within is 3: give two numbers"),
    "name of a part": (lambda: ss.Spring(BLOCK, ss.ground, k=1.0, name=3), "the name of a Spring is 3"),
    "units": (lambda: ss.System(BLOCK, units="m"), "units is 'm': give a dictionary"),
    "unit": (lambda: ss.System(BLOCK, units={"x.block": 3}), r"the unit of 'x\.block' is 3"),
    "about": (lambda: ss.System(BLOCK, about="a block"), "about is 'a block'"),
    "states as text": (lambda: ss.Filippov("xv", f=len, G=len, h=len), "states is 'xv': give a list of names"),
    "variables as text": (lambda: ss.Formula("v", "v"), "variables is 'v': give a list of names"),
    "condition": (lambda: ss.where(np.ones(2), 1, 2), "the condition of where"),
    "evolution": (lambda: ss.DieterichRuina(0.6, 0.01, 0.02, 1.0, 1.0, evolution=[]), r"evolution is \[\]"),
    "number of a model": (lambda: ss.models.drill_string(zeta="low"), "drill_string: zeta is 'low'"),
    "law of a model": (lambda: ss.models.hinrichs_law([]), r"no characteristic \[\]"),
    "axes": (lambda: ss.plot.phase(right.run(), ax=3), "ax is 3: give matplotlib Axes"),
    "picture of a run": (lambda: ss.plot.phase(belt()), "a picture needs a run"),
    "states of a picture": (lambda: ss.plot.history(right.run(), 3), "states is 3: give a list of names"),
    "picture of a spectrum": (lambda: ss.plot.spectrum(right.run()), r"give what series\.spectrum returned"),
    "picture of a ring-down": (lambda: ss.plot.ringdown(right.fit()), r"give what identify\.ringdown returned"),
    "picture of a comparison": (lambda: ss.plot.comparison(right.run()), r"give what stickslip\.compare returned"),
    "picture to save": (lambda: ss.plot.save(right.run(), "x.png"), r"plot\.save needs Axes or a Figure"),
    "file of a picture": (lambda: ss.plot.save(ss.plot.phase(right.run()), 3), "3 is not the name of a file"),
    "units of a picture": (lambda: ss.plot.fit(right.fit(), units="m"), "units is 'm': give a dictionary"),
    "phase of an animation": (lambda: ss.plot.animate(right.run(), phase="x"), "phase is 'x'"),
    "bounds of a fit": (lambda: right_fit(bounds={"mu_s": 3}), "the bounds of mu_s is 3: give two numbers"),
    "fixed of a fit": (lambda: right_fit(fixed="mu_s"), "fixed is 'mu_s': give a dictionary"),
    "memory of a fit": (lambda: right_fit(memory=-1), "memory is -1"),
    "error of a fit": (lambda: right_fit(error="x"), "error is 'x'"),
    "laws to compare": (lambda: ss.identify.compare((right.velocity(), right.force()), 3), "laws is 3: give a list"),
    "fits of aging": (lambda: ss.identify.aging_verdict([]), r"fits is \[\]: give a list of fits"),
    "file of measurements": (lambda: ss.identify.read(None), "None is not the name of a file"),
    "file of a series": (lambda: ss.series.from_csv(3, "x"), "3 is not the name of a file"),
    "run of a series": (lambda: ss.series.from_events("x", "x.block"), "'x' is not a run"),
    "quantity of a series": (lambda: ss.series.from_run(right.run(), 3), "there is no quantity 3"),
    "window of a spectrum": (lambda: ss.series.spectrum(right.signal(), window=3), "window is 3"),
    "run to hear": (lambda: ss.series.to_wav(3, "x.wav"), "3 is not a run"),
}


def right_fit(**wrong):
    return ss.identify.fit_law((right.velocity(), right.force()), "hyperbolic", normal=10.0, **wrong)


@pytest.mark.parametrize("case", CASES)
def test_a_sentence_names_what_is_wrong(case):
    call, said = CASES[case]
    with pytest.raises(ss.StickslipError, match=said):
        call()


def test_a_name_misspelt():
    with pytest.raises(AttributeError, match="stickslip has no 'simulat': did you mean 'simulate'"):
        ss.simulat  # noqa: B018


def test_places_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "none" / "run.nc", tmp_path / "file" / "run.nc"):
        with pytest.raises((ss.StickslipError, OSError), match=r"run\.nc"):
            ss.save(right.run(), place)


@pytest.mark.parametrize("unit", ["furlong", "mm/fortnight", "left"])
def test_units_that_are_not_known_are_refused(tmp_path, unit):
    path = tmp_path / "run.csv"
    path.write_text(f"t [s],x [{unit}]\n0,1\n1,2\n")
    with pytest.raises(ss.errors.IdentifyError, match=rf"unit '{unit}' of 'x' is not known; known are .*m, .*si=False"):
        ss.identify.read(path)
    assert ss.identify.read(path, si=False).units["x"] == unit
    assert ss.identify.read(path, ["t"])["t"].tolist() == [0, 1]  # columns that are not asked for may have any


class Thing:
    """Nothing that anything here could use."""


def wrong_values():
    return {
        "None": None, "text": "x", "whole": 3, "negative": -1, "number": 2.5, "nan": math.nan, "huge": 10**400,
        "complex": 1j, "flag": True, "bytes": b"x", "list": [], "tuple": (), "dict": {}, "set": {1},
        "texts": ["a", "b"], "names": {"a": 1}, "odd names": {3: None}, "array": np.array([1.0, 2.0, 3.0]),
        "table": np.ones((2, 2)), "class": ss.Exact, "function": lambda *arguments: None,
        "run": right.run(), "orbit": right.orbit(), "model": right.forced(), "thing": Thing(),
    }  # fmt: skip


SLOW = {("basins", "t"), ("basins", "model"), ("basins", "forcing")}
"""Where numbers of another size are allowed, and take seconds."""

SYSTEM = ("part", "about", "name", "time_unit", "force_unit", "units", "start")


def arguments_of(name, call):
    if name == "System":
        return SYSTEM
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [each.name for each in inspect.signature(call).parameters.values() if each.kind in kinds]


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=(pytest.mark.nightly,) if part else ()) for part in range(PARTS)]
)
def test_nothing_else_than_a_sentence_is_raised(part, tmp_path, monkeypatch):
    """Every argument of every public name, replaced in turn by things of the wrong kind; a part of the names each."""
    from matplotlib import pyplot

    monkeypatch.chdir(tmp_path)
    found, tried = [], 0
    for name, call, arguments in islice(right.calls(tmp_path), part, None, PARTS):
        for argument in arguments_of(name, call):
            if (name, argument) in SLOW:
                continue
            for label, value in wrong_values().items():
                tried += 1
                try:
                    call(**{**arguments, argument: value})
                except ss.StickslipError:
                    pass
                except Exception as error:
                    found.append(f"{name}({argument}={label}): {type(error).__name__}: {error}")
                pyplot.close("all")
    assert not found, "\n".join(found)
    assert tried > 10_000 / (2 * PARTS), "all parts together try more than ten thousand"


def test_every_public_name_is_tried(tmp_path):
    made_by_verbs = {
        "Attractor", "Basins", "Branch", "Equilibrium", "Explorer", "Field", "Lyapunov", "Orbit", "Plan", "ReturnMap",
        "Run", "SpecialPoint", "Status", "StickslipError", "Sweep", "DynamicLaw", "FrictionLaw", "ground",
        "plot.Animation", "identify.AgingFit", "identify.Breakaways", "identify.Classes", "identify.Comparison",
        "identify.Estimate", "identify.IdentifyError", "identify.LawFit", "identify.Reconstruction",
        "identify.RingDown", "identify.Table", "series.CorrelationDimension", "series.Embedding",
        "series.LargestExponent", "series.SeriesError", "series.Sound", "models.LIBRARY",
    }  # fmt: skip
    modules = {"": ss, "plot.": ss.plot, "identify.": ss.identify, "series.": ss.series, "observe.": ss.observe}
    modules["models."] = ss.models
    public = {f"{prefix}{name}" for prefix, module in modules.items() for name in module.__all__}
    public -= {"errors", "identify", "models", "observe", "plot", "series", "__version__"}
    tried = {name for name, _, _ in right.calls(tmp_path)}
    assert public - tried - made_by_verbs == set()
    assert made_by_verbs - public == set()
