"""Kernel files that are joined into one module mean one thing by one name."""

import numpy as np
import pytest

import stickslip as ss
from stickslip.errors import CompileError
from stickslip.methods import switch, timestepping
from stickslip.targets import join

SETS = [join.EXACT, join.TANGENT, join.NEIGHBOURS, join.OBSERVE, join.LANES, join.FIXED]
SETS += [switch.KERNELS, timestepping.KERNELS]


@pytest.mark.parametrize("kernels", SETS, ids=lambda kernels: kernels.name)
def test_no_name_means_two_things(kernels: join.KernelSet) -> None:
    join.check_names(kernels)
    assert len(join.names_of(kernels.files[-1])) > 1


def test_a_name_that_means_two_things_is_refused() -> None:
    with pytest.raises(CompileError, match=r"begin is defined in kernels/march.py and in kernels/timestepping.py"):
        join.check_names(join.KernelSet("both", ("march", "timestepping"), ()))


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_what_rises_late_from_rest_is_swept_as_it_is_simulated(rank: int) -> None:
    """A chain pulled at one end: the first terms of the series of the others are zero, of ever more of them."""
    masses = [ss.Mass(f"m{i}", m=1.0) for i in range(rank + 1)]
    springs = [ss.Spring(masses[i], masses[i + 1], k=1.0 + i, name=f"s{i}") for i in range(rank)]
    contact = ss.Contact(masses[0], ss.Belt("belt", speed=0.2), law=ss.Coulomb(0.4, 0.3))
    model = ss.System(*springs, contact)
    data = ss.sweep(model, {"m0.m": [1.0]}, times=(1.0, 2.0), observe=None, rtol=1e-12)
    run = ss.simulate(model, t=3.0)
    assert data["status"].values.tolist() == [ss.Status.FINISHED.code]
    ends = [float(run[name][-1]) for name in model.states]
    np.testing.assert_allclose(data["end_state"].values[0], ends, rtol=1e-10, atol=1e-13)
