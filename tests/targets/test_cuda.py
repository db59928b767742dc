"""The CUDA target: its kernels in an emulation on this processor, and its PTX through NVIDIA's assembler."""

from __future__ import annotations

import functools
import importlib
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.targets import emulation
from tests.targets.emulation import emulate
from tests.targets.test_lockstep import on_belt

import stickslip as ss
from stickslip import field as fields
from stickslip.artifacts import artifact
from stickslip.field import Field, lane_program
from stickslip.sweeps import trajectories
from stickslip.targets import cpu, cuda, device, ptx
from stickslip.targets.generated import LANES, OBSERVE

IN_LOCKSTEP = ("crew.travel_kernel", "crew.watch_kernel")
BOARDING = ("boarding.start_kernel", "boarding.course_kernel", "boarding.end_kernel")
OBSERVING = ("boarding.course_kernel", *IN_LOCKSTEP)
ALONE = ("alone.propagate_kernel", "alone.observe_kernel")
KERNELS = (*ALONE, *BOARDING, *IN_LOCKSTEP)


@pytest.fixture(params=[1, 4], ids=["alone", "in warps"])
def emulated(request: Any, monkeypatch: pytest.MonkeyPatch) -> emulation.Emulation:
    """The target "cuda" on this processor."""
    return emulate(monkeypatch, request.param)


def none_left(*_: Any) -> None:
    pytest.fail("lockstep has left some trajectories to the march")


def check(model: ss.System, over: dict[str, Any], **settings: Any) -> None:
    """A sweep on the GPU is that of the CPU with a tighter tolerance."""
    there = ss.sweep(model, over, target="cuda", rtol=1e-8, most=8, **settings)
    here = ss.sweep(model, over, rtol=1e-12, most=8, **settings)
    assert np.array_equal(there["status"], here["status"]) and np.array_equal(there["count"], here["count"])
    for name in model.states:
        assert not np.any(np.abs(there[name].values - here[name].values) > 1e-7)
    assert np.max(np.abs(there["end_state"].values - here["end_state"].values)) < 1e-6


def random_friction() -> ss.System:
    """A block whose friction is drawn anew for every phase, by a law with a memory."""
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=1.0)
    law, scatter = ss.Coulomb(0.4, 0.25).with_aging(0.1, 1.2), ss.Scatter(static=0.02, kinetic=0.02)
    return ss.System(ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, belt, law=law, normal=10.0, scatter=scatter))


