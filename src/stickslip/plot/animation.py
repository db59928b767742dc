"""The machine of a run in motion, as a GIF or a film."""

from __future__ import annotations

import base64
import io
import os
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.arrays import Floats, Integers
from stickslip.errors import ModelError, PictureError
from stickslip.files import output_file
from stickslip.model import files
from stickslip.model.errors import check_number, path_of
from stickslip.model.errors import shown as as_shown
from stickslip.model.system import System
from stickslip.plot import style
from stickslip.plot.labels import names, plain, state_label, title_of
from stickslip.plot.machine import Machine, Place, layout
from stickslip.plot.phase import chosen_states, draw_parts
from stickslip.plot.pieces import at_times, check_run, extent, pieces, within
from stickslip.plot.prescribed import given_motions, pushes
from stickslip.plot.scene import CREEPS, REACH, SLIPS, Pose, Scene, extent_of

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CYCLES = 6
"""Releases that an animation shows, where a run has more of them."""
MOST_FRAMES = 5000
NEARER = 0.6
"""By how much two neighbours may come nearer to each other, as a part of what is between their places."""
DRIFT = 4.0
"""Where machines go so many times farther than their parts move against each other, the picture goes with them."""
DPI = 110
NEARLY_WHITE = 244
PLANE, FOOT = 3.6, 0.34
"""Inches: the width of a phase plane beside the machine, and the height of what stands below it."""


def animate(
    run: xarray.Dataset,
    path: str | os.PathLike[str] | None = None,
    *,
    model: System | None = None,
    window: tuple[float, float] | None = None,
    seconds: float = 6.0,
    frames_per_second: float = 20.0,
    phase: bool | tuple[str, str] = False,
) -> Animation:
    """Show a run as its machine in motion, drawn from its parts.

    Contacts are orange while they stick and blue while they slip; marks on belts move with them. Bodies move by what
    the run says, all on one scale that fits the picture, about the middle of their motion. A machine that is fed along,
    such as a slide on its guideway, stays in the picture while the ground passes.

    Parameters
    ----------
    run : xarray.Dataset
        What `simulate` returned.
    path : str or path, optional
        A file to write: .gif, or .mp4 where the program ffmpeg is installed.
    model : System, optional
        The system that was simulated. A run knows it by itself, unless the system cannot be written to a file.
    window : (float, float), optional
        From when to when, in the time of the run; by default the last six releases from stick, or all of a run that
        has fewer.
    seconds : float, optional
        How long the animation lasts, in seconds; 6 by default.
    frames_per_second : float, optional
        Pictures in a second; 20 by default.
    phase : bool or (str, str), optional
        Whether the phase plane is drawn beside the machine; or of which two states.

    Returns
    -------
    Animation
        It shows itself in notebooks, and `save` writes it to a file.

    Raises
    ------
    ModelError
        If the model is given by its equations, so that there are no parts to draw; or if the run does not know it.
    PictureError
        If the file is neither a GIF nor an MP4, or ffmpeg is missing.

    See Also
    --------
    machine : a still picture.
    phase, history

    Examples
    --------
    >>> import stickslip as ss
    >>> run = ss.simulate(ss.models.block_on_belt(), t=60)
    >>> ss.plot.animate(run, seconds=1.0, phase=True)
    <Animation of Block on a moving belt: 20 frames>
    """
    check_run(run)
    system = _system_of(run, model)
    found = layout(system)
    count = round(check_number("seconds", seconds, positive=True) * _rate(frames_per_second))
    if not 2 <= count <= MOST_FRAMES:
        raise PictureError(
            f"{seconds:g} s of {frames_per_second:g} frames are {count} frames: from 2 to {MOST_FRAMES} can be"
        )
    run = within(run, _last_cycles(run) if window is None else window)
    if window is None and extent(run)[0] == extent(run)[1]:
        raise PictureError("this run has no duration, so there is nothing to animate")
    if not isinstance(phase, bool) and not (isinstance(phase, tuple) and len(phase) == 2):
        raise PictureError(f"phase is {as_shown(phase)}: give True, False or two states, ('x.block', 'v.block')")
    planes = (
        chosen_states(names(run, "state"), *(phase if isinstance(phase, tuple) else (None, None))) if phase else None
    )
    film = Film.of(run, system, found, np.linspace(*extent(run), count))
    shown = Animation(run, film, planes, frames_per_second)
    if path is not None:
        shown.save(path)
    return shown


