"""A machine laid out from its parts: where bodies stand, what joins them, and on what they slide.

`layout` is a pure function from a system to a `Machine`, plain data in lengths of the width of a block; x goes to the
right, y up, and the first surface is at y = 0. It knows no matplotlib, so that other pictures can be drawn from it.

Masses stand in a row in the order in which springs and dampers join them; one that slides on another stands on it. What
joins the ends of the row to the ground, or to a base, goes to a wall beside it, all else to a ceiling above.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from stickslip.errors import ModelError
from stickslip.model.errors import shown
from stickslip.model.parts import Base, Belt, Body, Damper, Ground, Interaction, Moving, Rubbing, Spring
from stickslip.model.system import System

WIDTH, HEIGHT = 1.0, 0.8
GAP = 1.5
"""Between neighbours in the row, and between the row and its walls."""
RADIUS = 0.5
RING = 0.2
SHARE = 2.0
"""The width that each mass needs of several that stand on the same one."""
ROD = 1.6
"""The length of a pendulum."""
CEILING = 1.1
"""How far above the highest mass ceilings are."""
TURNS = ("rad", "deg", "°")


@dataclass(frozen=True)
class Place:
    """A body: its `shape` ("block", "disk", "bob", "wall", "ceiling"), its middle, its size; `moves` if it does.

    A block with `wheels` touches nothing that rubs. A bob hangs by a rod of its `height` from a pivot at x, y.
    """

    name: str
    body: str
    shape: str
    x: float
    y: float
    width: float
    height: float
    moves: bool = True
    wheels: bool = False
    degrees: bool = False


@dataclass(frozen=True)
class End:
    """Where a link is fastened: so far from the middle of a place; with a `post` it stands on the top of it."""

    place: str
    x: float
    y: float
    post: bool = False


@dataclass(frozen=True)
class Link:
    """A spring or a damper from one place to another; a "shaft" is a spring between things that turn.

    `over` is the height at which it passes over what stands between its ends, 0 where nothing does.
    """

    name: str
    kind: str
    start: End
    end: End
    over: float = 0.0


@dataclass(frozen=True)
class Surface:
    """What masses slide on: a strip from `left` to `right` at the height y, above or below them; a ring on a disk."""

    body: str
    kind: str
    left: float
    right: float
    y: float
    above: bool = False
    around: str = ""


@dataclass(frozen=True)
class Touch:
    """Where a contact touches a mass: from `left` to `right` of its middle at the height y; on a disk all around."""

    contact: str
    place: str
    left: float
    right: float
    y: float


@dataclass(frozen=True)
class Push:
    """A force on a mass, or a torque; how it acts there is `weight` times its value."""

    name: str
    place: str
    weight: float = 1.0


@dataclass(frozen=True)
class Machine:
    """All of a machine, as data."""

    places: tuple[Place, ...]
    links: tuple[Link, ...]
    surfaces: tuple[Surface, ...]
    touches: tuple[Touch, ...]
    pushes: tuple[Push, ...]

    def place(self, name: str) -> Place:
        """The place by its name."""
        return next(place for place in self.places if place.name == name)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain lists, numbers and texts."""
        return asdict(self)


def layout(system: System) -> Machine:
    """Where each part of a system is drawn.

    >>> from stickslip.model.library import block_on_belt
    >>> machine = layout(block_on_belt())
    >>> [(place.name, place.shape) for place in machine.places]
    [('block', 'block'), ('ground.left', 'wall')]
    >>> [(link.kind, link.start.place, link.end.place) for link in machine.links]
    [('spring', 'block', 'ground.left')]
    """
    if not isinstance(system, System):
        raise ModelError(
            f"{shown(type(system).__name__)} has no parts that could be drawn: a machine is drawn of a System, made of "
            "masses, springs and contacts; a system given by its equations has none"
        )
    return _Layout(system).machine()


