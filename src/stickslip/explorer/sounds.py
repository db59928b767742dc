"""The job `sound`."""

from __future__ import annotations

import tempfile
import wave
from pathlib import Path

import numpy as np

from stickslip.errors import StickslipError
from stickslip.explorer import limits
from stickslip.explorer.calls import Call, motion_call, written
from stickslip.explorer.messages import finite
from stickslip.explorer.motion import whole_motion
from stickslip.explorer.task import Reply, Task
from stickslip.explorer.view import Refused, choice, number
from stickslip.series.sound import default_quantity, to_wav


def sound(task: Task) -> Reply:
    """The motion as a sound, of the length asked for."""
    seconds = number({"seconds": 2.0, **task.request}, "seconds", "seconds", positive=True)
    if seconds > limits.SOUND_SECONDS:
        raise Refused(f"a sound lasts at most {limits.SOUND_SECONDS:g} s", "seconds")
    model = task.model
    quantity = task.request.get("quantity")
    if quantity is not None:
        choice(task.request, "quantity", "quantity", model.states)
    arguments = _long_enough(task, seconds, quantity)
    call = Call("simulate", arguments)
    run = whole_motion(model, arguments, "motion.t")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sound.wav"
        made = to_wav(run, path, quantity)
        with wave.open(str(path), "rb") as file:
            values = np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32767
    line = f'ss.series.to_wav({call.text()}, "sound.wav", {written(made.quantity)})'
    fields = {"rate": made.rate, "quantity": made.quantity, "summary": made.summary, "python": line,
              "fundamental": finite(made.fundamental)}  # fmt: skip
    return fields, {"sound": values.astype(np.float32)}


def _long_enough(task: Task, seconds: float, quantity: str | None) -> dict[str, float]:
    """From when to when to simulate for a sound of so many seconds: what a short run is played at tells it."""
    arguments = {name: value for name, value in motion_call(task.view, 2).arguments.items() if name != "samples"}
    short = whole_motion(task.model, arguments, "motion.t")
    with tempfile.TemporaryDirectory() as folder:
        try:
            made = to_wav(short, Path(folder) / "sound.wav", quantity or default_quantity(short))
        except StickslipError as error:
            raise Refused(str(error), "motion.t") from None
    return {**arguments, "t": arguments.get("start_time", 0.0) + made.speed * seconds}
