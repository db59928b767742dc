"""A machine drawn with matplotlib from its layout, and moved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import cos, pi, radians, sin
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.plot import style
from stickslip.plot.labels import plain, title_of_model
from stickslip.plot.machine import RADIUS, RING, End, Link, Machine, Place, Push, Surface, Touch, layout
from stickslip.plot.prescribed import pushes_at_start

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BODY, BAND = "#E3ECF3", "#ECECEC"
SLIPS = style.SLIP
CREEPS = style.QUIET
THICK = 0.18
REACH = 0.72
"""How far a body may move from its place, in widths of a block."""
SPACING = 0.3
COILS = 7
LEGIBLE = 0.6
"""Inches for the width of a block from which lines and names are as large as elsewhere; below it they shrink."""
SMALLEST = 3.0
"""Points of a font below which nobody reads a name, so that it is left out."""
Point = tuple[float, float]
NOWHERE = (np.nan, np.nan)


@dataclass(frozen=True)
class Pose:
    """A machine at one time.

    `moved` has how far bodies are from their places, in scene lengths or as angles; `modes` the modes of contacts (None
    where a contact has none), `pushes` forces as parts of their largest value.
    """

    moved: Mapping[str, float] = field(default_factory=dict)
    modes: Mapping[str, int | None] = field(default_factory=dict)
    pushes: Mapping[str, float] = field(default_factory=dict)


def machine(system: Any, ax: Axes | None = None) -> Axes:
    """Draw the machine that a system describes, laid out from its parts.

    Blocks, disks (masses with an angle for a unit), belts, bases and the ground, springs, dampers and contacts are
    drawn with their names. A mass called pendulum that rubs on nothing hangs from a pivot. Lengths mean nothing.

    Parameters
    ----------
    system : System
        The system to draw.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    ModelError
        If the model is given by its equations: it has no parts.

    See Also
    --------
    animate : the machine in motion.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.plot.machine(ss.models.two_blocks()).get_title("left")
    'Two coupled blocks on a belt'
    """
    found = layout(system)
    left, right, low, high = extent_of(found)
    width = float(np.clip(0.95 * (right - left), 4.0, 12.0))
    with style.canvas(ax, width, width * (high - low) / (right - left) + 0.35) as axes:
        scene = Scene(axes, found)
        scene.show(Pose(pushes=pushes_at_start(system)))
        scene.name_parts()
        style.header(axes, title_of_model(system))
    return axes


def extent_of(found: Machine) -> tuple[float, float, float, float]:
    """The picture that a machine needs: left, right, low, high."""
    xs = [x for p in found.places for x in (p.x - p.width / 2, p.x + p.width / 2)]
    xs += [x for s in found.surfaces for x in ((s.left, s.right) if not s.around else (s.left - 0.8, s.right + 0.8))]
    ys = [y for p in found.places for y in (p.y - p.height / 2, p.y + p.height / 2)]
    ys += [y + side * 0.45 for s in found.surfaces for y, side in ((s.y, 1 if s.above else -1),) if not s.around]
    ys += [s.y + side * (RADIUS + RING + 0.35) for s in found.surfaces if s.around for side in (-1, 1)]
    ys += [p.y + p.height / 2 + 0.3 for p in found.places if p.moves and p.shape in ("wall", "ceiling")]
    ys += [link.over + 0.2 for link in found.links if link.over] + [-0.3]
    moving = [p for p in found.places if p.moves and p.shape != "disk"]
    xs += [p.x + side * (p.width / 2 + REACH) for p in moving for side in (-1, 1)]
    top = max(ys) + (0.35 if found.pushes else 0.1)
    return min(xs) - 0.2, max(xs) + 0.2, min(ys), top


class Scene:
    """The artists of a machine, on some axes; `show` puts them where they are at one time."""

    def __init__(self, ax: Axes, found: Machine) -> None:
        self.ax, self.machine = ax, found
        self.places = {place.name: place for place in found.places}
        self.updates: list[Callable[[Pose], None]] = []
        self.named: list[Point] = []
        left, right, low, high = extent_of(found)
        figure = ax.get_figure()
        assert figure is not None
        size = min(ax.bbox.width / (right - left), ax.bbox.height / (high - low)) / figure.dpi
        self.zoom = float(np.clip(size / LEGIBLE, 0.15, 1.0))
        ax.set(xlim=(left, right), ylim=(low, high), aspect="equal")
        ax.axis("off")
        for surface in found.surfaces:
            self._draw_ring(surface) if surface.around else self._draw_strip(surface)
        for link in found.links:
            self._draw_link(link)
        for place in found.places:
            draw = {"disk": self._draw_disk, "bob": self._draw_bob, "block": self._draw_block}
            draw.get(place.shape, self._draw_wall)(place)
        for touch in found.touches:
            self._draw_touch(touch)
        for push in found.pushes:
            self._draw_push(push, self.places[push.place])

    def show(self, pose: Pose) -> None:
        """Move everything to where it is."""
        for update in self.updates:
            update(pose)

    # -- where things are ----------------------------------------------------------------------------------------

    def _shift(self, place: Place, pose: Pose) -> float:
        """How far a place has moved to the right."""
        return pose.moved.get(place.body, 0.0) if place.moves and place.shape != "disk" else 0.0

    def _angle(self, place: Place, pose: Pose) -> float:
        moved = pose.moved.get(place.body, 0.0)
        return radians(moved) if place.degrees else moved

    def _swing(self, place: Place, pose: Pose) -> Point:
        """The middle of a bob: its rod keeps its length."""
        across = float(np.clip(pose.moved.get(place.body, 0.0), -0.9 * place.height, 0.9 * place.height))
        return place.x + across, place.y - float(np.sqrt(place.height**2 - across**2))

    def _at(self, end: End, pose: Pose) -> Point:
        place = self.places[end.place]
        if place.shape == "bob":
            x, y = self._swing(place, pose)
            return x + end.x, y + end.y + place.height
        return place.x + end.x + self._shift(place, pose), place.y + end.y

    # -- bodies ------------------------------------------------------------------------------------------------------

    def _line(self, width: float = 1.2, color: str = style.INK, z: float = 3.0, **look: Any) -> Any:
        return self.ax.plot([], [], color=color, linewidth=self.zoom * width, zorder=z, **look)[0]

    def _draw_block(self, place: Place) -> None:
        from matplotlib.patches import Circle, FancyBboxPatch

        x, y, w, h = place.x - place.width / 2, place.y - place.height / 2, place.width, place.height
        raised = 0.16 if place.wheels else 0.0
        shape = "round,pad=0,rounding_size=0.06"
        look: dict[str, Any] = {"facecolor": BODY, "edgecolor": style.INK, "linewidth": 1.3 * self.zoom}
        box = FancyBboxPatch((x, y + raised), w, h - raised, boxstyle=shape, zorder=4, **look)
        self.ax.add_patch(box)
        wheels = [Circle((0, 0), 0.08, zorder=4, **look) for _ in range(2 if place.wheels else 0)]
        for wheel in wheels:
            self.ax.add_patch(wheel)
        if wheels:
            self._line(0.9, style.QUIET, z=2).set_data([x - 0.8, x + w + 0.8], [y, y])
        name = self._name(place.name, (place.x, place.y + raised / 2), place.width)

        def update(pose: Pose) -> None:
            shift = self._shift(place, pose)
            box.set_x(x + shift)
            name.set_x(place.x + shift)
            for side, wheel in zip((-0.3, 0.3), wheels, strict=False):
                wheel.center = (place.x + shift + side * w, y + 0.08)

        self.updates.append(update)

    def _name(self, text: str, at: Point, width: float) -> Any:
        size = 9.0 * self.zoom * min(1.0, 9 * width / max(len(text), 1))
        shown = plain(text) if size > SMALLEST else ""
        return self.ax.text(*at, shown, ha="center", va="center", fontsize=size, color=style.INK, zorder=6)

    def _draw_disk(self, place: Place) -> None:
        from matplotlib.patches import Circle

        look: dict[str, Any] = {"facecolor": BODY, "edgecolor": style.INK, "linewidth": 1.3 * self.zoom}
        self.ax.add_patch(Circle((place.x, place.y), RADIUS, zorder=4, **look))
        self.ax.add_patch(Circle((place.x, place.y), 0.05, zorder=5, facecolor=style.INK, linewidth=0))
        spoke, dot = self._line(1.6, z=4.5), self._line(z=4.6, marker="o", markersize=6)
        outer = RADIUS + (RING if any(s.around == place.name for s in self.machine.surfaces) else 0.0)
        self._name(place.name, (place.x, place.y + outer + 0.14), 2.0)

        def update(pose: Pose) -> None:
            angle = self._angle(place, pose)
            x, y = place.x + 0.8 * RADIUS * cos(angle), place.y + 0.8 * RADIUS * sin(angle)
            spoke.set_data([place.x, x], [place.y, y])
            dot.set_data([x], [y])

        self.updates.append(update)

    def _draw_bob(self, place: Place) -> None:
        from matplotlib.patches import Circle

        rod = self._line(1.6, z=3.5)
        bob = Circle((0, 0), 0.26, facecolor=BODY, edgecolor=style.INK, linewidth=1.3, zorder=4)
        self.ax.add_patch(bob)
        self._hatched((place.x - 0.3, place.y), (place.x + 0.3, place.y), up=True)
        name = self._name(place.name, (place.x, 0.0), 2.0)

        def update(pose: Pose) -> None:
            bob.center = self._swing(place, pose)
            rod.set_data([place.x, bob.center[0]], [place.y, bob.center[1]])
            name.set_position((bob.center[0], bob.center[1] - 0.4))

        self.updates.append(update)

    def _hatched(self, a: Point, b: Point, up: bool = False, right: bool = False) -> list[Any]:
        """A line with short strokes on one side: what does not move, or what is moved from outside."""
        edge, marks = self._line(1.4, z=2.5), self._line(0.8, style.QUIET, z=2.4)
        edge.set_data([a[0], b[0]], [a[1], b[1]])
        marks.set_data(*_strokes(a, b, up, right))
        return [edge, marks]

    def _draw_wall(self, place: Place) -> None:
        """A wall of the ground, or the plate of a base with its name."""
        inner = self.machine_middle > place.x
        if place.shape == "ceiling":
            low = place.y - place.height / 2
            a, b = (place.x - place.width / 2, low), (place.x + place.width / 2, low)
        else:
            x = place.x + (0.08 if inner else -0.08)
            a, b = (x, place.y - place.height / 2), (x, place.y + place.height / 2)
        parts = self._hatched(a, b, up=place.shape == "ceiling", right=not inner)
        texts = []
        if place.moves:
            high = max(a[1], b[1]) + (0.24 if place.shape == "ceiling" else 0.14)
            texts.append(self._name(place.body, ((a[0] + b[0]) / 2, high), 2.0))
            for part in parts:
                part.set_color(style.SERIES[1])

        def update(pose: Pose) -> None:
            shift = self._shift(place, pose)
            parts[0].set_data([a[0] + shift, b[0] + shift], [a[1], b[1]])
            parts[1].set_data(
                *_strokes((a[0] + shift, a[1]), (b[0] + shift, b[1]), place.shape == "ceiling", not inner)
            )
            for text in texts:
                text.set_x((a[0] + b[0]) / 2 + shift)

        self.updates.append(update)

    @property
    def machine_middle(self) -> float:
        """The middle of the row of masses."""
        xs = [place.x for place in self.machine.places if place.shape not in ("wall", "ceiling")]
        return (min(xs) + max(xs)) / 2

    # -- what bodies slide on ----------------------------------------------------------------------------------------

    def _draw_strip(self, surface: Surface) -> None:
        from matplotlib.patches import FancyBboxPatch

        out = 1 if surface.above else -1
        marks = self._line(1.0, style.QUIET, z=2.4)
        if surface.kind == "belt":
            low = surface.y if surface.above else surface.y - THICK
            shape = f"round,pad=0,rounding_size={THICK / 2}"
            band = FancyBboxPatch(
                (surface.left, low), surface.right - surface.left, THICK, boxstyle=shape, facecolor=BAND,
                edgecolor=style.INK, linewidth=1.1 * self.zoom, zorder=2.2,
            )  # fmt: skip
            self.ax.add_patch(band)
        else:
            color = style.INK if surface.kind == "ground" else style.SERIES[1]
            edge = self._line(1.4, color, z=2.5)
            edge.set_data([surface.left, surface.right], [surface.y, surface.y])
        if surface.kind != "ground":
            at = ((surface.left + surface.right) / 2, surface.y + out * (THICK + 0.14))
            self._name(surface.body, at, 2.0).set_color(style.QUIET)

        def update(pose: Pose) -> None:
            shift = pose.moved.get(surface.body, 0.0)
            first, last = surface.left + 0.1, surface.right - 0.1
            xs = first + (np.arange(int((last - first) / SPACING)) * SPACING + shift) % (last - first - 0.08)
            lean = 0.08
            bottom, top = surface.y + out * 0.02, surface.y + out * (THICK - 0.02)
            marks.set_data(*_segments([((x, bottom), (x + lean * out, top)) for x in xs.tolist()]))

        self.updates.append(update)

    def _draw_ring(self, surface: Surface) -> None:
        from matplotlib.patches import Annulus

        place = self.places[surface.around]
        look: dict[str, Any] = {"facecolor": BAND, "edgecolor": style.INK, "linewidth": 1.1 * self.zoom, "zorder": 2.2}
        self.ax.add_patch(Annulus((place.x, place.y), RADIUS + RING, RING, **look))
        marks = self._line(1.0, style.QUIET, z=2.4)
        if surface.kind != "ground":
            at = (place.x, place.y - RADIUS - RING - 0.16)
            self._name(surface.body, at, 2.0).set_color(style.QUIET)

        def update(pose: Pose) -> None:
            turned = pose.moved.get(surface.body, 0.0)
            turned = radians(turned) if place.degrees else turned
            rays = []
            for angle in np.arange(12) * pi / 6 + turned:
                ends = [(place.x + r * cos(angle), place.y + r * sin(angle)) for r in (RADIUS, RADIUS + RING)]
                rays.append((ends[0], ends[1]))
            marks.set_data(*_segments(rays))

        self.updates.append(update)

    def _draw_touch(self, touch: Touch) -> None:
        place = self.places[touch.place]
        line = self._line(4.5, z=5.0, solid_capstyle="butt", gid="touch")
        around = np.linspace(0, 2 * pi, 80)
        rings = [t for t in self.machine.touches if t.place == touch.place]
        radius = RADIUS - 0.05 * rings.index(touch)

        def update(pose: Pose) -> None:
            if place.shape == "disk":
                line.set_data(place.x + radius * np.cos(around), place.y + radius * np.sin(around))
            else:
                x, y = place.x + self._shift(place, pose), place.y + touch.y
                line.set_data([x + touch.left, x + touch.right], [y, y])
            mode = pose.modes.get(touch.contact)
            line.set_color(CREEPS if mode is None else style.STICK if mode == 0 else SLIPS)

        self.updates.append(update)

    # -- what joins bodies, and what pushes them -----------------------------------------------------------------------

    def _draw_link(self, link: Link) -> None:
        line = self._line(1.2, z=3.2)
        line.set_gid(link.name)
        shape = {"spring": _spring, "damper": _damper}.get(link.kind)
        a, b = self.places[link.start.place], self.places[link.end.place]

        def update(pose: Pose) -> None:
            p, q = self._at(link.start, pose), self._at(link.end, pose)
            if shape is None:
                twist = self._turn(a, pose) - self._turn(b, pose)
                line.set_data(*_shaft(p, q, twist))
                return
            before: list[Point] = []
            after: list[Point] = []
            if link.over:
                before, after = [p, (p[0], link.over), NOWHERE], [NOWHERE, (q[0], link.over), q]
                p, q = (p[0], link.over), (q[0], link.over)
            if link.end.post:
                after = [NOWHERE, q, (q[0], b.y + b.height / 2)]
            line.set_data(*np.transpose([*before, *shape(p, q), *after]))

        self.updates.append(update)

    def _turn(self, place: Place, pose: Pose) -> float:
        return self._angle(place, pose) if place.shape == "disk" or place.moves else 0.0

    def _draw_push(self, push: Push, place: Place) -> None:
        """An arrow over the mass, as long as the force is large; over a disk it points the way that it turns it."""
        line = self._line(1.8, style.SERIES[2], z=6)
        sense = float(np.sign(push.weight)) * (-1 if place.shape == "disk" else 1)

        def update(pose: Pose) -> None:
            value = sense * pose.pushes.get(push.name, 0.0)
            up = RADIUS + RING + 0.28 if place.shape == "disk" else place.height / 2 + 0.14
            if place.shape == "bob":
                x, y = self._swing(place, pose)
                y += 0.4
            else:
                x, y = place.x + self._shift(place, pose), place.y + up
            head = 0.12 * np.sign(value)
            tip = x + 0.8 * value
            line.set_data([x, tip, tip - head, np.nan, tip, tip - head], [y, y, y + 0.07, np.nan, y, y - 0.07])

        self.updates.append(update)

    # -- names -----------------------------------------------------------------------------------------------------

    def name_parts(self) -> None:
        """The names of springs, dampers, contacts and forces, where there is room for them."""
        pose = Pose()
        for link in self.machine.links:
            p, q = self._at(link.start, pose), self._at(link.end, pose)
            y = link.over or (p[1] + q[1]) / 2
            away = 0.26 if abs(q[0] - p[0]) < 0.3 else 0.0
            self._small(link.name, ((p[0] + q[0]) / 2 + away, y + (0.0 if away else 0.2)), "left" if away else "center")
        for touch in self.machine.touches:
            place = self.places[touch.place]
            if place.shape == "disk":
                self._small(touch.contact, (place.x + 0.72 * RADIUS, place.y - 0.72 * RADIUS - 0.32), "left")
            else:
                inside = 0.13 if touch.y < 0 else -0.13
                x = place.x + (touch.left + touch.right) / 2
                self._small(touch.contact, (x, place.y + touch.y + inside), "center", touch.right - touch.left)

    def _small(self, text: str, at: Point, align: str, room: float = 9.0) -> None:
        size = 7.5 * self.zoom * min(1.0, 11 * room / max(len(text), 1))
        free = all(abs(x - at[0]) > 0.3 or abs(y - at[1]) > 0.24 for x, y in self.named)
        if size > SMALLEST and free:
            self.named.append(at)
            self.ax.text(*at, plain(text), ha=align, va="center", fontsize=size, color=style.QUIET, zorder=6)


def _frame(p: Point, q: Point) -> tuple[Floats, Floats, Floats, float]:
    """The start of a link, the direction along it and across it, and its length."""
    start, way = np.array(p), np.subtract(q, p)
    length = float(np.hypot(*way)) or 1e-9
    along = way / length
    return start, along, np.array([-along[1], along[0]]), length


def _placed(p: Point, q: Point, points: Sequence[Point]) -> list[Point]:
    """Points given along and across a link, in the plane."""
    start, along, across, _ = _frame(p, q)
    return [(float(x), float(y)) for x, y in (start + np.outer(np.array(points)[:, 0], along)
                                               + np.outer(np.array(points)[:, 1], across))]  # fmt: skip


def _spring(p: Point, q: Point) -> list[Point]:
    """A zigzag with straight ends; coils come nearer to each other where it is short."""
    length = _frame(p, q)[3]
    lead = min(0.14, 0.15 * length)
    steps = np.linspace(lead, length - lead, 2 * COILS + 1)[1:-1]
    zigzag = [(float(s), 0.11 * (-1) ** i) for i, s in enumerate(steps)]
    return _placed(p, q, [(0.0, 0.0), (lead, 0.0), *zigzag, (length - lead, 0.0), (length, 0.0)])


def _damper(p: Point, q: Point) -> list[Point]:
    """A piston on a rod from one end in a cylinder on a rod from the other."""
    length = _frame(p, q)[3]
    bottom, depth = length - 0.3, 0.5
    piston = float(np.clip(length / 2, bottom - depth + 0.05, bottom - 0.05))
    drawn: list[Point] = [(0.0, 0.0), (piston, 0.0), NOWHERE, (piston, -0.07), (piston, 0.07), NOWHERE]
    drawn += [(bottom - depth, 0.11), (bottom, 0.11), (bottom, -0.11), (bottom - depth, -0.11), NOWHERE]
    return _placed(p, q, [*drawn, (bottom, 0.0), (length, 0.0)])


def _shaft(p: Point, q: Point, twist: float) -> tuple[Floats, Floats]:
    """A shaft: lines along it that lean the more, the more it is twisted."""
    length, lean = _frame(p, q)[3], float(np.clip(0.06 * twist, -0.4, 0.4))
    drawn: list[Point] = [(0.0, 0.07), (length, 0.07), NOWHERE, (0.0, -0.07), (length, -0.07)]
    for at in np.linspace(0.15, length - 0.15, 6).tolist():
        drawn += [NOWHERE, (at - lean / 2, -0.07), (at + lean / 2, 0.07)]
    xs, ys = np.transpose(_placed(p, q, drawn))
    return xs, ys


def _segments(pairs: Sequence[tuple[Point, Point]]) -> tuple[Floats, Floats]:
    """Separate straight pieces as one line."""
    drawn = [point for a, b in pairs for point in (a, b, NOWHERE)]
    xs, ys = np.transpose(drawn or [NOWHERE])
    return xs, ys


def _strokes(a: Point, b: Point, up: bool, right: bool) -> tuple[Floats, Floats]:
    """Short slanted strokes behind a line: above it, or to one side of it."""
    count = max(2, round(float(np.hypot(b[0] - a[0], b[1] - a[1])) / 0.13))
    starts = [(a[0] + (b[0] - a[0]) * s, a[1] + (b[1] - a[1]) * s) for s in (np.arange(count) + 0.5) / count]
    step = (0.09, 0.11) if up else (0.11 if right else -0.11, -0.09)
    return _segments([((x, y), (x + step[0], y + step[1])) for x, y in starts])
