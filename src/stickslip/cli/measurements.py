"""`stickslip identify`: from a file of measurements to friction with its errors, a line for a model file, pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from stickslip.cli import arguments, outputs
from stickslip.cli.screen import number, table
from stickslip.errors import ModelError
from stickslip.model.classic_laws import Stribeck
from stickslip.model.errors import shown, suggest
from stickslip.model.law_tables import LAWS
from stickslip.model.laws import FrictionLaw, Polynomial, WithViscous

if TYPE_CHECKING:
    from stickslip.cli.commands.measurements import Identify
    from stickslip.cli.report import Report
    from stickslip.identify import Estimate, Table

WHAT = ("characteristic", "ringdown", "aging", "reconstruct")
MOST_SKIPPED = 5


def perform(asked: Identify, report: Report) -> bool:
    """Read, fit, sum up, save, draw."""
    works = {"characteristic": _characteristic, "ringdown": _ringdown, "aging": _aging, "reconstruct": _reconstruct}
    if asked.what not in works:
        raise ModelError(f"--what is {shown(asked.what)}{suggest(asked.what, WHAT)}")
    _check_files(asked)
    _check_laws(asked)
    works[asked.what](asked, report)
    return True


def _column(asked: Identify, name: str) -> str:
    """The name of a column that is needed, or a sentence that says which option gives it."""
    found: str | None = getattr(asked, name)
    if found is None:
        option = f"--{name.replace('_', '-')}"
        raise ModelError(f"{asked.what} needs the column of the {name.replace('_', ' ')}: say {option} NAME")
    return found


def _value(asked: Identify, name: str) -> float:
    """A number that is needed."""
    found: float | None = getattr(asked, name)
    if found is None:
        raise ModelError(f"{asked.what} needs the {name}: say --{name} NUMBER")
    return found


def _check_files(asked: Identify) -> None:
    outputs.check(asked.plot, asked.save, (".csv",))
    if asked.save is not None and asked.what not in ("characteristic", "reconstruct"):
        raise ModelError(f"--save keeps classes of speed or reconstructed forces: {asked.what} has neither")


def _check_laws(asked: Identify) -> None:
    """Refuse unknown laws before the file is read."""
    from stickslip.identify.curves import law_named

    if asked.what in ("characteristic", "reconstruct"):
        for name in (asked.law, *(asked.compare.split(",") if asked.compare else ())):
            law_named(name)


def _table(asked: Identify, names: Sequence[str], report: Report) -> Table:
    from stickslip.identify import read

    found = read(asked.file, names, skip_bad=asked.skip_bad, decimal=asked.decimal)
    report.tell(file=str(asked.file), rows=len(found), skipped=list(found.skipped), notes=list(found.notes))
    report.out.print(f"{asked.file.name}: {len(found)} rows", style="bold")
    if found.skipped:
        report.out.print(f"{len(found.skipped)} rows were left out:")
        report.out.print(table([(reason,) for reason in found.skipped], most=MOST_SKIPPED))
    for note in found.notes:
        report.out.print(note)
    return found


def _tell_estimate(report: Report, estimate: Estimate, title: str) -> None:
    rows = [
        (name, number(value, 6), *(("fixed", "", "") if name in estimate.fixed else _errors(error, low, high)))
        for name, value, error, low, high in estimate.rows()
    ]
    report.facts.setdefault("estimates", []).append(_facts(estimate, title))
    report.out.print(title)
    report.out.print(table(rows, ("parameter", "value", "standard error", "95 % from", "to")))
    for note in estimate.notes:
        report.out.print(f"Note: {note}")


def _facts(estimate: Estimate, title: str) -> dict[str, Any]:
    values = {
        name: {"value": value, "error": error, "low": low, "high": high, "fixed": name in estimate.fixed}
        for name, value, error, low, high in estimate.rows()
    }
    return {"title": title, "count": estimate.count, "parameters": values, "notes": list(estimate.notes)}


def _tell_law(report: Report, law: FrictionLaw) -> None:
    report.tell(law=law_text(law))
    report.out.print(f"in a model file: law = {law_text(law)}", soft_wrap=True)


def _errors(error: float, low: float, high: float) -> tuple[str, str, str]:
    if error != error:
        return "at its limit", "", ""
    return number(error, 3), number(low, 6), number(high, 6)


def _characteristic(asked: Identify, report: Report) -> None:
    from stickslip.identify import classes, compare, fit_law

    names = [_column(asked, "velocity"), _column(asked, "force")]
    constant, by_column = _normal(asked)
    extra = [name for name in (by_column, asked.time) if name is not None]
    data = _table(asked, [*names, *extra], report)
    samples: dict[str, Any] = {"velocity": data[names[0]], "force": data[names[1]]}
    samples["normal"] = data[by_column] if by_column is not None else constant
    if asked.time is not None:
        samples["time"] = data[_column(asked, "time")]
    options: dict[str, Any] = {
        "loss": asked.loss,
        "side": asked.side,
        "sense": asked.sense,
        "offset": asked.offset,
        "slowest": asked.slowest,
    }
    fixed = arguments.read_numbers("--fix", asked.fixed) or None
    fit = fit_law(samples, asked.law, fixed=fixed, **options)
    _tell_estimate(report, fit.estimate, f"{asked.law}, {len(fit.samples)} samples in slip")
    report.tell(lack_of_fit=fit.lack_of_fit)
    if fit.lack_of_fit < 0.001:
        report.out.print(
            f"The law misses the means over classes of speed (p = {fit.lack_of_fit:.1g}): another may fit better."
        )
    _tell_law(report, fit.law)
    drawn: Any = fit
    if asked.compare is not None:
        laws = list(dict.fromkeys([asked.law, *(name.strip() for name in asked.compare.split(","))]))
        drawn = compare(samples, laws, **options)
        _tell_comparison(report, drawn)
    found = classes(samples, asked.classes, side=asked.side)
    report.tell(classes={"speed": found.speed, "mean": found.mean, "deviation": found.deviation, "count": found.count})
    _save(asked, report, found)
    _draw(asked, report, {"fit": drawn, "classes": found}, units={"velocity": data.units[names[0]]})


def _normal(asked: Identify) -> tuple[float, str | None]:
    """The normal force: a number, or the name of a column."""
    if asked.normal is None:
        return 1.0, None
    try:
        return float(asked.normal), None
    except ValueError:
        return 1.0, asked.normal


def law_text(law: FrictionLaw) -> str:
    """A law of the library as it stands in a model file.

    >>> from stickslip.model.classic_laws import Hyperbolic
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
        values["viscous"] = law.parameters()["viscous"]
    return "{" + ", ".join([f'kind = "{kind}"', *(f"{name} = {value}" for name, value in values.items())]) + "}"


