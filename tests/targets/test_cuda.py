"""The CUDA target in numba's simulator: the same text, one trajectory per simulated thread."""

import os
import subprocess
import sys

import pytest

import stickslip as ss

PROGRAM = """
import sys
from dataclasses import replace
import numpy as np, stickslip as ss
from stickslip.sweeps import trajectories

def check(model, over, **settings):
    there = ss.sweep(model, over, target="cuda", rtol=1e-8, most=8, **settings)
    here = ss.sweep(model, over, rtol=1e-12, most=8, **settings)
    assert np.array_equal(there["status"], here["status"]) and np.array_equal(there["count"], here["count"])
    for name in model.states:
        error = np.abs(there[name].values - here[name].values)
        assert not np.any(error > 1e-7), (name, np.nanmax(error))
    return there

# The CPU's program is of the same module as that of the GPU, with several lanes.
assert ss.Field.of(ss.models.block_on_belt(), order=12).lanes.LANES > 1
check(ss.models.block_on_belt(), {"belt.speed": [0.1, 0.2, 0.3]}, times=(10, 15))
check(ss.models.forced_oscillator("III"), {"base.eta": [0.9, 1.5]}, periods=(1, 2))
check(ss.models.two_blocks(), {"belt.speed": [0.14]}, times=(3, 6))

for lockstep in (True, False):  # without rows, and with starts that are changed
    asked = dict(over={"belt.speed": [0.1, 0.2, 0.3]}, times=(0, 12), observe=None, start="stick")
    plans = [
        ss.plan_sweep(ss.models.block_on_belt(), target=target, rtol=rtol, **asked)
        for target, rtol in (("cuda", 1e-8), ("cpu", 1e-12))
    ]
    plans = [replace(plan, settings=replace(plan.settings, lockstep=lockstep)) for plan in plans]
    there, here = [plan.run(plan.chunks[0]) for plan in plans]
    for name in ("status", "start_state", "end_state", "maximum", "stick_fraction", "end_mode"):
        assert np.allclose(there[name], here[name], rtol=0, atol=1e-7), name
    assert np.array_equal(there["start_state"][:, 1], [0.1, 0.2, 0.3])

block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=1.0)
law, scatter = ss.Coulomb(0.4, 0.25), ss.Scatter(static=0.02, kinetic=0.02)
contact = ss.Contact(block, belt, law=law, normal=10.0, scatter=scatter)
check(ss.System(ss.Spring(block, ss.ground, k=1.0), contact), {"belt.speed": [1.0, 1.1]}, times=(5, 20), seed=7)

model = ss.models.block_on_belt()
starts = np.array([[1.1, 0.0], [0.5, 0.2]])
field = ss.Field.of(model, target="cuda", order=12)
ends, outcome = field.propagate(starts, 20.0, rtol=1e-8)
parameters = np.tile(field.parameters, (2, 1))
together, counted_together = field._in_lockstep(starts, parameters, (0.0, 20.0), 1e-8, 10**6)
known, counted = ss.Field.of(model, order=20).propagate(starts, 20.0, rtol=1e-12)
assert np.max(np.abs(ends - known)) < 1e-7 and np.array_equal(outcome, counted)
assert np.max(np.abs(together - known)) < 1e-7 and np.array_equal(counted_together, counted)

# Coefficients that single precision cannot hold: everything is done again in double precision, and none is left.
fast = ss.Mass("block", m=1.0), ss.Belt("belt", speed=1e4)
contact = ss.Contact(*fast, law=ss.Coulomb(0.4, 0.25), normal=1e10)
asked = dict(over={"belt.speed": [1e4, 2e4]}, times=(2e-4, 5e-4), observe=None, start="stick")
plans = [
    ss.plan_sweep(ss.System(ss.Spring(fast[0], ss.ground, k=1e10), contact), target=target, rtol=rtol, **asked)
    for target, rtol in (("cuda", 1e-8), ("cpu", 1e-12))
]
here = plans[1].run(plans[1].chunks[0])
trajectories._one_by_one = lambda *_: sys.exit("some are left")
there = plans[0].run(plans[0].chunks[0])
for name in ("end_state", "maximum", "stick_fraction"):
    assert np.allclose(there[name], here[name], rtol=1e-7, atol=0), name
print("agreed")
"""


def test_kernels_in_the_simulator() -> None:
    pytest.importorskip("numba.cuda")
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=300)
    assert done.stdout.strip() == "agreed", done.stderr[-2000:]


def test_without_a_gpu_it_says_so() -> None:
    cuda = pytest.importorskip("numba.cuda")
    if cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(RuntimeError, match="needs a CUDA GPU"):
        ss.sweep(ss.models.block_on_belt(), {"belt.speed": [0.2]}, times=(10, 10), target="cuda")


def test_there_is_no_such_target() -> None:
    with pytest.raises(ValueError, match="no target 'tpu' for sweeps"):
        ss.sweep(ss.models.block_on_belt(), {"belt.speed": [0.2]}, times=(10, 10), target="tpu")
