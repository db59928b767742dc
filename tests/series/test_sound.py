"""A sound has the pitch of the orbit, fits into its file, and begins and ends softly."""

import wave

import numpy as np
import pytest

import stickslip as ss
from stickslip.errors import SeriesError, WriteError
from stickslip.series import Series, fundamental, spectrum


def heard(path):
    """What a player would read."""
    with wave.open(str(path), "rb") as file:
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        values = np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32767
        return Series(values, 1 / file.getframerate(), "sound", "", "s")


def test_the_bowed_string_in_real_time(tmp_path):
    orbit = ss.find_orbit(ss.models.bowed_string())
    run = ss.simulate(orbit.model, t=60 * orbit.period, start=orbit.start)
    sound = ss.series.to_wav(run, tmp_path / "string.wav", "v.string")
    assert sound.speed == 1 and sound.fundamental == pytest.approx(1 / orbit.period, rel=1e-4)
    assert "in real time" in sound.summary and "134.5 Hz" in sound.summary
    wave = heard(sound.path)
    assert len(wave) / 44_100 == pytest.approx(60 * orbit.period, abs=1e-3)
    assert fundamental(wave) == pytest.approx(1 / orbit.period, rel=1e-4)
    lines = spectrum(wave, segments=1)
    assert abs(lines.attrs["peak"] - 1 / orbit.period) < 0.1 * lines.attrs["resolution"]


def test_a_model_without_a_unit_of_time(tmp_path):
    orbit = ss.find_orbit(ss.models.block_on_belt())
    run = ss.simulate(orbit.model, t=100 * orbit.period, start=orbit.start)
    sound = ss.series.to_wav(run, tmp_path / "squeak.wav")
    assert sound.quantity == "v.block" and sound.speed == pytest.approx(220 * orbit.period, rel=1e-4)
    assert fundamental(heard(sound.path)) == pytest.approx(220, rel=1e-3)
    slower = ss.series.to_wav(run, tmp_path / "slower.wav", speed=sound.speed / 2, rate=22_050)
    assert slower.seconds == pytest.approx(2 * sound.seconds, rel=1e-3) and slower.fundamental == pytest.approx(110)
    assert fundamental(heard(slower.path)) == pytest.approx(110, rel=1e-3)


def test_loud_but_never_clipped_and_without_clicks(tmp_path):
    run = ss.simulate(ss.models.drill_string(), t=1000)
    values = heard(ss.series.to_wav(run, tmp_path / "drill.wav").path).values
    assert np.max(np.abs(values)) == pytest.approx(0.9, abs=1e-3)
    assert abs(values[0]) < 1e-3 and abs(values[-1]) < 1e-3
    assert np.max(np.abs(values[:20])) < 0.02 and abs(np.mean(values)) < 0.01


def test_overtones_too_high_for_the_file_do_not_come_back_as_low_ones(tmp_path):
    """The velocity has kinks, whose overtones have no end. Between the harmonics there must be next to nothing."""
    orbit = ss.find_orbit(ss.models.block_on_belt())
    run = ss.simulate(orbit.model, t=400 * orbit.period, start=orbit.start)
    lines = spectrum(heard(ss.series.to_wav(run, tmp_path / "kinks.wav", rate=8000).path), segments=3)
    frequency, density = lines["frequency"].values, lines["density"].values
    harmonic = np.abs(frequency / 220 - np.rint(frequency / 220)) * 220 < 15
    assert np.sum(density[~harmonic & (frequency > 100)]) < 1e-5 * np.sum(density)


def test_what_cannot_be_heard(tmp_path):
    run = ss.simulate(ss.models.block_on_belt(), t=100)
    with pytest.raises(SeriesError, match="would last 1e\\+05 s"):
        ss.series.to_wav(run, tmp_path / "long.wav", speed=1e-3)
    with pytest.raises(SeriesError, match="simulate for longer"):
        ss.series.to_wav(run, tmp_path / "short.wav", speed=1e9)
    with pytest.raises(SeriesError, match="speed is 0"):
        ss.series.to_wav(run, tmp_path / "zero.wav", speed=0)
    with pytest.raises(SeriesError, match=r"no quantity 'v\.blok'"):
        ss.series.to_wav(run, tmp_path / "name.wav", "v.blok")
    with pytest.raises(WriteError, match=r"the folder .* does not exist"):
        ss.series.to_wav(run, tmp_path / "nowhere" / "name.wav")
    at_rest = ss.simulate(ss.models.coulomb_oscillator(x=0.5, v=0.0), t=10)
    with pytest.raises(SeriesError, match="is constant"):
        ss.series.to_wav(at_rest, tmp_path / "silence.wav")
    assert list(tmp_path.iterdir()) == []


def test_a_short_sound_says_so(tmp_path):
    run = ss.simulate(ss.models.block_on_belt(), t=100)
    assert "simulate for longer" in ss.series.to_wav(run, tmp_path / "click.wav").summary
