"""Several observations in one sweep; exponents and signatures at every point."""

import numpy as np
import pytest
import xarray as xr

import stickslip as ss
from stickslip.orbits.signature import Signature as Cycle

M = ss.models
FORCED = M.forced_oscillator("III")
OVER = {"base.eta": [0.9, 1.15, 1.5]}
PERIODS = (100, 40)


def test_each_of_several_is_as_it_is_alone() -> None:
    together = ss.sweep(
        FORCED,
        OVER,
        periods=PERIODS,
        observe=[ss.observe.StickToSlip(), ss.observe.Strobe(), ss.observe.Maxima("x.block")],
    )
    for name, what in (("stick_to_slip", ss.observe.StickToSlip()), ("maxima_x.block", ss.observe.Maxima("x.block"))):
        alone = ss.sweep(FORCED, OVER, periods=PERIODS, observe=what)
        part = together.observation(name)
        names = sorted(map(str, alone))
        assert names == sorted(map(str, part))
        xr.testing.assert_identical(part[names].drop_attrs(), alone[names].drop_attrs())
    assert together["strobe.x.block"].dims == ("base.eta", "strobe.record")
    assert together["strobe.count"].values.tolist() == [40, 40, 40]
    with pytest.raises(ss.errors.SweepError, match=r"no observation 'strob'.*did you mean 'strobe'"):
        together.observation("strob")


def test_names_of_your_own() -> None:
    up, down = ss.observe.Section("x.block", 2.0, "up"), ss.observe.Section("x.block", 2.0, "down")
    observe = {"down": down, "up": up, "growth": "largest_exponent"}
    data = ss.sweep(FORCED, OVER, periods=PERIODS, observe=observe)
    assert {"down.record_time", "up.x.block", "growth", "growth_error"} <= set(data)
    assert np.all(data["down.v.block"].values[:, :3] < 0) and np.all(data["up.v.block"].values[:, :3] > 0)
    np.testing.assert_allclose(data["up.x.block"].values[:, :3], 2.0, atol=1e-12)


def test_one_that_is_recorded_keeps_its_layout() -> None:
    data = ss.sweep(FORCED, OVER, periods=PERIODS, observe=["stick_to_slip", "largest_exponent", "signature"])
    assert data["x.block"].dims == ("base.eta", "record")
    assert data["signature"].values.tolist() == ["stick → slip-", "stick → slip- → stick → slip-", "stick → slip-"]


def test_observations_of_a_carried_motion() -> None:
    keywords = {"over": {"base.eta": [0.9, 1.0, 1.1]}, "carry": "down", "periods": (30, 20)}
    several = ss.sweep(
        FORCED, observe=[ss.observe.SlipToStick(), ss.observe.Strobe(), ss.observe.Signature()], **keywords
    )
    alone = ss.sweep(FORCED, observe=ss.observe.Strobe(), **keywords)
    np.testing.assert_array_equal(several["strobe.x.block"], alone["x.block"])
    np.testing.assert_array_equal(several["end_state"], alone["end_state"])


# -- exponents ---------------------------------------------------------------------------------------------------


def test_the_exponent_of_an_orbit_is_that_of_its_multiplier() -> None:
    """In blocks of whole periods the growth is the same, so the error vanishes, too."""
    data = ss.sweep(
        M.forced_oscillator("II"), {"base.eta": [0.9, 1.0]}, periods=PERIODS, observe=ss.observe.LargestExponent()
    )
    for eta in (0.9, 1.0):
        orbit = ss.find_orbit(M.forced_oscillator("II", eta=eta))
        expected = np.log(np.max(np.abs(orbit.multipliers))) / orbit.period
        point = data.sel({"base.eta": eta})
        assert orbit.turns == 1
        assert float(point["largest_exponent"]) == pytest.approx(expected, abs=1e-7)
        assert float(point["largest_exponent_error"]) < 1e-7