@dataclass
class _Layout:
    system: System
    places: dict[str, Place] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    surfaces: list[Surface] = field(default_factory=list)
    touches: list[Touch] = field(default_factory=list)

    def machine(self) -> Machine:
        self.below = _supports(self.system)
        self.row = _row(self.system, self.below)
        self._place_masses()
        self.top = max(_top(place) for place in self.places.values())
        for name, part in self.system.rubbing.items():
            self._rub(name, part)
        self._join_surfaces()
        self._anchor()
        self._join_masses()
        pushes = [Push(n, body.name, weight) for n, part in drives(self.system) for body, weight in weights_of(part)]
        return Machine(
            tuple(self.places.values()), tuple(self.links), tuple(self.surfaces), tuple(self.touches), tuple(pushes)
        )

    # -- bodies --------------------------------------------------------------------------------------------------

    def _place_masses(self) -> None:
        x = 0.0
        rubs = {
            mass.name
            for part in self.system.rubbing.values()
            for mass, _ in part.weights
            if self.below.get(mass.name) != part.against.name
        }
        for mass in self.row:
            width = self._width(mass.name)
            self._place(mass, x + width / 2, 0.0, width, wheels=mass.name not in rubs)
            x += width + GAP
        placed = {mass.name for mass in self.row}
        waiting = [mass for mass in self.system.masses if mass.name not in placed]
        while waiting:  # what they stand on comes first
            mass = next(mass for mass in waiting if self.below[mass.name] in placed)
            waiting.remove(mass)
            placed.add(mass.name)
            under = self.places[self.below[mass.name]]
            riders = [each.name for each in self.system.masses if self.below.get(each.name) == under.name]
            step = SHARE * (riders.index(mass.name) - (len(riders) - 1) / 2)
            aside = -GAP / 2 if self._tied(under.name) else 0.0
            self._place(mass, under.x + aside + step, _top(under), WIDTH, wheels=False)

    def _width(self, name: str) -> float:
        """Room for what stands on a mass, and for springs between them."""
        riders = sum(under == name for under in self.below.values())
        return max(WIDTH, SHARE * riders - 0.75) + (GAP if self._tied(name) else 0.0)

    def _tied(self, name: str) -> bool:
        """Whether a spring or a damper joins a mass to one that stands on it."""
        riders = {rider for rider, under in self.below.items() if under == name}
        pairs = [{body.name for body in part.bodies()} for _, part in _links(self.system)] if riders else []
        return any(name in pair and pair & riders for pair in pairs)

    def _place(self, mass: Moving, x: float, bottom: float, width: float, wheels: bool) -> None:
        shape = shape_of(mass, wheels)
        degrees = mass.unit.startswith(TURNS[1:])
        if shape == "disk":
            self.places[mass.name] = Place(
                mass.name, mass.name, shape, x, bottom + RADIUS + RING, 2 * RADIUS, 2 * RADIUS, degrees=degrees
            )
        elif shape == "bob":
            self.places[mass.name] = Place(mass.name, mass.name, shape, x, bottom + HEIGHT / 2 + ROD, 0.5, ROD)
        else:
            middle = bottom + HEIGHT / 2
            self.places[mass.name] = Place(mass.name, mass.name, shape, x, middle, width, HEIGHT, wheels=wheels)

    # -- surfaces and contacts -----------------------------------------------------------------------------------

    def _rub(self, name: str, part: Rubbing) -> None:
        for mass, _ in part.weights:
            place = self.places[mass.name]
            if place.shape == "disk":
                self._ring(name, place, part.against)
            elif self.below.get(mass.name) == part.against.name:
                self.touches.append(Touch(name, mass.name, -place.width / 2, place.width / 2, -place.height / 2))
            else:
                self._strip(name, place, part.against)

    def _ring(self, name: str, place: Place, against: Body) -> None:
        self.touches.append(Touch(name, place.name, 0.0, 0.0, 0.0))
        if not any(each.around == place.name for each in self.surfaces):
            kind = _kind(against)
            self.surfaces.append(Surface(against.name, kind, place.x, place.x, place.y, around=place.name))

    def _strip(self, name: str, place: Place, against: Body) -> None:
        """Below the mass; what is another body than the first goes above it, and side by side where that is taken."""
        low, high = place.y - place.height / 2, place.y + place.height / 2
        mine = [each for each in self.surfaces if each.left == each.right == place.x and not each.around]
        known = next((each for each in mine if each.body == against.name), None)
        if known is None:
            carries = place.name in self.below.values()
            above = place.name in self.below or (bool(mine) and not carries and not any(each.above for each in mine))
            known = Surface(against.name, _kind(against), place.x, place.x, high if above else low, above)
            self.surfaces.append(known)
        self.touches.append(Touch(name, place.name, 0.0, 0.0, known.y - place.y))

    def _join_surfaces(self) -> None:
        """Contacts on the same side of a mass share its width; strips of neighbours on the same body become one."""
        shared: dict[tuple[str, float], list[int]] = {}
        for i, touch in enumerate(self.touches):
            if self.places[touch.place].shape != "disk":
                shared.setdefault((touch.place, touch.y), []).append(i)
        for (name, y), members in shared.items():
            width = self.places[name].width
            for k, i in enumerate(members):
                left = -width / 2 + k * width / len(members)
                gap = 0.06 if len(members) > 1 else 0.0
                right = left + width / len(members) - gap
                self.touches[i] = Touch(self.touches[i].contact, name, left, right, y)
        strips = _side_by_side([each for each in self.surfaces if not each.around])
        joined: list[Surface] = [each for each in self.surfaces if each.around]
        reach = WIDTH / 2 + 0.55 * GAP
        for strip in sorted(strips, key=lambda each: (each.y, each.left)):
            last = joined[-1] if joined else None
            left, right = (
                (strip.left, strip.right) if strip.left < strip.right else (strip.left - reach, strip.right + reach)
            )
            same = last is not None and (last.body, last.y, last.above) == (strip.body, strip.y, strip.above)
            if last is not None and same and not last.around and left <= last.right + GAP:
                joined[-1] = Surface(last.body, last.kind, last.left, right, last.y, last.above)
            else:
                joined.append(Surface(strip.body, strip.kind, left, right, strip.y, strip.above))
        self.surfaces = joined

    # -- springs and dampers ---------------------------------------------------------------------------------------

    def _anchor(self) -> None:
        """Links to the ground and to bases, bundled by mass and by body."""
        bundles: dict[tuple[str, str], list[tuple[str, Spring | Damper]]] = {}
        for name, part in _links(self.system):
            moving = _moving(self.system, part)
            ways = {weight > 0 for body, weight in part.ends if body in moving}
            for anchor in part.bodies():
                if isinstance(anchor, Ground) and len(ways) > 1:
                    continue  # one mass pulls the other, as over a pulley
                if anchor not in moving:
                    bundles.setdefault((moving[0].name, anchor.name), []).append((name, part))
        sides: dict[str, list[str]] = {}
        for (mass, body), members in bundles.items():
            place = self.places[mass]
            if place.shape == "bob" and body == "ground":
                continue  # what holds a pendulum is its pivot
            free = [side for side in self._free_sides(place) if side not in sides.get(mass, [])]
            side = free[0] if free else "above"
            sides.setdefault(mass, []).append(side)
            wall = self._wall(place, body, side)
            for offset, (name, part) in zip(_spread(len(members), place), members, strict=True):
                self.links.append(_anchored(name, _link_kind(part, place), place, wall, side, offset))

    def _free_sides(self, place: Place) -> list[str]:
        """At which ends of its row a mass is."""
        level = [each for each in self.places.values() if each.y == place.y and each.shape not in ("wall", "ceiling")]
        if place.name not in self.below:
            level = [self.places[mass.name] for mass in self.row]
        ends = [side for side, end in (("left", min), ("right", max)) if end(e.x for e in level) == place.x]
        return ends

    def _wall(self, place: Place, body: str, side: str) -> Place:
        moves = isinstance(self.system.bodies.get(body), Base | Belt)
        if side == "above":
            name, x = f"{body}.above.{place.name}", place.x
            while any(abs(each.x - x) < 0.8 for each in self.places.values() if each.shape == "ceiling"):
                x += 0.8
            return self.places.setdefault(name, Place(name, body, "ceiling", x, self.top + CEILING, 0.7, 0.16, moves))
        level = [each for each in self.places.values() if each.shape not in ("wall", "ceiling")]
        inner = min(e.x - e.width / 2 for e in level) if side == "left" else max(e.x + e.width / 2 for e in level)
        x = inner - GAP - 0.08 if side == "left" else inner + GAP + 0.08
        name = f"{body}.{side}" if place.name not in self.below else f"{body}.{side}.{place.name}"
        height = 0.9 * HEIGHT if self.below else 1.1
        return self.places.setdefault(name, Place(name, body, "wall", x, place.y, 0.16, height, moves))

    def _join_masses(self) -> None:
        bundles: dict[tuple[str, str], list[tuple[str, Spring | Damper]]] = {}
        for name, part in _links(self.system):
            first, *others = [body.name for body in _moving(self.system, part)]
            for other in others:
                pair = sorted((first, other), key=lambda each: (self.places[each].x, each))
                bundles.setdefault((pair[0], pair[1]), []).append((name, part))
        passing = 0
        for (first, second), members in bundles.items():
            a, b = self.places[first], self.places[second]
            stacked = self.below.get(first) == second or self.below.get(second) == first
            over = 0.0
            if not stacked and self._between(a, b):
                passing += 1
                over = self.top + 0.35 + 0.3 * (passing - 1)
            for offset, (name, part) in zip(_spread(len(members), a), members, strict=True):
                kind = _link_kind(part, a if a.shape == b.shape and not over else None)
                self.links.append(_between(name, kind, a, b, offset, over, stacked))

    def _between(self, a: Place, b: Place) -> bool:
        """Whether another mass of the row stands between two."""
        row = [self.places[mass.name] for mass in self.row]
        return any(a.x < each.x < b.x and each.name not in (a.name, b.name) for each in row)