def _tell_comparison(report: Report, found: Any) -> None:
    heads = ("law", "free", "deviation", "aicc", "bic", "difference", "evidence")
    compared = [dict(zip(heads, row, strict=True)) for row in found.rows()]
    report.tell(comparison=compared, refused=dict(found.refused), verdict=found.verdict)
    rows = [
        (name, str(free), number(deviation, 4), number(aicc, 7), number(bic, 7), number(gap, 4), f"{evidence:.3g}")
        for name, free, deviation, aicc, bic, gap, evidence in found.rows()
    ]
    report.out.print(table(rows, ("law", "free", "deviation", "AICc", "BIC", "difference", "evidence")))
    for name, why in found.refused.items():
        report.out.print(f"{name} was not fitted: {why}")
    report.out.print(found.verdict)


def _ringdown(asked: Identify, report: Report) -> None:
    from stickslip.identify import ringdown

    names, mass = [_column(asked, "time"), _column(asked, "displacement")], _value(asked, "mass")
    data = _table(asked, names, report)
    found = ringdown(
        data[names[0]],
        data[names[1]],
        mass=mass,
        stiffness=asked.stiffness,
        damping=asked.damping,
        start=asked.start,
        end=asked.end,
    )
    _tell_estimate(report, found.signal, f"oscillation, {found.signal.count} samples")
    report.tell(damping_ratio=found.damping_ratio)
    _tell_estimate(report, found.contact, f"contact, damping ratio {number(found.damping_ratio, 4)}")
    _draw(asked, report, {"ringdown": found}, unit=data.units[names[1]])