def test_exponents_of_cycles_are_those_of_their_orbits() -> None:
    """Long cycles as well, whose growth a window of a hundred periods tells to a few per cent."""
    model = M.forced_oscillator("III")
    over = {"base.eta": np.linspace(1.1, 1.35, 24)}
    data = ss.sweep(model, over, periods=(300, 100), observe=ss.observe.LargestExponent())
    travelled = ss.sweep(model, over, periods=(300, 100), observe=ss.observe.LargestExponent(), shortcut=False)
    periodic = np.flatnonzero((data["m"] > 0).values)
    assert len(periodic) >= 8 and data["m"].values[periodic].max() > 5
    for i in periodic:
        point, window = data.isel({"base.eta": i}), travelled.isel({"base.eta": i})
        orbit = ss.find_orbit(model.with_({"base.eta": float(point["base.eta"])}), point)
        expected = np.log(np.max(np.abs(orbit.multipliers))) / orbit.period
        close = 30 * float(point["largest_exponent_error"]) + 1e-8
        assert close < 2e-4 and float(point["largest_exponent"]) == pytest.approx(expected, abs=close)
        error = float(window["largest_exponent_error"])
        assert float(window["largest_exponent"]) == pytest.approx(expected, abs=5 * error + 1e-6)


def test_without_excitation_it_is_zero_along_the_motion() -> None:
    data = ss.sweep(
        M.block_on_belt(), {"belt.speed": [0.1, 0.2]}, times=(200, 5000), observe=ss.observe.LargestExponent()
    )
    assert np.abs(data["largest_exponent"].values) == pytest.approx(0, abs=1e-3)


def test_chaos_per_release() -> None:
    """hinrichs1998: 0.1597 per release at η = 1.915."""
    model = M.forced_oscillator("III", u0=1.0)
    data = ss.sweep(
        model, {"base.eta": [1.915]}, times=(500, 30_000), observe=ss.observe.LargestExponent(per="release")
    )
    error = float(data["largest_exponent_error"][0])
    assert error < 0.008
    assert float(data["largest_exponent"][0]) == pytest.approx(0.1597, abs=4 * error)
    alone = ss.lyapunov(model.with_({"base.eta": 1.915}), t=30_000, transient=500, rtol=1e-9, per="release")
    close = 3 * (error + alone.per_cycle_error[0])
    assert float(data["largest_exponent"][0]) == pytest.approx(alone.per_cycle[0], abs=close)


def test_a_point_that_stops_has_no_exponent() -> None:
    data = ss.sweep(
        M.block_on_belt(), {"block.m": [-1.0, 1.0]}, times=(20, 50), observe=["largest_exponent", "signature"]
    )
    assert np.isnan(data["largest_exponent"][0]) and np.isfinite(data["largest_exponent"][1])
    assert data["signature"].values.tolist() == ["", "stick → slip-"]


# -- signatures --------------------------------------------------------------------------------------------------


def test_the_signature_is_that_of_the_orbit() -> None:
    model, speed = M.two_blocks(), 0.2
    data = ss.sweep(model, {"belt.speed": [speed]}, times=(800, 500), observe=ss.observe.Signature()).isel(
        {"belt.speed": 0}
    )
    start = dict(zip(model.states, data["end_state"].values.tolist(), strict=True))
    orbit = ss.find_orbit(model.with_({"belt.speed": speed}), start)
    phases = str(data["signature"].values).split(" → ")
    begun = [str(orbit.signature.rotated(i)).split(" → ") for i in range(len(orbit.signature))]
    assert phases in begun


def test_motions_that_never_change_their_mode() -> None:
    block = ss.Mass("block", m=1.0, x=0.1)
    model = ss.System(ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, ss.ground, law=ss.Coulomb(0.5), normal=1.0))
    data = ss.sweep(model, {"contact.normal": [1.0, 2.0]}, times=(10, 20), observe=ss.observe.Signature())
    assert data["signature"].values.tolist() == ["stick", "stick"]
    start = {"x.twist": 0.1, "v.twist": 0.0}
    drill = ss.sweep(
        M.drill_string(), {"table.speed": [4.0]}, times=(400, 50), start=start, observe=ss.observe.Signature()
    )
    assert drill["signature"].values.tolist() == ["slip-"]


