"""Static friction that grows in stick: Figure 6. a = 0.1, b = 10, β = 2 (Sec. 6)."""

from __future__ import annotations

import stickslip as ss
from stickslip.papers.found import PARAMETER, Found, Value, parameters
from stickslip.plot.style import INK


def fig6(quick: bool) -> Found:
    """Figure 6: periodic solutions with time-dependent static friction, Eq. (18), beside the cycle without.

    The one that attracts has two releases in a period. The one with a single release, to which shooting leads as well,
    is reached by following it from β = 1.05 on, and lies beyond a flip.
    """
    attracting = ss.find_orbit(ss.models.aging_block())
    branch = ss.follow(ss.find_orbit(ss.models.aging_block(beta=1.05)), "contact.beta", to=2.0)
    single = branch.points[-1]
    assert isinstance(single, ss.Orbit)  # no equilibrium
    classical = ss.find_orbit(ss.models.block_on_belt())
    method = ss.Switch(eta=1e-6, rtol=1e-8, forgetting=10.0)
    switch = ss.find_orbit(single.model, (single.start, 14.4), method=method)
    (ax,) = ss.plot.panels(width=6.6, height=4.4)
    ss.plot.phase(ss.simulate(attracting.model, t=1.001 * attracting.period, start=attracting.start), ax=ax)
    for orbit, label, line in ((single, "one release, unstable", "--"), (classical, "$F_\\mathrm{stick} = F_s$", ":")):
        ax.plot(orbit.data["x.block"], orbit.data["v.block"], line, color=INK, linewidth=1, label=label)
    ax.set_title("Static friction that grows in stick", loc="left")
    ax.set_ylim(top=1.3)
    ax.legend(frameon=False, fontsize=8.5, loc="upper right")
    (flip,) = branch.of_kind("flip")
    values = [
        Value("shift of the phase portrait", _shift(single, classical)),
        Value("transition from stick to slip", _transition(single)),
        Value("period", single.period, 1e-9, {"releases": 1}),
        Value("largest multiplier in size", float(single.multipliers[0].real), 1e-8, {"releases": 1}),
        Value("period", attracting.period, 1e-9, {"releases": 2}),
        Value("largest multiplier but one in size", float(attracting.nontrivial[0].real), 1e-8, {"releases": 2}),
        Value("β of the flip at which the single release loses stability", flip.value, 1e-8),
        Value("period", switch.period, 2e-3, {"releases": 1, "method": "switch model, η = 1e-6"}),
        *parameters(attracting.model, {"a": "contact.a", "β": "contact.beta"}),
        Value(f"{PARAMETER}b", method.forgetting, at={"method": "switch model"}),
    ]
    return Found(ax, values, attracting.data)


def _shift(orbit: ss.Orbit, other: ss.Orbit) -> str:
    """Where the release and the largest displacement have moved."""
    further = orbit.start["x.block"] > other.start["x.block"], orbit.data["x.block"].max() > other.data["x.block"].max()
    return "to the right" if all(further) else "not to the right"


def _transition(orbit: ss.Orbit) -> str:
    """Smooth where the block leaves the belt without acceleration, which is the jump of friction there."""
    field = ss.Field.of(orbit.model)
    acceleration = field.evaluate(orbit.state, mode=[-1]).rate[1]
    return "non-smooth" if abs(acceleration) > 1e-6 else "smooth"
