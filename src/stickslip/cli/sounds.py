"""`stickslip sound`: what a model sounds like."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from stickslip.cli import arguments
from stickslip.cli.screen import number, table
from stickslip.errors import ModelError
from stickslip.model.errors import check_number, shown, suggest
from stickslip.model.system import Model
from stickslip.status import Status

if TYPE_CHECKING:
    from stickslip.cli.commands.motions import Sound
    from stickslip.cli.report import Report

PILOT_STEPS = 6000
"""Steps of the run that shows how fast a model moves, before it is known how long its sound takes."""

FOREVER = 1e12
ROOM = 1024**3
"""Bytes that the record of a run may take."""


def perform(asked: Sound, report: Report) -> bool:
    """Simulate a model for a while, write what it sounds like; whether the run reached its end."""
    model = arguments.set_model(asked)
    start = arguments.read_numbers("--start", asked.start)
    seconds = check_number("--seconds", asked.seconds, positive=True)
    _check_sound(asked, model)
    with report.progress() as progress:
        from stickslip import Exact, simulate
        from stickslip.series.sound import to_wav

        speed = asked.speed if asked.speed is not None else _speed(asked, model, start)
        end = seconds * check_number("--speed", speed, positive=True)
        run = simulate(
            model,
            end,
            start=start,
            method=Exact(most_steps=_most_steps(model)),
            samples=2,
            progress=lambda time: progress.show("simulating", time, end),
        )
        progress.hold()
        sound = to_wav(run, asked.out, asked.quantity, speed)
    status = str(run.attrs["status"])
    finished = str(run.attrs["outcome"]) == Status.FINISHED.word
    report.tell(model=model.about.called, parameters=dict(model.parameters), status=status, quantity=sound.quantity)
    report.tell(seconds=sound.seconds, pitch=sound.fundamental, speed=speed)
    out = report.out
    out.print(arguments.title_of(model), style="bold")
    if not finished:
        out.print(status, style="yellow")
    rows = [
        ("heard", sound.quantity),
        ("length", f"{number(sound.seconds, 4)} s"),
        ("pitch", f"{number(sound.fundamental, 6)} Hz" if sound.fundamental == sound.fundamental else "none"),
        (
            "speed",
            "real time" if speed == 1 and model.time_unit == "s" else f"{number(speed, 6)} units of time a second",
        ),
    ]
    out.print(table(rows))
    report.wrote(Path(sound.path))
    return finished


def _check_sound(asked: Sound, model: Model) -> None:
    if asked.out.suffix.lower() != ".wav":
        raise ModelError(f"--out writes sound: {shown(str(asked.out))} must end with .wav")
    if not asked.out.parent.is_dir():
        raise ModelError(f"cannot write {shown(str(asked.out))}: there is no folder {shown(str(asked.out.parent))}")
    if asked.out.is_dir():
        raise ModelError(f"cannot write {shown(str(asked.out))}: that is a folder")
    group = (asked.quantity or model.states[0]).split(".")[0]
    if group not in ("force", "slip_velocity") and asked.quantity not in (None, *model.states):
        raise ModelError(f"there is no quantity {shown(asked.quantity)}{suggest(str(asked.quantity), model.states)}")


def _speed(asked: Sound, model: Model, start: dict[str, float]) -> float:
    """The speed at which the model is well heard, from a short run; a model's own time may be seconds or years."""
    from stickslip import Exact, simulate
    from stickslip.errors import SeriesError
    from stickslip.series.data import from_run
    from stickslip.series.sound import default_quantity, natural_speed
    from stickslip.series.spectra import fundamental
    from stickslip.simulation import uninterrupted

    pilot = uninterrupted(simulate(model, FOREVER, start=start, method=Exact(most_steps=PILOT_STEPS), samples=2))
    quantity = asked.quantity or default_quantity(pilot)
    begin = float(pilot["step_start"].values[pilot.sizes["step"] // 2])
    try:
        pitch = fundamental(from_run(pilot, quantity, after=begin))
    except SeriesError as error:
        raise ModelError(f"in the long run, {error}; say how fast to play its beginning, with --speed") from None
    return natural_speed(pitch, model.time_unit)


def _most_steps(model: Model) -> int:
    """As many steps as there is room for: a sound needs all their polynomials."""
    states, contacts, powers = len(model.states), len(model.contacts), 25
    return ROOM // (8 * (2 + contacts + (states + 2 * contacts) * powers))