def by_hand(model: ss.System, end: float, period: float) -> list[tuple[int, ...]]:
    """The modes in the last period of a run, from its table of events, begun where they read smallest."""
    run = ss.simulate(model, t=end)
    modes = [0] * len(model.contacts)
    cycle, last = [], float(run["event_time"].values[-1])
    names = list(model.contacts)
    events = run.to_dataframe("event")
    for time, together in events.groupby("time"):
        for _, event in together.iterrows():
            modes[names.index(event["contact"])] = int(event["after"])
        if time > last - period * (1 - 1e-6):
            cycle.append(tuple(modes))
    turns = [cycle[i:] + cycle[:i] for i in range(len(cycle))]
    return min(turns, key=lambda turn: [abs(mode) * 2 + (mode < 0) for phase in turn for mode in phase])


@pytest.mark.parametrize(
    ("model", "name", "values", "asked", "some"),
    [
        (FORCED, "base.eta", np.linspace(0.6, 2.6, 260), {"periods": (100, 40)}, (20, 70, 120, 131, 190)),
        (FORCED, "base.eta", np.linspace(0.5, 2.0, 2000)[:260], {"periods": (300, 100)}, (*range(8, 260, 25),)),
        (M.two_blocks(), "belt.speed", np.linspace(0.06, 0.2, 260), {"times": (600.0, 300.0)}, (*range(5, 260, 30),)),
    ],
    ids=["forced", "slowly", "two blocks"],
)
def test_signatures_of_many_are_those_of_runs(model, name, values, asked, some) -> None:
    """In lockstep and one by one, and from the events of runs at some points."""
    data = ss.sweep(model, {name: values}, observe=ss.observe.Signature(), **asked)
    alone = ss.sweep(model, {name: values[:100]}, observe=ss.observe.Signature(), **asked)
    regular = alone["m"].values > 0
    assert data["signature"].values[:100][regular].tolist() == alone["signature"].values[regular].tolist()
    assert ((data["signature"].values != "") == (data["m"].values > 0)).all()
    seen = 0
    for i in some:
        point = data.isel({name: i})
        if point["m"] > 0:
            cycle = by_hand(model.with_({name: float(values[i])}), float(point["time"]), float(point["period"]))
            assert str(point["signature"].values) == str(Cycle(tuple(model.contacts), tuple(cycle), ()))
            seen += 1
    assert seen >= 2


def test_chaos_has_no_signature() -> None:
    data = ss.sweep(M.forced_oscillator("III", u0=1.0), {"base.eta": [1.915]}, observe=ss.observe.Signature())
    assert data["signature"].values.tolist() == [""]


def test_signatures_are_saved_and_loaded(tmp_path) -> None:
    data = ss.sweep(M.block_on_belt(), {"belt.speed": [0.1, 0.2]}, times=(50, 100), observe=["strobe", "signature"][1:])
    again = ss.load(ss.save(data, tmp_path / "sweep.nc"))
    assert again.equals(data) and (again["signature"] == "stick → slip-").all()


# -- input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("observe", "words"),
    [
        ([ss.observe.Strobe(), "strobe"], "two observations have the name 'strobe': name them yourself"),
        (["stick_to_slp", "strobe"], "observe is 'stick_to_slp' .did you mean 'stick_to_slip'"),
        ([], None),
        ({"n": ss.observe.Strobe()}, "'n' cannot be the name of an observation"),
        ({"two words": ss.observe.Strobe()}, "'two words' cannot be the name"),
        ({3: ss.observe.Strobe()}, "3 cannot be the name"),
        (3.5, "observe is 3.5: it must be"),
    ],
)
def test_wrong_observations(observe: object, words: str | None) -> None:
    if words is None:
        assert "record" not in ss.sweep(FORCED, OVER, periods=(2, 2), observe=observe).dims
        return
    with pytest.raises(ss.errors.SweepError, match=words):
        ss.sweep(FORCED, OVER, periods=(2, 2), observe=observe)