def shape_of(mass: Moving, alone: bool) -> str:
    """What a mass looks like: a disk if it turns, a bob if it is called pendulum and rubs on nothing, else a block."""
    if "pendulum" in mass.name.lower() and alone:
        return "bob"
    return "disk" if mass.kind == "Rotor" or mass.unit.startswith(TURNS) else "block"


def _side_by_side(strips: list[Surface]) -> list[Surface]:
    """Strips of two bodies on the same side of a mass take half of it each."""
    reach = WIDTH / 2 + 0.55 * GAP
    result = []
    for strip in strips:
        same = [each for each in strips if (each.left, each.y) == (strip.left, strip.y)]
        if len(same) > 1:
            edges = [strip.left - reach + 2 * reach * i / len(same) for i in range(len(same) + 1)]
            i = same.index(strip)
            strip = replace(strip, left=edges[i], right=edges[i + 1])
        result.append(strip)
    return result


def _kind(body: Body) -> str:
    return "belt" if isinstance(body, Belt) else "ground" if isinstance(body, Ground) else "base"


def _link_kind(part: Interaction, place: Place | None) -> str:
    if isinstance(part, Damper):
        return "damper"
    return "shaft" if place is not None and place.shape == "disk" else "spring"


def drives(system: System) -> list[tuple[str, Interaction]]:
    """Forces and torques by name: what acts on bodies from outside and neither joins nor rubs them."""
    return [(n, p) for n, p in system.interactions.items() if not isinstance(p, Spring | Damper | Rubbing)]


