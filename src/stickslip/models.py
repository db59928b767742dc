"""The library of classic models: `stickslip.models.block_on_belt(v_dr=0.2, delta=3)`, and so on."""

from stickslip.model.library import (
    LIBRARY,
    block_and_pendulum,
    block_on_belt,
    bowed_string,
    chain,
    characteristic,
    coulomb_oscillator,
    drill_string,
    excited_oscillator,
    forced_oscillator,
    two_blocks,
)

__all__ = [
    "LIBRARY",
    "block_and_pendulum",
    "block_on_belt",
    "bowed_string",
    "chain",
    "characteristic",
    "coulomb_oscillator",
    "drill_string",
    "excited_oscillator",
    "forced_oscillator",
    "two_blocks",
]
