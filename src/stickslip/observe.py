"""What a sweep records of every motion: `stickslip.sweep(…, observe=stickslip.observe.Strobe())`."""

from stickslip.sweeps.observation import (
    LargestExponent,
    Maxima,
    Section,
    Signature,
    SlipToStick,
    StickToSlip,
    Strobe,
)

__all__ = ["LargestExponent", "Maxima", "Section", "Signature", "SlipToStick", "StickToSlip", "Strobe"]


def __dir__() -> list[str]:
    return sorted(__all__)
