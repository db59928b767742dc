"""Event location on polynomials with known roots."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import stickslip as ss

ORDER = 8
NONE = 2.0


def at_work(order):
    """A trajectory with series of this order, and the kernels that look at them."""
    field = ss.Field.of(ss.models.block_on_belt(), target="python", order=order)
    return field.workspace(), field.program.kernels.polynomial


def crossing(coefficients) -> float:
    """first_crossing of Σ c_k x^k."""
    trajectory, polynomial = at_work(ORDER)
    trajectory.polynomial[: len(coefficients)] = coefficients
    return float(polynomial.first_crossing(trajectory))


def with_roots(roots, factor=1.0):
    """Coefficients, lowest first, of a polynomial with these roots, positive at 0."""
    c = np.polynomial.polynomial.polyfromroots(roots) * factor
    return c if c[0] > 0 else -c


inside = st.floats(0.02, 0.98)


@settings(deadline=None, max_examples=150)
@given(st.lists(st.one_of(st.floats(-3, -0.05), st.floats(0.02, 0.98), st.floats(1.05, 4)), min_size=1, max_size=7))
def test_first_of_simple_roots(roots):
    roots = sorted(roots)
    gaps = np.diff(roots)
    assume(len(gaps) == 0 or gaps.min() > 5e-3)
    found = crossing(with_roots(roots))
    expected = next((r for r in roots if r > 0), NONE)
    if not 0 < expected < 1:
        assert found == NONE
    else:
        size = np.abs(with_roots(roots)).sum()
        slope = abs(np.polynomial.polynomial.polyval(expected, np.polynomial.polynomial.polyder(with_roots(roots))))
        assert found == pytest.approx(expected, abs=1e-15 * (1 + 20 * size / slope))


@settings(deadline=None, max_examples=100)
@given(st.lists(st.floats(-1, 1), min_size=4, max_size=ORDER), st.floats(0.01, 1))
def test_agrees_with_numpy_roots(rest, start):
    c = np.array([start, *(x if abs(x) > 1e-3 else 0.0 for x in rest)])
    roots = np.roots(c[::-1])
    derivative = np.polynomial.polynomial.polyder(c)
    real = sorted(r.real for r in roots if abs(r.imag) < 1e-9 and -0.1 < r.real < 1.1)
    # Multiple roots and roots at the very ends have tests of their own.
    assume(all(abs(np.polynomial.polynomial.polyval(r, derivative)) > 1e-3 for r in real))
    assume(all(min(abs(r), abs(r - 1)) > 1e-6 for r in real))
    assume(not any(abs(r.imag) < 1e-4 for r in roots if abs(r.imag) > 1e-9))
    inside_roots = [r for r in real if 0 < r < 1]
    found = crossing(c)
    assert found == (pytest.approx(inside_roots[0], abs=1e-11) if inside_roots else NONE)


@settings(deadline=None, max_examples=60)
@given(inside, st.floats(2e-7, 1e-3))
def test_two_close_roots_in_one_step(root, gap):
    assume(root + gap < 0.99)
    found = crossing(with_roots([root, root + gap]))
    assert found == pytest.approx(root, abs=4e-16 / gap + 1e-15)


@settings(deadline=None, max_examples=60)
@given(inside, st.floats(1e-13, 1e-3))
def test_near_tangency_from_above_is_no_event(root, clearance):
    assert crossing([root**2 + clearance, -2 * root, 1.0]) == NONE


@pytest.mark.parametrize("root", [0.25, 0.5, 0.75])
def test_exact_tangency_from_above_is_no_event(root):
    assert crossing([root**2, -2 * root, 1.0]) == NONE


@pytest.mark.parametrize("root", [0.125, 0.3, 0.5, 0.7])
def test_triple_root(root):
    # The cube root of round-off is all that can be known of its place.
    assert crossing(-np.polynomial.polynomial.polyfromroots([root] * 3)) == pytest.approx(root, abs=2e-5)


def test_flat_start_of_newton():
    """The slope vanishes at the middle of the interval, where the search begins."""
    c = -np.polynomial.polynomial.polyfromroots([0.5] * 3)
    c[0] += 0.01
    assert crossing(c) == pytest.approx(0.5 + 0.01 ** (1 / 3), abs=1e-12)


@pytest.mark.parametrize("end", [1.0, 1.0 - 1e-15, 1.0 - 1e-12])
def test_root_at_the_end(end):
    for coefficients in ([end, -1.0], with_roots([end, -0.5]), with_roots([end, 0.97, 0.9999])):
        found = crossing(coefficients)
        first = min(r for r in np.roots(coefficients[::-1]).real if r > 0)
        # At the very end the next step may find it instead; before the end it must be found here.
        assert found == pytest.approx(first, abs=1e-12) or (first > 1 - 1e-14 and found == NONE)


def test_negative_start_is_an_event_at_once():
    assert crossing([-1e-20, 1.0]) == 0.0


def test_no_roots():
    assert crossing([1.0]) == NONE
    assert crossing([1.0, 1.0, 1.0]) == NONE
    assert crossing([0.0, 1.0]) == NONE
    assert crossing([0.0]) == NONE


def test_root_beyond_the_step_is_not_reported():
    assert crossing(with_roots([1.0 + 1e-9])) == NONE


@pytest.mark.parametrize("order", [6, 7, 8, 9, 10, 11])
def test_a_series_is_summed_whole_whatever_its_order(order):
    trajectory, polynomial = at_work(order)
    coefficients, series = np.cos(np.arange(order + 1.0)), trajectory.state_series[0]
    series[: order + 1] = coefficients
    series[order + 1] = 1e9  # what lies behind the series is no part of it
    polynomial.set_powers(trajectory, 0.7)
    expected = np.polynomial.polynomial.polyval(0.7, coefficients)
    assert polynomial.value_of(trajectory, series) == pytest.approx(expected, rel=1e-14)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.floats(-1, 1), min_size=8, max_size=10), st.floats(0.1, 2.0), st.sampled_from([-1.0, 1.0]))
def test_what_is_said_to_stay_positive_does(rest, h, sign):
    trajectory, polynomial = at_work(len(rest))
    coefficients, series = sign * np.array([1.0, *rest]), trajectory.state_series[0]
    series[: len(coefficients)] = coefficients
    polynomial.set_powers(trajectory, h)
    negative = sum(min(sign * c, 0.0) * h**k for k, c in enumerate(coefficients))
    assume(abs(1.0 + negative) > 1e-12)
    assert polynomial.stays_positive(trajectory, series, sign, -1.0) == (1.0 + negative > 0.0)
    assert not polynomial.stays_positive(trajectory, series, sign, 1.5)