@pytest.mark.usefixtures("emulated")
@pytest.mark.parametrize(
    ("model", "over", "settings"),
    [
        pytest.param(
            ss.models.block_on_belt, {"belt.speed": [0.1, 0.2, 0.3]}, {"times": (10, 15)}, id="block on belt"
        ),
        pytest.param(
            lambda: ss.models.forced_oscillator("III"), {"base.eta": [0.9, 1.5]}, {"periods": (1, 2)},
            id="forced oscillator",
        ),
        pytest.param(
            ss.models.two_blocks, {"belt.speed": [0.1, 0.14]}, {"times": (3, 20)}, id="two blocks",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            lambda: on_belt(ss.Stribeck(1.0, 0.6, 0.3)), {"belt.speed": [0.1, 0.14]}, {"times": (3, 20)},
            id="Stribeck", marks=pytest.mark.nightly,
        ),
        pytest.param(
            lambda: on_belt(ss.Tabulated([0, 0.2, 0.5], [0.9, 0.7, 0.6])), {"belt.speed": [0.1, 0.14]},
            {"times": (3, 20)}, id="table", marks=pytest.mark.nightly,
        ),
        pytest.param(
            lambda: ss.models.chain(3), {"belt.speed": [0.1, 0.14]}, {"times": (3, 10)}, id="three contacts",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            random_friction, {"belt.speed": [1.0, 1.1]}, {"times": (5, 20), "seed": 7}, id="chance",
            marks=pytest.mark.nightly,
        ),
    ],
)  # fmt: skip
def test_lockstep(
    model: Callable[[], ss.System], over: dict[str, Any], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The CPU's program is of the same module as that of the GPU, with several lanes.
    assert cpu.library_of(artifact(model(), "lanes", 12), LANES).machine.LANES > 1
    monkeypatch.setattr(trajectories, "_one_by_one", one_by_one_on("cpu"))
    check(model(), over, **settings)


@pytest.mark.parametrize("observe", [ss.observe.Section("x.block", 3.0, "both"), ss.observe.Maxima("v.block")], ids=str)
def test_sections_in_lockstep(observe: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    core = emulate(monkeypatch, 4)
    monkeypatch.setattr(trajectories, "_one_by_one", one_by_one_on("cpu"))
    forced = ss.models.forced_oscillator("III")
    check(forced, {"base.eta": [0.9, 1.5, 2.2]}, periods=(3, 3), observe=observe)
    assert set(core.launched) - {"gather_kernel"} == {name.partition(".")[2] for name in OBSERVING}


@pytest.mark.nightly
def test_several_observations_share_their_transients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of one kind of tick: each is what it would be alone, to the last bit."""
    core = emulate(monkeypatch, 4)
    watched = [ss.observe.StickToSlip(), ss.observe.Strobe(), ss.observe.Section("x.block", 3.0, "both")]
    asked: dict[str, Any] = {"over": {"base.eta": [0.9, 1.5]}, "periods": (3, 3), "target": "cuda", "most": 8}
    together = ss.sweep(ss.models.forced_oscillator("III"), observe=watched, **asked)
    assert core.launched.count("travel_kernel") == 2 * cuda.PARTS
    for name, each in zip(("stick_to_slip", "strobe", "section_x.block"), watched, strict=True):
        alone = ss.sweep(ss.models.forced_oscillator("III"), observe=each, **asked)
        for value in ("count", "record_time", "x.block", "v.block"):
            np.testing.assert_array_equal(together[f"{name}.{value}"].values, alone[value].values, f"{name}.{value}")
        np.testing.assert_array_equal(together["end_state"].values, alone["end_state"].values)


def one_by_one_on(target: str) -> Callable[..., Any]:
    """The march, for the other target alone: on this one lockstep must leave none."""
    plain = trajectories._one_by_one
    return lambda field, *rest: plain(field, *rest) if field.target == target else none_left()


def chain(masses: int) -> ss.System:
    """Masses tied to each other, the first two of them on a belt."""
    blocks = [ss.Mass(f"m{i}", m=1.0 + 0.1 * i, x=0.2 * i) for i in range(masses)]
    springs = [ss.Spring(one, other, k=1.0) for one, other in zip([ss.ground, *blocks], blocks, strict=False)]
    belt = ss.Belt("belt", speed=0.2)
    contacts = [ss.Contact(block, belt, law=ss.Coulomb(0.4, 0.25), normal=1.0) for block in blocks[:2]]
    return ss.System(*springs, *contacts)


@pytest.mark.nightly
def test_lanes_that_are_large_take_half_of_the_threads_or_are_left_to_the_march(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    core = emulate(monkeypatch, 1)
    for masses, lanes, kernels in ((2, 64, OBSERVING), (4, 32, OBSERVING), (9, 0, ALONE[1:])):
        model = chain(masses)
        assert cuda.lanes_that_fit(lane_program(model, 12).kernels.lane.Lane) == lanes
        core.launched.clear()
        check(model, {"belt.speed": [0.2, 0.25]}, times=(5, 15))
        assert set(core.launched) - {"gather_kernel"} == {name.partition(".")[2] for name in kernels}


@pytest.mark.usefixtures("emulated")
@pytest.mark.parametrize("lockstep", [True, False])
def test_without_rows_and_with_starts_that_are_changed(lockstep: bool) -> None:
    asked: dict[str, Any] = {"over": {"belt.speed": [0.1, 0.2, 0.3]}, "times": (0, 12), "observe": None}
    model = ss.models.block_on_belt()
    plans = [
        ss.plan_sweep(model, target=target, rtol=rtol, start="stick", **asked)
        for target, rtol in (("cuda", 1e-8), ("cpu", 1e-12))
    ]
    there, here = [
        plan.run(plan.chunks[0])
        for plan in (replace(plan, settings=replace(plan.settings, lockstep=lockstep)) for plan in plans)
    ]
    for name in ("status", "start_state", "end_state", "maximum", "stick_fraction", "end_mode"):
        assert np.allclose(there[name], here[name], rtol=0, atol=1e-7), name
    assert np.array_equal(there["start_state"][:, 1], [0.1, 0.2, 0.3])


@pytest.mark.usefixtures("emulated")
def test_signatures_come_from_there_as_well() -> None:
    over = {"belt.speed": [0.1, 0.2, 0.3]}
    asked: dict[str, Any] = {"times": (20, 60), "observe": [ss.observe.StickToSlip(), ss.observe.Signature()]}
    there, here = (ss.sweep(ss.models.block_on_belt(), over, target=target, **asked) for target in ("cuda", "cpu"))
    assert there["signature"].values.tolist() == here["signature"].values.tolist() == ["stick → slip-"] * 3


@pytest.mark.usefixtures("emulated")
def test_propagation() -> None:
    model = ss.models.block_on_belt()
    starts = np.array([[1.1, 0.0], [0.5, 0.2]])
    there = Field.of(model, target="cuda", order=12)
    ends, outcome = there.propagate(starts, 20.0, rtol=1e-8)
    parameters = np.tile(there.parameters, (2, 1))
    together, counted_together = there._in_lockstep(starts, parameters, (0.0, 20.0), 1e-8, 10**6)
    known, counted = Field.of(model, order=20).propagate(starts, 20.0, rtol=1e-12)
    assert np.max(np.abs(ends - known)) < 1e-7 and np.array_equal(outcome, counted)
    assert np.max(np.abs(together - known)) < 1e-7 and np.array_equal(counted_together, counted)


def test_every_point_is_taken_once_and_has_the_same_bits_in_any_company(monkeypatch: pytest.MonkeyPatch) -> None:
    """More points than threads, that end at different times: each thread takes the next."""
    model, rng, count = ss.models.block_on_belt(), np.random.default_rng(1), 100
    starts = np.column_stack([rng.uniform(-2, 2, count), rng.uniform(-1, 1, count)])
    parameters = np.tile(Field.of(model, order=20).parameters, (count, 1))
    found = []
    for size in (1, 4, 8):
        core = emulate(monkeypatch, size)
        there = Field.of(model, target="cuda", order=12)
        found.append(there._in_lockstep(starts, parameters, (0.0, 15.0), 1e-8, 10**6))
        assert core.launched == [
            "start_kernel",
            "travel_kernel",
            "end_kernel",
        ]  # once, and nothing was left to the march
    known, counted = Field.of(model, order=20)._one_by_one(starts, parameters, (0.0, 15.0), 1e-12, 10**6)
    for ends, outcome in found:
        assert np.array_equal(ends, found[0][0]) and np.array_equal(outcome, counted)
    assert np.max(np.abs(found[0][0] - known)) < 1e-6


def test_numbers_beyond_single_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coefficients that single precision cannot hold: all is done again in double precision, and none is left."""
    core = emulate(monkeypatch, 1)
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=1e4)
    contact = ss.Contact(block, belt, law=ss.Coulomb(0.4, 0.25), normal=1e10)
    system = ss.System(ss.Spring(block, ss.ground, k=1e10), contact)
    asked: dict[str, Any] = {"over": {"belt.speed": [1e4, 2e4]}, "times": (2e-4, 5e-4), "observe": None}
    plans = [
        ss.plan_sweep(system, target=target, rtol=rtol, start="stick", **asked)
        for target, rtol in (("cuda", 1e-8), ("cpu", 1e-12))
    ]
    here = plans[1].run(plans[1].chunks[0])
    monkeypatch.setattr(trajectories, "_one_by_one", none_left)
    there = plans[0].run(plans[0].chunks[0])
    for name in ("end_state", "maximum", "stick_fraction"):
        assert np.allclose(there[name], here[name], rtol=1e-7, atol=0), name
    assert core.launched == 2 * (["course_kernel"] + cuda.PARTS * ["travel_kernel"] + cuda.PARTS * ["watch_kernel"])


def test_kernels_are_assembled_once_and_again_where_a_file_is_damaged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STICKSLIP_CACHE", str(tmp_path))
    made: list[str] = []
    plain = cuda.Kernels.code
    monkeypatch.setattr(cuda.Kernels, "code", lambda self, *kernel: made.append(kernel[0]) or plain(self, *kernel))
    for damaged, known in ((False, 1), (False, 1), (True, 2)):
        if damaged:
            (file,) = tmp_path.glob("model_*.cubin")
            file.write_bytes(file.read_bytes().replace(b"ELF", b"FLE"))
        emulate(monkeypatch, 1)
        there = Field.of(ss.models.block_on_belt(), target="cuda", order=8)
        for _ in range(2):
            there.propagate(np.array([[1.1, 0.0]]), 1.0)
        assert made == known * ["alone.propagate_kernel"]


# -- PTX ---------------------------------------------------------------------------------------------------------


def kernels(capability: int, model: ss.System, chosen: tuple[str, ...] = KERNELS) -> dict[str, bytes]:
    """PTX of kernels of a model."""
    architecture = ptx.Nvidia(capability)
    target = SimpleNamespace(program=lambda generated, _: cuda.Kernels(generated, architecture))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(fields.TARGETS, "cuda", target)  # type: ignore[arg-type]
        lanes = lane_program(model, 12, "cuda")
        march = Field.of(model, target="cuda", order=12, kernels=OBSERVE).program
        found = {name: march.code(name) for name in ALONE if name in chosen}
        return found | ({name: lanes.code(name, 5) for name in chosen if name not in ALONE} if lanes else {})


@functools.cache
def of_the_block(capability: int, chosen: tuple[str, ...]) -> dict[str, bytes]:
    """That of the block on a belt, which takes seconds."""
    return kernels(capability, ss.models.block_on_belt(), chosen)


def assembled(code: bytes, capability: int) -> bytes:
    """Machine code, by nvJitLink, which needs no GPU: what is wrong in PTX is an error of it."""
    core = importlib.import_module("cuda.core")
    assert str(core.Linker.which_backend()) == "nvJitLink"
    options = core.LinkerOptions(arch=f"sm_{capability}")
    return bytes(core.Linker(core.ObjectCode.from_ptx(code), options=options).link("cubin").code)


@pytest.mark.parametrize(
    "capability", [90, *(pytest.param(other, marks=pytest.mark.nightly) for other in (75, 80, 89))]
)
def test_ptx_is_what_the_assembler_takes(capability: int) -> None:
    """All kernels for the first architecture and the last; between them nothing changes but the name of the target."""
    chosen = KERNELS if capability in (75, 90) else (ALONE[0], IN_LOCKSTEP[-1])
    found = of_the_block(capability, chosen)
    assert found.keys() == set(chosen)
    for name, code in found.items():
        text = code.decode()
        assert f".target sm_{capability}" in text and f".entry {name.partition('.')[2]}(" in text
        assert ".extern" not in text  # nothing that a library would have to bring
        assert assembled(code, capability).startswith(b"\x7fELF")


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(ss.models.lugre_block, id="LuGre", marks=pytest.mark.nightly),
        pytest.param(ss.models.aging_block, id="aging", marks=pytest.mark.nightly),
        pytest.param(ss.models.two_blocks, id="two blocks", marks=pytest.mark.nightly),
        pytest.param(ss.models.iwan, id="Iwan", marks=pytest.mark.nightly),
        pytest.param(lambda: chain(4), id="chain", marks=pytest.mark.nightly),
    ],
)
def test_ptx_of_models(model: Callable[[], ss.System]) -> None:
    for code in kernels(90, model()).values():
        assert assembled(code, 90).startswith(b"\x7fELF")


