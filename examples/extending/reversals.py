"""An observation of one's own for sweeps: the points at which slip turns without rest.

It names which changes of mode are recorded; the kernels of march, lockstep and GPU do the rest.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import stickslip as ss
from stickslip.sweeps.observation import Change, ModeChange


@dataclass(frozen=True)
class Reversals(ModeChange):
    """Points at which contacts turn from slip one way to slip the other way: of all contacts, or of one."""

    word: ClassVar[str] = "reversals"
    changes: ClassVar[tuple[Change, ...]] = (Change.REVERSAL,)


def shaken_block() -> ss.System:
    """A block on a base that is shaken harder and harder: at first it sticks for a while at every turn, then never."""
    block = ss.Mass("block", m=1.0)
    base = ss.Base("base", motion=lambda t, a=1.0, omega=1.0: a * np.sin(omega * t))
    return ss.System(ss.Contact(block, base, law=ss.Coulomb(0.3), normal=1.0))


if __name__ == "__main__":
    data = ss.sweep(shaken_block(), {"base.a": np.linspace(0.2, 2.0, 400)}, periods=(50, 20), observe=Reversals())
    per_period = data["count"] / 20
    print("reversals per period:", np.unique(per_period))
    print("from a =", float(data["base.a"][per_period > 0][0]))