def weights_of(part: Interaction) -> tuple[tuple[Body, float], ...]:
    """The bodies that a force acts on, with their weights."""
    return getattr(part, "weights", tuple((body, 1.0) for body in part.bodies()))


def _moving(system: System, part: Interaction) -> list[Body]:
    """The bodies of a part that move freely."""
    return [body for body in part.bodies() if body in system.masses]


def _links(system: System) -> Iterable[tuple[str, Spring | Damper]]:
    return ((name, part) for name, part in system.interactions.items() if isinstance(part, Spring | Damper))


def _top(place: Place) -> float:
    return (
        place.y + place.height / 2 + (RING if place.shape == "disk" else 0.0) - (ROD if place.shape == "bob" else 0.0)
    )


def _supports(system: System) -> dict[str, str]:
    """Which mass stands on which: the first one that it rubs on, unless that one stands on it already."""
    below: dict[str, str] = {}
    turning = {mass.name for mass in system.masses if shape_of(mass, False) == "disk"}
    for part in system.rubbing.values():
        upper, under = part.weights[0][0].name, part.against.name
        if part.against in system.masses and upper not in below and not {upper, under} & turning:
            chain = [under]
            while chain[-1] in below:
                chain.append(below[chain[-1]])
            if upper not in chain:
                below[upper] = under
    return below


