"""`to_wav`: a run as a sound."""

from __future__ import annotations

import wave
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xarray as xr
from scipy import signal

from stickslip.arrays import Floats
from stickslip.errors import SeriesError
from stickslip.files import output_file
from stickslip.model.errors import path_of, visible
from stickslip.result import check_run, steps_of
from stickslip.series.data import Series, from_run, positive, sample, whole
from stickslip.series.spectra import fundamental

RATE = 44_100
PITCH = 220.0
"""The fundamental of a sound whose speed is not given, in hertz: the A below middle C."""

AUDIBLE = (30.0, 8000.0)
FINER = 8
"""Kinks at the end of stick have overtones without end: they are evaluated this much finer, and filtered off."""

PEAK = 0.9
FADE = 0.005
"""Seconds in which the sound begins and ends: a sudden start is a click."""

LONGEST = 600.0
SHORT = 0.25


@dataclass(frozen=True)
class Sound:
    """A sound in a file, and what is heard: what `to_wav` returns.

    Attributes
    ----------
    path : pathlib.Path
        The file.
    quantity : str
        What is heard.
    seconds : float
        How long it lasts, in seconds.
    rate : int
        Samples a second.
    speed : float
        Model time in one second of sound.
    fundamental : float
        Its pitch, in hertz; nan where the motion does not repeat itself.

    See Also
    --------
    to_wav : Writes it.

    Examples
    --------
    >>> from pathlib import Path
    >>> import stickslip as ss
    >>> ss.series.Sound(Path("squeak.wav"), "v.block", 2.0, 44_100, 1.0, 440.0).summary
    '2 s of v.block, 440 Hz, in real time'
    """

    path: Path
    quantity: str
    seconds: float
    rate: int
    speed: float
    fundamental: float

    @property
    def summary(self) -> str:
        """The sound in words: how long, of what, its pitch and its pace.

        Examples
        --------
        >>> Sound(Path("squeak.wav"), "v.block", 0.1, 44_100, 1.0, np.nan).summary
        '0.1 s of v.block, no pitch, in real time; so short a sound is a click: simulate for longer'
        """
        heard = f"{self.fundamental:.4g} Hz" if np.isfinite(self.fundamental) else "no pitch"
        pace = "in real time" if self.speed == 1 else f"{self.speed:.6g} units of time a second"
        short = "; so short a sound is a click: simulate for longer" if self.seconds < SHORT else ""
        return f"{self.seconds:.3g} s of {self.quantity}, {heard}, {pace}{short}"


def to_wav(
    run: xr.Dataset, path: str | Path, quantity: str | None = None, speed: float | None = None, rate: int = RATE
) -> Sound:
    """Write a run as a sound: 16 bits, one channel, as loud as can be without clipping.

    The run is evaluated from the polynomials of its steps, eight times as finely as the file needs, and filtered to
    what the file can hold. The file appears whole or not at all.

    Parameters
    ----------
    run : xarray.Dataset
        What `simulate` returned.
    path : str or path
        Where to write, a WAV file.
    quantity : str, optional
        What is heard, as for `from_run`; by default the first velocity.
    speed : float, optional
        Model time in one second of sound; by default 1 for models in seconds whose pitch can be heard, else what makes
        the fundamental 220 Hz.
    rate : int, default 44100
        Samples a second.

    Returns
    -------
    Sound
        How fast the run is played, and what its pitch is.

    Raises
    ------
    SeriesError
        If the run has no such quantity, does not move, would last more than ten minutes or hardly at all, has no pitch
        and no speed is given, or the folder does not exist.

    See Also
    --------
    fundamental : The pitch of a series.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import stickslip as ss
    >>> run = ss.simulate(ss.models.block_on_belt(), t=2400)
    >>> sound = ss.series.to_wav(run, pathlib.Path(tempfile.mkdtemp()) / "squeak.wav")
    >>> round(sound.fundamental), round(sound.speed / 220, 3)               # the speed plays 220 periods a second
    (220, 12.001)
    """
    check_run(run)
    if path_of(path).suffix.lower() != ".wav":
        raise SeriesError(f"{visible(repr(str(path)))} does not end with .wav: sounds are written as WAV files")
    rate = whole("to_wav: rate", rate, 1000)
    name = default_quantity(run) if quantity is None else quantity
    pitch = _pitch(run, name)
    chosen = natural_speed(pitch, str(run.attrs.get("time_unit", ""))) if speed is None else positive("speed", speed)
    values = _resampled(run, name, chosen, rate)
    written = _write(Path(path), _loud(values, rate), rate)
    return Sound(written, name, len(values) / rate, rate, chosen, pitch * chosen)


def default_quantity(run: xr.Dataset) -> str:
    """The first velocity: what the ear hears of a moving surface is nearer to it than to the position."""
    names = [str(name) for name in run["state"].values]
    return next((name for name in names if name.startswith("v.")), names[0])


def natural_speed(pitch: float, time_unit: str) -> float:
    """Real time where it can be heard, else what puts the fundamental at 220 Hz.

    >>> natural_speed(134.5, "s"), natural_speed(0.1, "")
    (1.0, 2200.0)
    """
    if time_unit == "s" and (AUDIBLE[0] <= pitch <= AUDIBLE[1] or not np.isfinite(pitch)):
        return 1.0
    if not np.isfinite(pitch):
        raise SeriesError("the motion does not repeat itself, so there is no natural speed: say how fast to play it")
    return float(PITCH / pitch)


def _pitch(run: xr.Dataset, name: str) -> float:
    """Repetitions in a unit of time; nan where there are none."""
    series: Series = from_run(run, name)
    series.spread  # noqa: B018 – nothing is heard of what does not move
    try:
        return fundamental(series)
    except SeriesError:
        return float(np.nan)


def _resampled(run: xr.Dataset, name: str, speed: float, rate: int) -> Floats:
    """The run at the rate of the file, without what is too high for it."""
    steps = steps_of(run)
    begin, length = float(steps.start[0]), float(steps.start[-1] + steps.length[-1] - steps.start[0])
    seconds = length / speed
    if seconds > LONGEST:
        raise SeriesError(
            f"this sound would last {seconds:.4g} s, more than {LONGEST:g}: play the run faster, with a speed of "
            f"{length / LONGEST:.4g} or more units of time a second"
        )
    count = int(seconds * rate)
    if count < FINER:
        raise SeriesError(f"this sound would last {seconds:.2g} s: play the run slower, or simulate for longer")
    times = np.asarray(begin + speed / (FINER * rate) * np.arange(FINER * count), float)
    fine = sample(run, name, times)
    return np.asarray(signal.resample_poly(fine - np.mean(fine), 1, FINER)[:count], float)


def _loud(values: Floats, rate: int) -> Floats:
    """Centred, faded in and out, and scaled to the loudest that fits."""
    faded = (values - np.mean(values)) * _fade(len(values), rate)
    top = float(np.max(np.abs(faded)))
    return faded * (PEAK / top) if top > 0 else faded


def _fade(count: int, rate: int) -> Floats:
    """Half a wave of a cosine up, and another one down."""
    length = min(int(FADE * rate), count // 4)
    ramp = 0.5 - 0.5 * np.cos(np.pi * np.arange(length) / max(length, 1))
    return np.concatenate([ramp, np.ones(count - 2 * length), ramp[::-1]])


def _write(path: Path, values: Floats, rate: int) -> Path:
    """Under another name first, so that the file is whole or not there."""
    with output_file(path) as temporary, wave.open(str(temporary), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.rint(32767 * values).astype("<i2").tobytes())
    return path