def _rate(frames_per_second: float) -> float:
    return check_number("frames_per_second", frames_per_second, positive=True)


def _system_of(run: xarray.Dataset, model: System | None) -> System:
    """The system of a run: the one given, or the one that it carries as a text."""
    if model is None:
        text = str(run.attrs.get("model", ""))
        if not text:
            raise ModelError(
                "this run does not carry its model, since that cannot be written to a file: give it, animate(run, "
                "model=system)"
            )
        model = files.loads(text, trusted=True)  # type: ignore[assignment]  # nothing of it is compiled
    if isinstance(model, System):
        if set(model.states) != set(names(run, "state")):
            raise ModelError(
                f"the model has the states {', '.join(model.states)}, but the run {', '.join(names(run, 'state'))}: "
                "give the model that was simulated"
            )
        return model
    layout(model)  # type: ignore[arg-type]  # says why it cannot be drawn
    raise AssertionError


def _last_cycles(run: xarray.Dataset) -> tuple[float, float]:
    """From the sixth release before the last one, of the first contact that has so many."""
    first, last = extent(run)
    released = (run["event_before"].values == 0) & (run["event_after"].values != 0)
    for contact in run["contact"].values:
        times = run["event_time"].values[released & (run["event_contact"].values == contact)]
        if len(times) > CYCLES:
            return float(times[-1 - CYCLES]), float(times[-1])
    return first, last


@dataclass(frozen=True, eq=False)
class Film:
    """A machine and all its poses."""

    machine: Machine
    times: Floats
    states: Mapping[str, Floats]
    moved: Mapping[str, Floats]
    modes: Integers
    contacts: tuple[str, ...]
    pushes: Mapping[str, Floats]

    @classmethod
    def of(cls, run: xarray.Dataset, system: System, found: Machine, times: Floats) -> Film:
        """What moves how far, at some times."""
        states, modes = at_times(run, times)
        raw = {mass.name: states[f"x.{mass.name}"] for mass in system.masses} | given_motions(system, times)
        moved = displaced(found, raw)
        return cls(found, times, states, moved, modes, tuple(names(run, "contact")), pushes(system, times, states))

    def __len__(self) -> int:
        return len(self.times)

    def pose(self, i: int) -> Pose:
        """The machine in one frame."""
        return Pose(
            {body: float(values[i]) for body, values in self.moved.items()},
            {contact: int(mode) for contact, mode in zip(self.contacts, self.modes[i], strict=True)},
            {name: float(values[i]) for name, values in self.pushes.items()},
        )


def displaced(found: Machine, raw: Mapping[str, Floats]) -> dict[str, Floats]:
    """How far bodies are from their places in the scene; what turns, by how much."""
    turning = {place.name for place in found.places if place.shape == "disk"}
    rings = {surface.body for surface in found.surfaces if surface.around}
    straight = {body: values for body, values in raw.items() if body not in turning | rings}
    camera = _camera(found, straight, len(next(iter(raw.values()))))
    about = {body: values - camera - _middle(values - camera) for body, values in straight.items()}
    standing = [place for place in found.places if place.body in about and place.shape != "ceiling"]
    scale = min((REACH / size for place in standing if (size := _size(about[place.body])) > 0), default=1.0)
    for a, b in _neighbours(standing):
        nearer, gap = _size(about[b.body] - about[a.body]), b.x - b.width / 2 - a.x - a.width / 2
        scale = min(scale, NEARER * gap / nearer) if nearer > 0 else scale
    # A belt counts from where it is first, not from the middle of its way: it has no place.
    belts = {surface.body for surface in found.surfaces if surface.kind == "belt"}
    moved = {b: scale * (straight[b] - camera if b in belts else values) for b, values in about.items()}
    return moved | {body: raw[body] for body in raw if body in turning | rings} | {"ground": -scale * camera}