@pytest.mark.nightly
def test_ptx_of_a_memory() -> None:
    """The two largest kernels of the models above, for one of them; all of them take long."""
    for code in kernels(90, ss.models.aging_block(), (ALONE[1], IN_LOCKSTEP[1])).values():
        assert assembled(code, 90).startswith(b"\x7fELF")


def test_the_tick_is_as_quick_as_it_can_be() -> None:
    """Rows in shared memory, at known places; high orders in single precision; numbers among constants; no calls."""
    codes = of_the_block(90, KERNELS)
    for name in IN_LOCKSTEP:
        text = codes[name].decode()
        assert ".maxnreg 168" in text and ".maxntid 64" in text
        assert len(re.findall(r"ld\.shared\.[bf]64", text)) > 40 and len(re.findall(r"st\.shared\.[bf]64", text)) > 30
        assert len(re.findall(r"fma\.rn\.f32", text)) > 100 and "ld.const.b64" in text
        assert "vote.sync.ballot" in text and "atom." in text and "shfl.sync" in text


def test_a_gpu_that_is_too_old_is_told() -> None:
    with pytest.raises(RuntimeError, match=r"compute capability 6\.1: target='cuda' needs 7\.5 or later"):
        ptx.Nvidia(61)
    assert ptx.Nvidia(95).name == "sm_90"  # code of an earlier one runs on it


