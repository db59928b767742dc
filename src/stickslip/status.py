"""How a run ended, as a sentence."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """The outcome of an integration. What was computed until then is always kept.

    >>> Status.FINISHED.value
    'The run reached the end time.'
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
    LIFT_OFF = "A normal force fell to zero: the contact opens, which this model does not describe."
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