def _aging(asked: Identify, report: Report) -> None:
    from stickslip.identify import aging_verdict, breakaways, compare_aging

    if asked.stick_time is not None:
        names = [_column(asked, "stick_time"), _column(asked, "force")]
        data = _table(asked, names, report)
        stick_time, force = data[names[0]], data[names[1]]
    else:
        names = [_column(asked, name) for name in ("time", "velocity", "force")]
        data = _table(asked, names, report)
        found = breakaways(*(data[name] for name in names), threshold=_value(asked, "threshold"))
        report.tell(stick_phases=len(found), ignored=found.ignored)
        report.out.print(f"{len(found)} stick phases; {found.ignored} more are not whole")
        stick_time, force = found.stick_time, found.force
    laws = [name.strip() for name in asked.compare.split(",")] if asked.compare else []
    first = "exponential" if asked.law == "stribeck" else asked.law  # the default is meant for slip
    fits = compare_aging(stick_time, force, list(dict.fromkeys([first, *laws])), loss=asked.loss)
    for fit in fits:
        _tell_estimate(report, fit.estimate, f"{fit.law}, {fit.estimate.count} breakaway forces")
    if len(fits) > 1:
        report.tell(verdict=aging_verdict(fits))
        report.out.print(aging_verdict(fits))
    _draw(asked, report, {"aging": fits})


def _reconstruct(asked: Identify, report: Report) -> None:
    import numpy as np

    from stickslip.identify import fit_law, reconstruct

    names, mass = [_column(asked, "time"), _column(asked, "displacement")], _value(asked, "mass")
    push = asked.excitation
    data = _table(asked, [*names, *([push] if push else [])], report)
    found = reconstruct(
        data[names[0]],
        data[names[1]],
        mass=mass,
        stiffness=asked.stiffness,
        damping=asked.damping,
        belt=asked.belt,
        noise=asked.noise,
        threshold=asked.threshold,
        excitation=data[push] if push else None,
    )
    parts = [float(np.mean(part)) for part in (found.stick, found.sure)]
    report.tell(noise=found.noise, reach=found.reach, stick_fraction=parts[0], sure_fraction=parts[1])
    report.out.print(
        f"noise of the displacement {number(found.noise, 3)}, smoothed with {found.reach:.0f} samples to either side"
    )
    report.out.print(f"{100 * parts[0]:.1f} % of the samples stick, {100 * parts[1]:.1f} % are sure")
    samples = found.samples(_normal(asked)[0])
    fit = fit_law(samples, asked.law, loss=asked.loss, side=asked.side)
    _tell_estimate(report, fit.estimate, f"{asked.law}, {len(fit.samples)} samples in slip")
    _tell_law(report, fit.law)
    _save(asked, report, found)
    _draw(asked, report, {"reconstruction": found, "fit": fit}, units={"time": data.units[names[0]]})


def _save(asked: Identify, report: Report, table: Any) -> None:
    saved = outputs.Saved()
    saved.save(asked.save, table)
    saved.tell(report)


def _draw(asked: Identify, report: Report, results: dict[str, Any], **labels: Any) -> None:
    """Each picture by a word in the name of its file; the first kind otherwise."""
    from stickslip import plot

    for path in asked.plot:
        kind = outputs.picture_of(path, tuple(results))
        options = {} if kind in ("classes", "aging") else labels
        report.drew(plot.save(getattr(plot, kind)(results[kind], **options), path))
