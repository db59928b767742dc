"""The library of classic models: `stickslip.models.block_on_belt(v_dr=0.2, delta=3)`, and so on."""

from stickslip.model.library import (
    LIBRARY,
    aging_block,
    block_and_pendulum,
    block_on_belt,
    bowed_string,
    chain,
    compliant_oscillator,
    coulomb_oscillator,
    drill_string,
    excited_oscillator,
    fault,
    forced_oscillator,
    hinrichs_law,
    iwan,
    lugre_block,
    two_blocks,
)

__all__ = [
    "LIBRARY",
    "aging_block",
    "block_and_pendulum",
    "block_on_belt",
    "bowed_string",
    "chain",
    "compliant_oscillator",
    "coulomb_oscillator",
    "drill_string",
    "excited_oscillator",
    "fault",
    "forced_oscillator",
    "hinrichs_law",
    "iwan",
    "lugre_block",
    "two_blocks",
]


def __dir__() -> list[str]:
    return sorted(__all__)
