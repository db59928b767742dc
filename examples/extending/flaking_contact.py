"""A kind of contact of one's own: friction that grows with the path, until a layer flakes off.

The path that the contact has slid on its present layer is an internal state: it grows in slip, is forgotten where the
contact comes to rest, and where it has the given length the layer flakes off, and the path begins anew.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import stickslip as ss
from stickslip.model.behaviour import SLIP, Behaviour, Guard, Seen


@dataclass(frozen=True, eq=False)
class FlakingContact(ss.Contact):
    """Dry friction, larger by up to `growth` at the end of a layer of a certain `length`."""

    length: float = field(default=0.5, kw_only=True)
    growth: float = field(default=0.3, kw_only=True)

    rules: ClassVar[Mapping[str, str]] = {**ss.Contact.rules, "length": "positive", "growth": "nonnegative"}

    def internal_states(self) -> tuple[str, ...]:
        """The path on the present layer."""
        return ("path", *super().internal_states())

    def behaviour(self, seen: Seen) -> Behaviour:
        """It grows as fast as the contact slips; s v is |v|."""
        path, length, growth = seen.state("path"), seen.parameter("length"), seen.parameter("growth")
        return Behaviour(
            rates={"path": seen.mode * seen.velocity},
            kinetic=seen.kinetic(seen.speed) * (1 + growth * path / length),
            at_stick={"path": path},  # zero in stick
            guards=(Guard(length - path, SLIP, jumps={"path": 0}),),
        )


def system(**numbers: float) -> ss.System:
    """A block on a belt with such a contact."""
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
    contact = FlakingContact(block, belt, law=ss.Coulomb(1.0, 0.6), **numbers)
    return ss.System(ss.Spring(block, ss.ground, k=1.0), contact, start={"x.block": 1.0})


if __name__ == "__main__":
    run = ss.simulate(system(), t=40.0)
    print(run.attrs["status"], run.sizes["event"], "changes of mode")
    orbit = ss.find_orbit(system())
    print(f"period {orbit.period:.9f}, multipliers {orbit.multipliers}")