def _camera(found: Machine, straight: Mapping[str, Floats], count: int) -> Floats:
    """Where the picture is: it goes with a machine that no spring holds to the ground, if that goes far."""
    masses = [place.body for place in found.places if place.shape in ("block", "bob") and place.body in straight]
    held = any(place.body == "ground" for place in found.places)
    if held or not masses:
        return np.zeros(count)
    together = np.mean([straight[body] for body in masses], axis=0)
    bodies = {place.body for place in found.places} & set(straight)
    apart = max(_size(straight[body] - together) for body in bodies)
    return together if _size(together) > DRIFT * apart else np.zeros(count)


def _neighbours(standing: list[Place]) -> Iterator[tuple[Place, Place]]:
    """Bodies beside each other at about the same height, from left to right."""
    ordered = sorted(standing, key=lambda place: place.x)
    for i, a in enumerate(ordered):
        beside = [b for b in ordered[i + 1 :] if abs(a.y - b.y) < 0.6 or "bob" in (a.shape, b.shape)]
        if beside and beside[0].body != a.body:
            yield a, beside[0]


def _middle(values: Floats) -> float:
    return float(np.min(values) + np.max(values)) / 2


def _size(values: Floats) -> float:
    """Half of what is passed through."""
    return float(np.ptp(values)) / 2


