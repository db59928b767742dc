"""Every error that stickslip raises, each a `StickslipError` whose message names what is wrong and the way out."""

from __future__ import annotations

from typing import Any

__all__ = [
    "Busy",
    "CompileError",
    "CudaError",
    "DamagedChunk",
    "FlowError",
    "IdentifyError",
    "ModelError",
    "MotionError",
    "NoConvergence",
    "NotSettled",
    "OrbitError",
    "PictureError",
    "ResultError",
    "SeriesError",
    "StickslipError",
    "SweepError",
    "UnfinishedSweep",
    "UnrollError",
    "WriteError",
]


class StickslipError(Exception):
    """What all errors of stickslip have in common.

    See Also
    --------
    errors : every error there is.

    Examples
    --------
    >>> import stickslip as ss
    >>> try:
    ...     ss.Mass("block", m=-1.0)
    ... except ss.StickslipError as error:
    ...     print(error)
    Mass 'block': m is -1: it must be a positive number
    """


class ModelError(StickslipError, ValueError):
    """A model, a parameter, a start or another argument that cannot be: the message names it and what is allowed."""


class IdentifyError(ModelError):
    """Measurements from which nothing can be read: the message names what was found and what was expected."""


class SweepError(ModelError):
    """A sweep that cannot be run as asked; the message says why."""


class UnfinishedSweep(SweepError):
    """A sweep that could not go on, with what was computed until then in `partial`.

    Parameters
    ----------
    message : str
        What happened.
    partial : Sweep
        What was computed until then.
    """

    def __init__(self, message: str, partial: Any) -> None:
        super().__init__(message)
        self.partial = partial


class DamagedChunk(SweepError):
    """A chunk of a store that is not what was written; the message names it, and the way out."""


class OrbitError(StickslipError, ValueError):
    """An orbit that was not found, or cannot be used as asked; the message says why, and what to try."""


class NotSettled(OrbitError):
    """A motion that does not repeat itself as far as it was simulated."""


class MotionError(StickslipError, ValueError):
    """A motion that cannot be followed as asked; the message says why."""


class NoConvergence(StickslipError, ValueError):
    """Newton's method did not arrive; the message says how far it came."""


class FlowError(StickslipError, ArithmeticError):
    """An integration that did not reach its end: the sentence says why, `time` how far it came.

    Parameters
    ----------
    sentence : str
        Why it ended.
    time : float
        How far it came, in units of time.
    """

    def __init__(self, sentence: str, time: float) -> None:
        super().__init__(sentence)
        self.time = time


class ResultError(StickslipError, ValueError):
    """A result that cannot be read or used as asked; the message says why."""


class WriteError(ResultError):
    """A result that could not be written; it is still there, and can be saved elsewhere."""


class SeriesError(StickslipError, ValueError):
    """A series that cannot be made or analysed as asked; the message says why."""


class PictureError(StickslipError, ValueError, TypeError):
    """A picture that cannot be drawn or saved as asked, or not of what was given; the message says why."""


class Busy(StickslipError, OSError):
    """A file that another process holds; the message names that process."""


class CudaError(StickslipError, RuntimeError):
    """A GPU that is not there, or not usable; the message says what is missing."""


class CompileError(StickslipError):
    """Source outside the subset that is compiled: a mistake in a kernel or in the generator, never in a model."""


class UnrollError(StickslipError):
    """A kernel that cannot be written out: a mistake in it, never in a model."""


def __dir__() -> list[str]:
    return sorted(__all__)