# -- cuda.core ---------------------------------------------------------------------------------------------------

USED = [
    "Device.set_current", "Device.create_stream", "Device.allocate", "Device.__new__", "Stream.wait", "Stream.sync",
    "Buffer.from_handle", "Buffer.copy_to", "Buffer.copy_from", "ObjectCode.from_ptx", "ObjectCode.from_cubin",
    "ObjectCode.get_kernel", "Linker.link", "Linker.which_backend", "launch",
]  # fmt: skip


@pytest.mark.parametrize("name", USED)
def test_the_emulation_has_the_signatures_of_cuda_core(name: str) -> None:
    core: Any = importlib.import_module("cuda.core")
    fake: Any = SimpleNamespace(**vars(emulation), launch=emulation.Emulation(1).launch)
    for part in name.split("."):
        core, fake = getattr(core, part), getattr(fake, part)
    there, here = ([(p.name, p.kind, p.default) for p in signature(one).parameters.values()] for one in (core, fake))
    assert here == there


def test_the_emulation_has_the_numbers_of_cuda_core() -> None:
    core: Any = importlib.import_module("cuda.core")
    for name in ("name", "arch", "compute_capability", "properties"):
        assert hasattr(core.Device, name) and hasattr(emulation.Device, name)
    config = core.LaunchConfig(grid=3, block=64)
    fake = emulation.LaunchConfig(grid=3, block=64)
    assert (config.grid, config.block) == (fake.grid, fake.block)
    assert core.LinkerOptions(arch="sm_90").arch == emulation.LinkerOptions(arch="sm_90").arch