@dataclass(eq=False)
class Animation:
    """A run as a moving picture, which notebooks show: what `animate` returns.

    Attributes
    ----------
    run : xarray.Dataset
        What is shown.
    film : Film
        The machine, and how its parts stand in every frame.
    planes : tuple of str or None
        States of the phase plane that is drawn beside the machine, if there is one.
    frames_per_second : float
        Pictures in a second.

    See Also
    --------
    animate : Makes it.
    machine : A still picture.

    Examples
    --------
    >>> import stickslip as ss, tempfile, pathlib
    >>> run = ss.simulate(ss.models.block_on_belt(), t=60)
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> ss.plot.animate(run, seconds=0.5).save(folder / "belt.gif").name
    'belt.gif'
    """

    run: xarray.Dataset = field(repr=False)
    film: Film = field(repr=False)
    planes: tuple[str, str] | None
    frames_per_second: float

    def __repr__(self) -> str:
        return f"<Animation of {title_of(self.run) or 'a machine'}: {len(self.film)} frames>"

    def _repr_html_(self) -> str:
        data = base64.b64encode(self._gif()).decode("ascii")
        return f'<img src="data:image/gif;base64,{data}" alt="{plain(title_of(self.run)).replace(chr(34), "")}">'

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the animation to a file that ends in .gif or .mp4; it appears whole or not at all.

        Parameters
        ----------
        path : str or path
            The file. MP4 needs the program ffmpeg.

        Returns
        -------
        pathlib.Path
            The same path.

        Raises
        ------
        PictureError
            If the file has another ending, or ffmpeg is missing.

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.plot.animate(ss.simulate(ss.models.block_on_belt(), t=20), seconds=0.5).save("belt.avi")
        Traceback (most recent call last):
        stickslip.errors.PictureError: cannot save an animation as 'belt.avi': end the name with .gif or .mp4
        """
        target = path_of(path)
        writers = {".gif": self._write_gif, ".mp4": self._write_film}
        if target.suffix.lower() not in writers:
            raise PictureError(f"cannot save an animation as {target.name!r}: end the name with .gif or .mp4")
        if not target.parent.is_dir():
            raise FileNotFoundError(f"cannot save {target.name!r}: there is no folder {str(target.parent)!r}")
        with output_file(target) as temporary:
            writers[target.suffix.lower()](temporary)
        return target

    # -- frames --------------------------------------------------------------------------------------------------

    def frame(self, i: int) -> Any:
        """One picture of the animation.

        Parameters
        ----------
        i : int
            Number of the frame, from 0; negative ones count from the end.

        Returns
        -------
        matplotlib.figure.Figure
            The picture.

        Raises
        ------
        IndexError
            If there are not so many frames.

        Examples
        --------
        >>> import stickslip as ss
        >>> run = ss.simulate(ss.models.block_on_belt(), t=20)
        >>> len(ss.plot.animate(run, seconds=0.5).frame(-1).axes)
        1
        """
        stage = _Stage(self.run, self.film, self.planes, self.frames_per_second)
        stage.show(range(len(self.film))[i])
        return stage.figure

    def _frames(self) -> Iterator[Any]:
        """Pictures as Pillow has them."""
        from PIL import Image

        stage = _Stage(self.run, self.film, self.planes, self.frames_per_second)
        background = stage.background()
        for i in range(len(self.film)):
            stage.canvas.restore_region(background)
            stage.show(i)
            stage.draw_moving()
            yield Image.fromarray(np.asarray(stage.canvas.buffer_rgba())[..., :3].copy())

    def _gif(self) -> bytes:
        """All frames with one palette, so that colours do not flicker, in which the background is white."""
        frames = list(self._frames())
        palette = frames[len(frames) // 2].quantize(96)
        colors = np.reshape(palette.getpalette(), (-1, 3))
        colors[colors.min(axis=1) > NEARLY_WHITE] = 255  # Pillow takes any of them for white
        palette.putpalette(colors.ravel().tolist())
        first, *rest = (frame.quantize(palette=palette, dither=0) for frame in frames)
        data = io.BytesIO()
        wait = round(1000 / self.frames_per_second)
        first.save(data, format="GIF", save_all=True, append_images=rest, duration=wait, loop=0)
        return data.getvalue()

    def _write_gif(self, path: Path) -> None:
        path.write_bytes(self._gif())

    def _write_film(self, path: Path) -> None:
        from matplotlib.animation import FFMpegWriter

        if not FFMpegWriter.isAvailable():
            raise PictureError(
                "an MP4 file needs the program ffmpeg, which is not installed: install it, or end the name with .gif"
            )
        stage = _Stage(self.run, self.film, self.planes, self.frames_per_second)
        writer = FFMpegWriter(fps=round(self.frames_per_second), codec="h264")
        with writer.saving(stage.figure, str(path), DPI):
            for i in range(len(self.film)):
                stage.show(i)
                writer.grab_frame()


class _Stage:
    """A figure that pyplot does not know, with the machine and what belongs to it, shown at any frame."""

    def __init__(
        self, run: xarray.Dataset, film: Film, planes: tuple[str, str] | None, frames_per_second: float
    ) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.run, self.film, self.planes = run, film, planes
        left, right, low, high = extent_of(film.machine)
        wide = float(np.clip(0.95 * (right - left), 4.2, 9.0))
        tall = wide * (high - low) / (right - left)
        whole = wide + (PLANE + 0.3 if planes else 0.0)
        title = textwrap.wrap(title_of(run), int(whole / style.TITLE_CHARACTER)) or [""]
        top = 0.45 + 0.2 * len(title)
        inside = max(tall, 2.6 if planes else 0.0)
        size = np.array([whole, inside + top + FOOT])
        with style.context():
            self.figure: Figure = Figure(figsize=tuple(size), dpi=DPI)
            self.canvas: Any = FigureCanvasAgg(self.figure)
            ax = self.figure.add_axes((0, (FOOT + (inside - tall) / 2) / size[1], wide / whole, tall / size[1]))
            self.scene = Scene(ax, film.machine)
            self._write(ax, "\n".join(title), frames_per_second)
            self.dot = None
            if planes:
                box = (wide + 0.65, FOOT + 0.25, PLANE - 0.5, inside - 0.25)
                self.dot = self._draw_plane(self.figure.add_axes(tuple(np.array(box) / np.tile(size, 2))))
            self.show(0)

    def _write(self, ax: Axes, title: str, frames_per_second: float) -> None:
        """The title, how fast it is, what the colours mean, and the time."""
        from matplotlib.lines import Line2D

        unit = str(self.run.attrs.get("time_unit", ""))
        passing = (self.film.times[1] - self.film.times[0]) * frames_per_second
        note = f"One second shows {passing:.3g} {unit or 'units of time'} of the motion."
        height = self.figure.get_figheight()
        edge = 0.12 / self.figure.get_figwidth()
        self.figure.text(edge, 1 - 0.1 / height, title, va="top", fontsize=11.5)
        below = 1 - (0.16 + 0.2 * (title.count("\n") + 1)) / height
        self.figure.text(edge, below, plain(note), va="top", fontsize=8.5, color=style.QUIET)
        self.clock = ax.text(
            0.985, 0.16 / height, "", transform=self.figure.transFigure, ha="right", va="center", fontsize=10,
            color=style.INK, zorder=7,
        )  # fmt: skip
        shown = {touch.contact for touch in self.film.machine.touches}
        looks = [("stick", style.STICK), ("slip", SLIPS)] if shown & set(self.film.contacts) else []
        looks += [("creeps", CREEPS)] if shown - set(self.film.contacts) else []
        handles = [Line2D([], [], color=color, linewidth=4.0, label=label) for label, color in looks]
        if handles:
            look: dict[str, Any] = {"frameon": False, "borderaxespad": 0.0, "handlelength": 1.4}
            at = (edge, 0.16 / height)
            self.figure.legend(handles=handles, loc="center left", bbox_to_anchor=at, ncols=len(handles), **look)

    def _draw_plane(self, ax: Axes) -> Any:
        assert self.planes is not None
        x, y = self.planes
        style.dress(ax)
        draw_parts(ax, pieces(self.run, [0] if self.run.sizes["contact"] else [], self.planes), x, y, "")
        for line in ax.lines:
            line.set_alpha(0.45)
        ax.set_xlabel(state_label(self.run, x))
        ax.set_ylabel(state_label(self.run, y))
        return ax.plot([], [], "o", color=style.INK, markersize=7, zorder=5)[0]

    def background(self) -> Any:
        """What stays the same in all frames, drawn once: axes and their numbers take most of the time."""
        for artist in self._moving():
            artist.set_animated(True)
        self.canvas.draw()
        return self.canvas.copy_from_bbox(self.figure.bbox)

    def draw_moving(self) -> None:
        """The machine on the background, from the lowest layer to the highest."""
        for artist in self._moving():
            artist.axes.draw_artist(artist)

    def _moving(self) -> list[Any]:
        scene = self.scene.ax
        found = [*scene.lines, *scene.patches, *scene.texts, *([] if self.dot is None else [self.dot])]
        return sorted(found, key=lambda artist: artist.get_zorder())

    def show(self, i: int) -> None:
        """Put everything where it is in frame i."""
        pose = self.film.pose(i)
        self.scene.show(pose)
        time, unit = self.film.times[i], str(self.run.attrs.get("time_unit", ""))
        digits = max(0, 2 - int(np.floor(np.log10(self.film.times[-1] - self.film.times[0]))))
        self.clock.set_text(f"$t$ = {time:.{digits}f} {plain(unit)}".rstrip())
        if self.dot is not None and self.planes is not None:
            self.dot.set_data([self.film.states[self.planes[0]][i]], [self.film.states[self.planes[1]][i]])
            sticks = self.film.modes.shape[1] > 0 and self.film.modes[i, 0] == 0
            self.dot.set_color(style.STICK if sticks else SLIPS)
