"""stickslip: machines that stick and slip, simulated exactly.

    import stickslip as ss
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
    system = ss.System(
        ss.Spring(block, ss.ground, k=1.0),
        ss.Contact(block, belt, law=ss.Hyperbolic(mu_s=1.0, delta=3.0), normal=1.0),
    )
    run = ss.simulate(system, t=100, start={"x.block": 1.1})
    ss.plot.phase(run)

The public names stand in `__init__.pyi`, which editors read; each is imported when it is first used, so that
`import stickslip` is quick.
"""

import difflib
from typing import Any

import lazy_loader

_imported, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    try:
        return _imported(name)
    except AttributeError:
        close = difflib.get_close_matches(name, __all__, n=1)
        hint = f": did you mean {close[0]!r}?" if close else ""
        raise AttributeError(f"stickslip has no {name!r}{hint}", name=name) from None
