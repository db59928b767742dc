"""Arrays of every shape, type and stride, given to whatever takes arrays."""

from __future__ import annotations

import functools
import json
import warnings
from random import Random
from typing import Any

import numpy as np

TYPES = (
    *("f8", "f8", "f8", "f4", "f2", ">f8", "g", "i8", "i1", "u8", ">i4", "?", "c16", "c8", "O", "U3", "S3", "M8[s]"),
    *("m8[s]", "V8"),
)
SHAPES = ((), (0,), (1,), (2,), (2,), (3,), (40,), (1, 2), (2, 2), (0, 2), (3, 2), (300, 2), (2, 1), (1, 1, 2), (2, 0))
FILLS = ("ramp", "ramp", "ramp", "zero", "negative", "huge", "tiny", "nan", "inf", "same", "random", "objects")
LAYOUTS = ("plain", "plain", "reversed", "strided", "fortran", "broadcast", "readonly", "offset", "list", "masked")
TAKERS = (
    *("evaluate", "mode", "jacobian", "propagate", "parameters", "start", "simulate", "samples", "axis", "interpolate"),
    *("series", "spectrum", "embed", "table", "polynomial", "with", "time", "classes", "sticking", "ringdown"),
)


def draw(random: Random) -> str:
    """Which array is given to what, as JSON."""
    parts = {"type": TYPES, "shape": SHAPES, "fill": FILLS, "layout": LAYOUTS, "taker": TAKERS}
    return json.dumps({key: random.choice(values) for key, values in parts.items()})


def made(spec: dict[str, Any]) -> Any:
    """The array that a record describes."""
    shape = tuple(spec["shape"])
    count = int(np.prod(shape))
    ramp = np.linspace(0.0, 1.0, count).reshape(shape)
    fills = {"zero": 0 * ramp, "negative": -ramp, "huge": 1e300 * (ramp + 1), "tiny": 5e-324 * (ramp + 1)}
    fills |= {
        "nan": np.where(ramp > 0.5, np.nan, ramp),
        "inf": np.where(ramp > 0.5, np.inf, ramp),
        "same": 0 * ramp + 1,
    }
    fills["random"] = np.random.default_rng(count).normal(size=shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if spec["type"] == "V8":
            array = np.zeros(shape, "V8")
        elif spec["type"] == "O" and spec["fill"] == "objects":
            array = np.full(shape, None, object)
        else:
            values = fills.get(spec["fill"], ramp)
            whole = np.dtype(spec["type"]).kind in "iuMm"
            array = (np.nan_to_num(values) if whole else values).astype(spec["type"])
    return _laid_out(np.asarray(array), spec["layout"])


def _laid_out(array: np.ndarray, layout: str) -> Any:
    match layout:
        case "reversed" if array.ndim:
            return array[::-1]
        case "strided" if array.ndim:
            return np.repeat(array, 3, axis=0)[::3]
        case "fortran":
            return np.asfortranarray(array)
        case "broadcast" if array.ndim and array.size:
            return np.broadcast_to(array[:1], array.shape)
        case "readonly" if array.ndim:
            array.flags.writeable = False
            return array
        case "offset" if array.dtype.itemsize > 1 and array.dtype.kind != "O":
            raw = np.zeros(array.nbytes + 1, np.uint8)
            odd = raw[1:].view(array.dtype).reshape(array.shape) if array.size else array
            odd[...] = array
            return odd
        case "list":
            return array.tolist()
        case "masked" if array.dtype.kind != "V":
            return np.ma.masked_array(array, np.zeros(array.shape, bool))
    return array


@functools.cache
def _subjects() -> tuple[Any, Any, Any]:
    import stickslip as ss

    model = ss.models.block_on_belt()
    field = ss.Field.of(model, order=8)
    return model, field, ss.simulate(model, 3.0, method=ss.Exact(order=8))


def judge(text: str) -> None:
    """Taken, or refused by an error of the library; nothing is discarded in silence."""
    spec = json.loads(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        try:
            _take(spec["taker"], made(spec))
        except Exception as error:
            if not type(error).__module__.startswith("stickslip"):
                raise
            assert len(str(error)) < 2000


def _take(taker: str, array: Any) -> None:
    import stickslip as ss
    from stickslip import identify, series
    from stickslip.sweeps.axes import axes_from

    model, field, run = _subjects()
    quick = ss.Exact(order=8, most_steps=200)
    match taker:
        case "evaluate":
            assert field.evaluate(array).rate.shape == (2,)
        case "mode":
            assert set(field.evaluate([0.5, 0.0], mode=array).mode.tolist()) <= {-1, 0, 1}
        case "jacobian":
            assert field.jacobian(array)[0].shape == (2, 2)
        case "propagate":
            ends, outcome = field.propagate(array, 0.01, most_steps=200)
            assert ends.shape == np.shape(array) and len(outcome) == len(ends)
        case "parameters":
            field.propagate(np.zeros((2, 2)), 0.01, parameters=array, most_steps=200)
        case "start":
            assert len(model.start_state(array)) == 2
        case "simulate":
            ss.simulate(model, 0.01, start=array, method=quick)
        case "samples":
            ss.simulate(model, 2.0, samples=array, method=quick)
        case "axis":
            assert axes_from({"belt.speed": array}, model, False).count >= 1
        case "interpolate":
            ss.interpolate(run, array)
        case "series":
            series.autocorrelation(series.Series(array, 0.1))
        case "spectrum":
            series.spectrum(series.Series(array, 0.1))
        case "embed":
            series.embed(series.Series(array), 2, 1)
        case "table":
            ss.Tabulated(array, array).kinetic_value(0.3)
        case "polynomial":
            ss.Polynomial(array).kinetic_value(0.3)
        case "with":
            model.with_({"belt.speed": array})
        case "time":
            ss.simulate(model, array, method=quick)
        case "classes":
            identify.classes((array, array))
        case "sticking":
            identify.sticking(array, 0.1)
        case "ringdown":
            identify.ringdown(np.arange(float(np.size(array))), array, mass=1.0)
