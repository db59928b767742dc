"""`stickslip identify`: from a file of measurements to friction with its errors, a line for a model file, pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickslip.cli import arguments, outputs
from stickslip.cli.screen import console, number, table
from stickslip.errors import ModelError
from stickslip.model.errors import shown
from stickslip.model.laws import FrictionLaw, Polynomial, Stribeck, WithViscous
from stickslip.model.reading import LAWS
from stickslip.model.system import suggest

if TYPE_CHECKING:
    from rich.console import Console

    from stickslip.identify import Estimate, Table

WHAT = ("characteristic", "ringdown", "aging", "reconstruct")
MOST_SKIPPED = 5


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    file: Path
    what: str
    columns: dict[str, str | None]
    law: str
    compare: str | None
    normal: str | None
    fixed: list[str]
    numbers: dict[str, float | None]
    loss: str
    side: str
    offset: bool
    classes: int
    skip_bad: bool
    decimal: str
    plots: list[Path]
    save: Path | None

    def column(self, name: str) -> str:
        """The name of a column that is needed, or a sentence that says which option gives it."""
        found = self.columns.get(name)
        if found is None:
            option = f"--{name.replace('_', '-')}"
            raise ModelError(f"{self.what} needs the column of the {name.replace('_', ' ')}: say {option} NAME")
        return found

    def value(self, name: str) -> float:
        """A number that is needed."""
        found = self.numbers.get(name)
        if found is None:
            raise ModelError(f"{self.what} needs the {name}: say --{name} NUMBER")
        return found


def perform(request: Request) -> None:
    """Read, fit, sum up, save, draw."""
    works = {"characteristic": _characteristic, "ringdown": _ringdown, "aging": _aging, "reconstruct": _reconstruct}
    if request.what not in works:
        raise ModelError(f"--what is {shown(request.what)}{suggest(request.what, WHAT)}")
    _check_files(request)
    _check_laws(request)
    works[request.what](request, console())


def _check_files(request: Request) -> None:
    outputs.check([*request.plots], None)
    if request.save is None:
        return
    if request.save.suffix.lower() != ".csv":
        raise ModelError(f"--save writes CSV: {shown(str(request.save))} must end with .csv")
    if request.what not in ("characteristic", "reconstruct"):
        raise ModelError(f"--save keeps classes of speed or reconstructed forces: {request.what} has neither")
    if not request.save.parent.is_dir():
        raise ModelError(f"cannot write {shown(str(request.save))}: there is no folder {str(request.save.parent)!r}")


def _check_laws(request: Request) -> None:
    """Refuse unknown laws before the file is read."""
    from stickslip.identify.curves import law_named

    if request.what in ("characteristic", "reconstruct"):
        for name in (request.law, *(request.compare.split(",") if request.compare else ())):
            law_named(name)


def _table(request: Request, names: Sequence[str], out: Console) -> Table:
    from stickslip.identify import read

    found = read(request.file, names, skip_bad=request.skip_bad, decimal=request.decimal)
    out.print(f"{request.file.name}: {len(found)} rows", style="bold")
    if found.skipped:
        out.print(f"{len(found.skipped)} rows were left out:")
        out.print(table([(reason,) for reason in found.skipped], most=MOST_SKIPPED))
    for note in found.notes:
        out.print(note)
    return found


def _print_estimate(out: Console, estimate: Estimate, title: str) -> None:
    rows = [
        (name, number(value, 6), *(("fixed", "", "") if name in estimate.fixed else _errors(error, low, high)))
        for name, value, error, low, high in estimate.rows()
    ]
    out.print(title)
    out.print(table(rows, ("parameter", "value", "standard error", "95 % from", "to")))
    for note in estimate.notes:
        out.print(f"Note: {note}")


def _errors(error: float, low: float, high: float) -> tuple[str, str, str]:
    if error != error:
        return "at its limit", "", ""
    return number(error, 3), number(low, 6), number(high, 6)


def _characteristic(request: Request, out: Console) -> None:
    from stickslip.identify import classes, compare, fit_law, write

    names = [request.column("velocity"), request.column("force")]
    constant, by_column = _normal(request)
    extra = [name for name in (by_column, request.columns.get("time")) if name is not None]
    data = _table(request, [*names, *extra], out)
    samples: dict[str, Any] = {"velocity": data[names[0]], "force": data[names[1]]}
    samples["normal"] = data[by_column] if by_column is not None else constant
    if request.columns.get("time") is not None:
        samples["time"] = data[request.column("time")]
    options: dict[str, Any] = {
        "loss": request.loss,
        "side": request.side,
        "offset": request.offset,
        "slowest": request.numbers.get("slowest") or 0.0,
    }
    fixed = arguments.read_numbers("--fix", request.fixed) or None
    fit = fit_law(samples, request.law, fixed=fixed, **options)
    _print_estimate(out, fit.estimate, f"{request.law}, {len(fit.samples)} samples in slip")
    if fit.lack_of_fit < 0.001:
        out.print(
            f"The law misses the means over classes of speed (p = {fit.lack_of_fit:.1g}): another may fit better."
        )
    out.print(f"in a model file: law = {law_text(fit.law)}", soft_wrap=True)
    drawn: Any = fit
    if request.compare is not None:
        laws = list(dict.fromkeys([request.law, *(name.strip() for name in request.compare.split(","))]))
        drawn = compare(samples, laws, **options)
        _print_comparison(out, drawn)
    found = classes(samples, request.classes, side=request.side)
    if request.save is not None:
        columns = {"speed": found.speed, "mean": found.mean, "count": found.count}
        out.print(f"wrote {write(request.save, columns)}", soft_wrap=True)
    _draw(request, out, {"fit": drawn, "classes": found}, units={"velocity": data.units[names[0]]})


def _normal(request: Request) -> tuple[float, str | None]:
    """The normal force: a number, or the name of a column."""
    if request.normal is None:
        return 1.0, None
    try:
        return float(request.normal), None
    except ValueError:
        return 1.0, request.normal


def law_text(law: FrictionLaw) -> str:
    """A law of the library as it stands in a model file.

    >>> from stickslip.model.laws import Hyperbolic
    >>> law_text(Hyperbolic(1.0, 3.0))
    '{kind = "hyperbolic", mu_s = 1.0, delta = 3.0}'
    """
    inner = law.law if isinstance(law, WithViscous) else law
    kind = next(kind for kind, known in LAWS.items() if type(inner) is known)
    values: dict[str, Any] = {}
    for field in fields(inner):
        value = getattr(inner, field.name)
        if isinstance(value, tuple):
            values[field.name] = [float(x) for x in value]
        elif value is not None:
            whole = isinstance(inner, Stribeck) and field.name == "shape" and float(value).is_integer()
            values[field.name] = int(value) if whole else float(value)
    if isinstance(inner, Polynomial) and inner.mu_s is None:
        values.pop("mu_s", None)
    if isinstance(law, WithViscous):
        values["viscous"] = float(law.viscous)
    return "{" + ", ".join([f'kind = "{kind}"', *(f"{name} = {value}" for name, value in values.items())]) + "}"


def _print_comparison(out: Console, found: Any) -> None:
    rows = [
        (name, str(free), number(deviation, 4), number(aicc, 7), number(bic, 7), number(gap, 4), f"{evidence:.3g}")
        for name, free, deviation, aicc, bic, gap, evidence in found.rows()
    ]
    out.print(table(rows, ("law", "free", "deviation", "AICc", "BIC", "difference", "evidence")))
    for name, why in found.refused.items():
        out.print(f"{name} was not fitted: {why}")
    out.print(found.verdict)


def _ringdown(request: Request, out: Console) -> None:
    from stickslip.identify import ringdown

    names, mass = [request.column("time"), request.column("displacement")], request.value("mass")
    data = _table(request, names, out)
    found = ringdown(
        data[names[0]],
        data[names[1]],
        mass=mass,
        stiffness=request.numbers.get("stiffness") or 0.0,
        damping=request.numbers.get("damping") or 0.0,
        start=request.numbers.get("start"),
        end=request.numbers.get("end"),
    )
    _print_estimate(out, found.signal, f"oscillation, {found.signal.count} samples")
    _print_estimate(out, found.contact, f"contact, damping ratio {number(found.damping_ratio, 4)}")
    _draw(request, out, {"ringdown": found}, unit=data.units[names[1]])


def _aging(request: Request, out: Console) -> None:
    from stickslip.identify import aging_verdict, breakaways, compare_aging

    if request.columns.get("stick_time") is not None:
        names = [request.column("stick_time"), request.column("force")]
        data = _table(request, names, out)
        stick_time, force = data[names[0]], data[names[1]]
    else:
        names = [request.column(name) for name in ("time", "velocity", "force")]
        data = _table(request, names, out)
        found = breakaways(*(data[name] for name in names), threshold=request.value("threshold"))
        out.print(f"{len(found)} stick phases; {found.ignored} more are not whole")
        stick_time, force = found.stick_time, found.force
    laws = [name.strip() for name in request.compare.split(",")] if request.compare else []
    first = "exponential" if request.law == "stribeck" else request.law  # the default is meant for slip
    fits = compare_aging(stick_time, force, list(dict.fromkeys([first, *laws])), loss=request.loss)
    for fit in fits:
        _print_estimate(out, fit.estimate, f"{fit.law}, {fit.estimate.count} breakaway forces")
    if len(fits) > 1:
        out.print(aging_verdict(fits))
    _draw(request, out, {"aging": fits})


def _reconstruct(request: Request, out: Console) -> None:
    import numpy as np

    from stickslip.identify import fit_law, reconstruct, write

    names, mass = [request.column("time"), request.column("displacement")], request.value("mass")
    push = request.columns.get("excitation")
    data = _table(request, [*names, *([push] if push else [])], out)
    found = reconstruct(
        data[names[0]],
        data[names[1]],
        mass=mass,
        stiffness=request.numbers.get("stiffness") or 0.0,
        damping=request.numbers.get("damping") or 0.0,
        belt=request.numbers.get("belt") or 0.0,
        threshold=request.numbers.get("threshold"),
        excitation=data[push] if push else None,
    )
    out.print(
        f"noise of the displacement {number(found.noise, 3)}, smoothed with {found.reach:.0f} samples to either side"
    )
    shares = [f"{100 * float(np.mean(part)):.1f} %" for part in (found.stick, found.sure)]
    out.print(f"{shares[0]} of the samples stick, {shares[1]} are sure")
    samples = found.samples(_normal(request)[0])
    fit = fit_law(samples, request.law, loss=request.loss, side=request.side)
    _print_estimate(out, fit.estimate, f"{request.law}, {len(fit.samples)} samples in slip")
    out.print(f"in a model file: law = {law_text(fit.law)}", soft_wrap=True)
    if request.save is not None:
        columns = {
            "time": found.time, "velocity": found.velocity, "velocity_error": found.velocity_error,
            "force": found.force, "force_error": found.force_error,
            "stick": found.stick.astype(float), "sure": found.sure.astype(float),
        }  # fmt: skip
        out.print(f"wrote {write(request.save, columns)}", soft_wrap=True)
    _draw(request, out, {"reconstruction": found, "fit": fit}, units={"time": data.units[names[0]]})


def _draw(request: Request, out: Console, results: dict[str, Any], **labels: Any) -> None:
    """Each picture by a word in the name of its file; the first kind otherwise."""
    from stickslip import plot

    for path in request.plots:
        kind = outputs.picture_of(path, tuple(results))
        options = {} if kind in ("classes", "aging") else labels
        out.print(f"drew {plot.save(getattr(plot, kind)(results[kind], **options), path)}", soft_wrap=True)
