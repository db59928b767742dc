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
    ({"over": [0.1, 0.2]}, "each of its points"),
    ({"over": [{"belt.speed": 0.1}, {"block.m": 1.0}]}, r"over\[1\] gives block.m"),
    ({"over": {"belt.speed": [0.1], "block.m": [1.0, 2.0]}, "zip": True}, "as many values"),
    ({"t": (10, 0)}, "the observed time is 0"),
    ({"t": (-1, 5)}, "the transient is -1"),
    ({"t": 5}, "give two numbers"),
    ({"t": None}, "no excitation: give t="),
    ({"t": None, "periods": (3, 3)}, "no excitation"),
    ({"periods": (3, 3)}, "either t or periods"),
    ({"observe": "everything"}, "observe is 'everything'"),
    ({"observe": ss.stick_to_slip.of("contct")}, "no contact 'contct'"),
    ({"observe": ss.maxima("y")}, "no state 'y'"),
    ({"observe": ss.section("y")}, "no state or contact 'y'"),
    ({"observe": ss.strobe}, "give the time between strobes"),
    ({"start": "anywhere"}, "start is 'anywhere'"),
    ({"start": {"y": 1.0}}, "there is no state 'y'"),
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
    ({"over": {"belt.speed": np.linspace(0, 1, 1000), "block.m": np.linspace(1, 2, 1000)}}, "make `most` smaller"),
]


@pytest.mark.parametrize("keywords, sentence", WRONG, ids=[sentence[:30] for _, sentence in WRONG])
def test_wrong_input(keywords, sentence):
    with pytest.raises(ss.ModelError, match=sentence) as caught:
        ss.sweep(ss.models.block_on_belt(), **({"over": SPEED, "t": (5, 5)} | keywords))
    assert "\n" not in str(caught.value)


def test_wrong_sections():
    with pytest.raises(ss.SweepError, match="direction is 'left'"):
        ss.section("x.block", 0.0, "left")
    with pytest.raises(ss.ModelError, match="must be a positive number"):
        ss.strobe.every(0)
