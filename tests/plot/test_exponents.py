"""How exponents settle: curves that end at the exponents, none for what is lost."""

import pytest

import stickslip as ss


def test_curves_end_at_the_exponents():
    found = ss.lyapunov(ss.models.two_blocks(), t=300)
    axes = ss.plot.exponents(found)
    _, *curves = axes.lines  # the first is zero
    kept = found.exponents[: len(found.exponents) - found.lost]
    assert found.lost >= 1 and len(curves) == len(kept)
    assert [curve.get_ydata()[-1] for curve in curves] == pytest.approx(kept.tolist(), rel=1e-12, abs=1e-15)
    assert [curve.get_xdata()[-1] for curve in curves] == pytest.approx([300.0] * len(kept))


def test_what_has_no_exponents_is_refused():
    with pytest.raises(ValueError, match="give what `lyapunov` returned"):
        ss.plot.exponents(ss.models.two_blocks())