def test_without_a_gpu_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: Any) -> None:
        raise ImportError("no driver")

    device.device.cache_clear()
    core: Any = importlib.import_module("cuda.core")
    monkeypatch.setattr(core, "Device", missing)
    with pytest.raises(RuntimeError, match=r"needs a CUDA GPU with its driver; .* \(no driver\)"):
        ss.sweep(ss.models.block_on_belt(), {"belt.speed": [0.2]}, times=(10, 10), target="cuda")
    monkeypatch.setitem(sys.modules, "cuda.core", None)
    with pytest.raises(RuntimeError, match=r"pip install 'stickslip\[gpu\]'"):
        ss.sweep(ss.models.block_on_belt(), {"belt.speed": [0.2]}, times=(10, 10), target="cuda")


@pytest.mark.parametrize(
    ("kind", "call", "sentence"),
    [
        (emulation.Device, "allocate", r"no room for 0\.0 MB more \(out of memory\): give a smaller chunk"),
        (emulation.Stream, "sync", r"the GPU has failed \(out of memory\): use target='cpu'"),
    ],
)
def test_a_gpu_that_fails_says_so(kind: type, call: str, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ValueError("out of memory. And more")

    emulate(monkeypatch, 1)
    there = Field.of(ss.models.block_on_belt(), target="cuda", order=8)
    monkeypatch.setattr(kind, call, fail)
    with pytest.raises(RuntimeError, match=sentence):
        there.propagate(np.array([[1.1, 0.0]]), 1.0)


def test_there_is_no_such_target() -> None:
    with pytest.raises(ValueError, match="no target 'tpu' for sweeps"):
        ss.sweep(ss.models.block_on_belt(), {"belt.speed": [0.2]}, times=(10, 10), target="tpu")
