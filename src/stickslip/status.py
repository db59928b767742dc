"""How a run ended: a sentence for each of the numbers in `kernels/outcome.py`."""

from __future__ import annotations

from enum import Enum

from stickslip.kernels import outcome


class Status(Enum):
    """The outcome of an integration. What was computed until then is always kept.

    `value` is its sentence, `code` the number that kernels, sweeps and files have for it, `word` its name there.

    See Also
    --------
    simulate : has the sentence in `run.attrs["status"]`.
    sweep : has the codes in `status`.

    Examples
    --------
    >>> Status.FINISHED.value
    'The run reached the end time.'
    >>> Status.of(0) is Status.FINISHED, Status.LIFT_OFF.word
    (True, 'lift_off')
    """

    FINISHED = "The run reached the end time."
    INTERRUPTED = "The run was interrupted by the user."
    INDETERMINATE = (
        "The modes of the contacts cannot be decided: no combination of stick and slip is consistent, or the sticking "
        "forces are not unique; look for contacts that act on the same motion, or for a law that falls below static."
    )
    CHATTERING = (
        "Events follow each other ever faster (chattering); their times accumulate and the run cannot pass that point."
    )
    LIFT_OFF = "A normal force turned negative: the contact opens, which this model does not describe."
    NEGATIVE_FRICTION = "A friction law returned a negative friction; check its formula at this slip speed."
    INCONSISTENT = (
        "A step led to a state that contradicts its modes, so that nothing beyond it could be trusted; this is a fault "
        "of the library: please report the model, and try a smaller rtol."
    )
    TOO_STEEP = (
        "The friction of an elastic contact falls faster with speed than its damper can hold, so that the asperity "
        "would jump; give more damping, or a law that falls less steeply."
    )
    STALLED = "The motion is no longer finite, or the steps shrank to nothing: the equations are singular here."
    STEP_TOO_LARGE = (
        "The fixed step is too large for this motion: a phase of stick or slip begins and ends within one step, or the "
        "step does not follow the motion; choose a smaller step, or the method Exact."
    )
    TOO_MANY_STEPS = "The allowed number of steps was used up; allow more with `most_steps`."
    IMPOSSIBLE = "The model does not allow these parameter values."
    NOT_COMPUTED = "This point of a sweep was not computed."

    @property
    def finished(self) -> bool:
        """Whether the whole time was covered."""
        return self is Status.FINISHED

    @property
    def code(self) -> int:
        """The number by which it is known."""
        return CODES[self.name]

    @property
    def word(self) -> str:
        """The name by which data has it."""
        return self.name.lower()

    @staticmethod
    def of(code: int) -> Status:
        """The status with a number.

        Parameters
        ----------
        code : int
            The number that kernels, sweeps and files have for it.

        Returns
        -------
        Status
            The outcome.
        """
        return BY_CODE[int(code)]


PASSING = {"PAUSED", "LEFT"}
"""What kernels return that is no end."""

CODES: dict[str, int] = {name: code for name, code in vars(outcome).items() if name.isupper() and name not in PASSING}
BY_CODE = {CODES.get(status.name): status for status in Status}
if {status.name for status in BY_CODE.values()} != set(CODES):
    raise ImportError("every outcome has a number of its own in kernels/outcome.py, and a sentence in status.py")
