"""A contact made of elastic bristles: the bristle model of hinrichs1998, Sec. 7.1. docs/bristles.md defines it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from stickslip.errors import ModelError
from stickslip.model.behaviour import SLIP, STICK, Behaviour, Guard, Kernel, Seen
from stickslip.model.errors import check_whole
from stickslip.model.functions import Function, Value
from stickslip.model.laws import FrictionLaw
from stickslip.model.limits import MAX_BRISTLES
from stickslip.model.parts import Contact, Rules
from stickslip.model.scatter import Scatter

HIGHEST, LOWEST = 1, 2
"""Where the kernel keeps the extreme deflections, after those of all bristles and their mean."""


@dataclass(frozen=True, eq=False)
class BristleLaw(FrictionLaw):
    """What the friction of bristles tends to as bonds get dense: μ₀ in stick, μ₀·`slipping`/`bristles` in slip.

    >>> BristleLaw(mu_s=0.4, bristles=24, slipping=15).kinetic_value(1.0)
    0.25
    """

    mu_s: Value
    bristles: int
    slipping: int

    rules: ClassVar[Mapping[str, str]] = {"mu_s": "positive"}

    def given(self) -> dict[str, Value]:
        return {"mu_s": self.mu_s}

    def structure(self) -> str:
        return f"BristleLaw {self.bristles} {self.slipping}"

    @property
    def kinetic(self) -> Function:
        bristles, slipping = self.bristles, self.slipping
        return lambda v, mu_s: mu_s * slipping / bristles

    @property
    def static(self) -> Function:
        return lambda mu_s: mu_s


@dataclass(frozen=True, eq=False)
class BristleContact(Contact):
    """Friction of elastic bristles whose bonds break and form anew at random places: hinrichs1998, Sec. 7.1.

    All bristles hold while the contact sticks, some of them while it slips. A bond breaks when its bristle is stretched
    by `limit`; each then bears `mu_s`·`normal`/`bristles`. In slip the bristle bonds anew at once, a random distance
    further on, uniform between 0 and twice the `mean`. The defaults are those of the oscillator in hinrichs1998, Fig.
    22, where m = c = 1; docs/bristles.md says which of them are printed there.

    State: `deflection.NAME`, by how much the bonds are ahead of the mass in the mean over the bristles that hold. The
    bonds of the start are drawn around the deflection of the start.

    Parameters
    ----------
    on : Mass, Rotor or mapping of these to numbers
        What slides; or several bodies, each with its weight.
    against : Mass, Rotor, Belt, Base or ground
        What it slides on.
    normal : float, default 10.0
        The normal force, the parameter `NAME.normal`; positive.
    name : str, default ""
        The system calls it "contact" if it has none.
    bristles : int, default 24
        How many hold while the contact sticks.
    slipping : int, default 15
        How many hold while it slips.
    mu_s : float, default 0.4
        The coefficient of friction that all bonds bear together just before they break.
    limit : float, default 0.01
        By how much a bristle is stretched when its bond breaks, a length; the parameter `NAME.limit`.
    mean : float, default 0.001
        The mean distance to where a bond forms anew, a length; the parameter `NAME.mean`.
    damping : float, default 4.0
        The damping that acts on the mass while the contact sticks, in force per speed; the parameter `NAME.damping`.

    Raises
    ------
    ModelError
        If a number is not allowed.

    See Also
    --------
    Contact : friction by a law.
    Scatter : chance in the coefficients of a law.

    Examples
    --------
    >>> import stickslip as ss
    >>> block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=1.0)
    >>> contact = ss.BristleContact(block, belt, mean=0.002)
    >>> ss.System(ss.Spring(block, ss.ground, k=1.0), contact).states
    ('x.block', 'v.block', 'deflection.contact')
    """

    law: FrictionLaw | Function = field(init=False)
    normal: Value = 10.0
    scatter: Scatter | None = field(default=None, init=False)
    bristles: int = field(default=24, kw_only=True)
    slipping: int = field(default=15, kw_only=True)
    mu_s: Value = field(default=0.4, kw_only=True)
    limit: Value = field(default=0.01, kw_only=True)
    mean: Value = field(default=0.001, kw_only=True)
    damping: Value = field(default=4.0, kw_only=True)

    rules: ClassVar[Rules] = {"normal": "positive", "limit": "positive", "mean": "positive", "damping": "nonnegative"}

    def __post_init__(self) -> None:
        where = self.described()
        for what in ("bristles", "slipping"):
            check_whole(f"{where}: {what}", getattr(self, what), 1, MAX_BRISTLES)
        if self.slipping > self.bristles:
            raise ModelError(
                f"{where}: {self.slipping} of {self.bristles} bristles are to hold in slip; slipping may be at most "
                "bristles, the number of those that hold in stick"
            )
        object.__setattr__(self, "law", BristleLaw(self.mu_s, self.bristles, self.slipping))
        super().__post_init__()

    def internal_states(self) -> tuple[str, ...]:
        return ("deflection",)

    def behaviour(self, seen: Seen) -> Behaviour:
        """Bonds are ahead of the mass by z in the mean, so ż = −w; each bristle adds k times its own deflection.

        All M_H bristles at their limit δ bear the static limit: M_H k δ = μ₀ N = S. Which bonds break and where they
        form anew, and so how z jumps, is known to kernels/bristles.py, which keeps by how much the lowest and the
        highest deflection differ from the mean: LOWEST and HIGHEST.
        """
        w, z, s = seen.velocity, seen.state("deflection"), seen.mode
        limit, mean, damping = (seen.parameter(name) for name in ("limit", "mean", "damping"))
        k = seen.static / (self.bristles * limit)
        lowest, highest = (seen.stored(self.bristles + place) for place in (LOWEST, HIGHEST))
        falls, rises = limit + z + lowest, limit - z - highest
        return Behaviour(
            rates={"deflection": -w},
            kinetic=-s * k * self.slipping * z,
            force_in_stick=k * self.bristles * z - damping * w,
            guards=(
                Guard(falls, STICK, releases=True),
                Guard(rises, STICK, releases=True),
                Guard((falls * (1 + s) + rises * (1 - s)) / 2, SLIP),
            ),
            static_limit=False,
            kernel=Kernel(
                "bristles",
                self.bristles + 3,
                {
                    "BRISTLES": self.bristles,
                    "SLIPPING": self.slipping,
                    "BOND_STATE": "deflection",
                    "BOND_LIMIT": limit,
                    "BOND_MEAN": mean,
                },
                counts={"BONDS_PLACED": "", "BONDS_BROKEN": "bond_breaks"},
            ),
        )

    def without_variation(self, name: str) -> str:
        law = self.friction
        return (
            f"the bristles of {name!r}, whose bonds form at random: simulate, or put a Contact with "
            f"law=Coulomb({law.static_value():g}, {law.kinetic_value(1.0):g}) in their place"
        )

    def check_values(self, values: Mapping[str, float], name: str) -> None:
        if 2 * values["mean"] > values["limit"]:
            raise ModelError(
                f"BristleContact {name!r}: the mean distance of new bonds is {values['mean']:g} and the limit "
                f"{values['limit']:g}; mean may be half the limit at most, or bristles would bond ahead of the mass"
            )
