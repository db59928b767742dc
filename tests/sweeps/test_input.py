"""What is wrong with a sweep is said in one sentence."""

import numpy as np
import pytest

import stickslip as ss

SPEED = {"belt.speed": [0.1, 0.2]}
WRONG = [
    ({"over": {"belt.sped": [0.1]}}, "there is no parameter 'belt.sped' .did you mean 'belt.speed'"),
    ({"over": {}}, "over is empty"),
    ({"over": []}, "over is empty"),
    ({"over": {"belt.speed": []}}, "there are no values of 'belt.speed'"),
    ({"over": {"belt.speed": [0.1, np.nan]}}, "must be finite"),
    ({"over": {"belt.speed": ["fast"]}}, "must be numbers"),
    ({"over": {"belt.speed": [[0.1]]}}, "list of numbers"),
    ({"over": {"belt.speed": [0.1, 0.1]}}, "appears twice"),
    ({"over": 3}, "over is 3"),
    ({"over": {3: [0.1]}}, "there is no parameter '3'"),
    ({"over": {"speed": [0.1]}}, "did you mean 'belt.speed'"),
    ({"over": {"x.block": [0.1]}}, "is a state: to sweep where it starts, say 'start.x.block'"),
    ({"over": {"belt.speed": "0.1"}}, "they must be numbers"),
    ({"over": {"belt.speed": [True]}}, "they must be numbers"),
    ({"over": {"belt.speed": [10**400]}}, "values must be finite"),
    ({"over": [0.1, 0.2]}, "each of its points"),
    ({"over": [{"belt.speed": 0.1}, {"block.m": 1.0}]}, r"over\[1\] gives block.m"),
    ({"over": {"belt.speed": [0.1], "block.m": [1.0, 2.0]}, "zip": True}, "as many values"),
    ({"times": (10, 0)}, "the observed time is 0"),
    ({"times": (-1, 5)}, "the transient is -1"),
    ({"times": 5}, "give two numbers"),
    ({"times": None}, "no excitation: give times="),
    ({"times": None, "periods": (3, 3)}, "no excitation"),
    ({"periods": (3, 3)}, "either times= or periods="),
    ({"observe": "everything"}, "observe is 'everything'"),
    ({"observe": ss.observe.StickToSlip("contct")}, "no contact 'contct'"),
    ({"observe": ss.observe.Maxima("y")}, "no state 'y'"),
    ({"observe": ss.observe.Section("y")}, "no state or contact 'y'"),
    ({"observe": ss.observe.Strobe()}, "give the time between strobes"),
    ({"start": "anywhere"}, "start is 'anywhere'"),
    ({"start": {"y": 1.0}}, "there is no state 'y'"),
    ({"start": 3}, "the start is 3: give states by name"),
    ({"start": "random", "within": [1, 2]}, "within is .1, 2.: give a range by state"),
    ({"start": "random", "within": {"x.block": ("a", "b")}}, "must be a number"),
    ({"zip": "yes"}, "zip is 'yes': it must be True or False"),
    ({"target": ["cpu"]}, "there is no target .'cpu'."),
    ({"most_steps": 10**30}, "most_steps is 10+"),
    ({"progress": "yes"}, "progress is 'yes': it must be a function"),
    ({"checkpoint": 3}, "checkpoint is 3: give the name of a folder"),
    ({"checkpoint": ""}, "checkpoint is '': give the name of a folder"),
    ({"checkpoint": __file__}, "is a file: checkpoint needs a folder"),
    ({"seed": -4}, "seed is -4"),
    ({"start": "random", "within": {"y": (0, 1)}}, "no state 'y'"),
    ({"start": "random", "within": {"x.block": (1, 0)}}, "give .lowest, highest"),
    ({"start": "random", "seed": -1}, "seed is -1"),
    ({"within": {"x.block": (0, 1)}}, 'start="random"'),
    ({"carry": "left"}, "carry is 'left'"),
    ({"rtol": 1.0}, "rtol"),
    ({"tolerance": 0.0}, "tolerance is 0"),
    ({"most": 0}, "most is 0"),
    ({"chunk": 1.5}, "chunk is 1.5"),
    ({"threads": 0}, "threads is 0"),
    (
        {"over": {"belt.speed": np.linspace(0, 1, 10_000), "block.m": np.linspace(1, 2, 10_000)}},
        "give checkpoint=FOLDER",
    ),
]


@pytest.mark.parametrize("keywords, sentence", WRONG, ids=[sentence[:30] for _, sentence in WRONG])
def test_wrong_input(keywords, sentence):
    with pytest.raises(ss.errors.ModelError, match=sentence) as caught:
        ss.sweep(ss.models.block_on_belt(), **({"over": SPEED, "times": (5, 5)} | keywords))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("call", [ss.sweep, ss.basins, ss.lyapunov, ss.return_map])
def test_what_is_no_model(call):
    more = {"sweep": ({},), "basins": ({},)}.get(call.__name__, ())
    keywords = {"return_map": {}, "sweep": {"times": (5, 5)}}.get(call.__name__, {"t": 5})
    with pytest.raises(
        ss.errors.ModelError,
        match=r"'block_on_belt' is not a model, it is the name of one: write models.block_on_belt\(\)",
    ):
        call("block_on_belt", *more, **keywords)
    with pytest.raises(ss.errors.ModelError, match=r"is a function that makes a model: call it, block_on_belt\(\)"):
        call(ss.models.block_on_belt, *more, **keywords)


def test_wrong_exponents_and_maps():
    belt = ss.models.block_on_belt()
    with pytest.raises(ss.errors.ModelError, match="the start is 'stick': give states by name"):
        ss.lyapunov(belt, t=5, start="stick")
    with pytest.raises(ss.errors.ModelError, match="rtol is 10; it must lie between"):
        ss.lyapunov(belt, t=5, rtol=10)
    releases = ss.return_map(ss.models.forced_oscillator("II", eta=0.9))
    with pytest.raises(ss.errors.ModelError, match="the points of the map are 'a': they must be numbers"):
        releases("a")
    with pytest.raises(ss.errors.ModelError, match="within is 3: give a smaller and a larger number"):
        releases.cycles(within=3)


def test_wrong_things_to_draw():
    for picture in (ss.plot.bifurcation, ss.plot.parameter_map, ss.plot.poincare, ss.plot.basins, ss.plot.return_map):
        with pytest.raises(ValueError, match=r"needs|not a sweep"):
            picture(None)


def test_wrong_sections():
    with pytest.raises(ss.errors.SweepError, match="direction is 'left'"):
        ss.observe.Section("x.block", 0.0, "left")
    with pytest.raises(ss.errors.SweepError, match=r"direction is \['up'\]"):
        ss.observe.Section("x.block", 0.0, ["up"])
    with pytest.raises(ss.errors.ModelError, match="must be a positive number"):
        ss.observe.Strobe(every=0)