def _row(system: System, below: Mapping[str, str]) -> list[Moving]:
    """The masses that stand on no other, neighbours beside each other, from an end that is held."""

    def ground_of(name: str) -> str:
        while name in below:
            name = below[name]
        return name

    masses = {mass.name: mass for mass in system.masses if mass.name not in below}
    joined: dict[str, list[str]] = {name: [] for name in masses}
    held: dict[str, int] = dict.fromkeys(masses, 0)
    for part in (*(part for _, part in _links(system)), *system.rubbing.values()):
        found = [ground_of(body.name) for body in _moving(system, part)]
        held[found[0]] += len(found) == 1 and not isinstance(part, Rubbing)
        for other in found[1:]:
            if other != found[0]:
                joined[found[0]].append(other)
                joined[other].append(found[0])
    order: list[str] = []
    for start in sorted(masses, key=lambda name: (len(set(joined[name])), held[name] == 0)):
        waiting = [start]
        while waiting:
            name = waiting.pop()
            if name not in order:
                order.append(name)
                waiting += [other for other in reversed(joined[name]) if other not in order]
    return [masses[name] for name in order]


def _spread(count: int, place: Place) -> list[float]:
    """Heights of links side by side."""
    room = 0.55 * min(place.height, HEIGHT)
    return [0.0] if count == 1 else [room * (0.5 - i / (count - 1)) for i in range(count)]


def _anchored(name: str, kind: str, place: Place, anchor: Place, side: str, offset: float) -> Link:
    if side == "above":
        top = _top(place) - place.y if place.shape != "bob" else -place.height
        return Link(name, kind, End(place.name, offset, top), End(anchor.name, offset, -0.08))
    out = -1 if side == "left" else 1
    half = 0.0 if place.shape == "bob" else place.width / 2
    low = -place.height if place.shape == "bob" else 0.0
    return Link(name, kind, End(place.name, out * half, offset + low), End(anchor.name, -out * 0.08, offset + low))


def _between(name: str, kind: str, a: Place, b: Place, offset: float, over: float, stacked: bool) -> Link:
    """Between facing sides; over what is between them; where one stands on the other, to a post on the lower one."""
    if stacked:
        upper, under = (a, b) if a.y > b.y else (b, a)
        height = upper.y - under.y + offset
        post = End(under.name, under.width / 2 - 0.05, height, post=True)
        return Link(name, kind, End(upper.name, upper.width / 2, offset), post)
    if over:
        return Link(
            name, kind, End(a.name, 0.2 + offset, _top(a) - a.y), End(b.name, offset - 0.2, _top(b) - b.y), over
        )
    ends = []
    for place, out in ((a, 1), (b, -1)):
        half = 0.0 if place.shape == "bob" else place.width / 2
        low = -place.height if place.shape == "bob" else 0.0
        ends.append(End(place.name, out * half, low + offset))
    return Link(name, kind, ends[0], ends[1])