def test_what_a_model_does_not_have() -> None:
    free = ss.System(ss.Spring(ss.Mass("mass", m=1.0, x=1.0), ss.ground, k=1.0))
    with pytest.raises(ss.errors.SweepError, match="no signature"):
        ss.sweep(free, {"mass.m": [1.0]}, times=(1, 1), observe=ss.observe.Signature())
    with pytest.raises(ss.errors.SweepError, match="no excitation: ask for the exponent per time"):
        ss.sweep(free, {"mass.m": [1.0]}, times=(1, 1), observe=ss.observe.LargestExponent(per="forcing"))
    with pytest.raises(ss.errors.SweepError, match="must be one of time, forcing, release"):
        ss.observe.LargestExponent(per="year")
    with pytest.raises(ss.errors.SweepError, match="computed on the CPU alone"):
        ss.sweep(FORCED, OVER, observe=ss.observe.LargestExponent(), target="python")


# -- targets -----------------------------------------------------------------------------------------------------

EVERY_KIND = [
    None, "stick_to_slip", "slip_to_stick", ss.observe.Strobe(every=0.7), ss.observe.Section("contact3", 0.05, "both"),
    ss.observe.Section("v.block1", 0.1, "up"), ss.observe.Maxima("x.block2"),
]  # fmt: skip


@pytest.mark.parametrize("target", ["python", "checked"])
def test_targets_observe_the_same(target: str) -> None:
    """In plain Python but for rounding; with every index checked to the last bit."""
    keywords = {"over": {"belt.speed": [0.3, 0.5]}, "start": "stick", "times": (3.0, 4.0), "most": 4}
    model = M.chain(3)
    for observe in EVERY_KIND:
        known = ss.sweep(model, observe=observe, **keywords)
        found = ss.sweep(model, observe=observe, target=target, **keywords)
        assert set(found) == set(known)
        for name in known:
            if target == "checked" or known[name].dtype.kind != "f":
                np.testing.assert_array_equal(found[name], known[name])
            else:
                np.testing.assert_allclose(found[name], known[name], rtol=0, atol=1e-12)


@pytest.mark.parametrize("count", [40, 300], ids=["one by one", "in lockstep"])
@pytest.mark.parametrize("seed", range(3))
def test_several_observations_are_what_each_would_be_alone(count: int, seed: int) -> None:
    """What is recorded to the last bit; what sums up the motion is told once for all."""
    random = np.random.default_rng(seed)
    observe = ss.observe
    every = [
        observe.StickToSlip(),
        observe.SlipToStick(),
        observe.Strobe(),
        observe.Strobe(every=float(random.uniform(1, 9))),
        observe.Section("x.block", float(random.uniform(-0.2, 0.4))),
        observe.Maxima("x.block"),
    ]
    chosen = {f"o{i}": every[i] for i in random.permutation(6)[:4]}
    model, asked = ss.models.forced_oscillator("III"), {"periods": (40, 25), "most": 60}
    over = {"base.eta": np.sort(random.uniform(0.4, 2.6, count))}
    together = ss.sweep(model, over, observe=chosen, **asked)
    for name, what in chosen.items():
        alone, own = ss.sweep(model, over, observe=what, **asked), together.observation(name)
        assert set(alone.data_vars) == set(own.data_vars)
        recorded = [each for each in alone.data_vars if f"{name}.{each}" in together]
        assert {"x.block", "v.block", "record_time", "count"} <= set(recorded)
        for each in [*recorded, "status", "n", "m", "events"]:
            np.testing.assert_array_equal(alone[each].values, own[each].values, err_msg=f"{name} {each}")
