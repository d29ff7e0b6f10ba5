"""Functions of time."""

import numpy as np
import pytest

import ulna
from ulna import motions


def make_all():
    return [
        motions.constant(2.0),
        motions.formula("A*sin(2*t) + t^2", {"A": 0.5}, duration=2.0),
        motions.program("poly345", 0.0, 1.5, 2.0),
        motions.program("cycloidal", 1.0, -1.0, 1.0, start=0.5),
        motions.spline([0, 1, 2], [0, 1, 0]),
        motions.spline([0, 1, 2, 3, 4, 5], [0, 1, 0, 2, 1, 0], kind="quintic", ends="not-a-knot"),
        motions.table(np.linspace(0, 1, 9), np.sin(np.linspace(0, 1, 9))),
        motions.polynomial([(0, 0, 0), (0, 1, 0), (0.8, 0, 1), (2, 0, 1.5), (2, 1, 0.2)]),
        motions.spin_up(4.0, 1.0),
        motions.fastest(0, 2, acceleration=3.0, rate=1.5),
        motions.sequence([motions.program("poly345", 0, 1, 1.0), motions.program("harmonic", 1, 0, 1.0)]),
        2 * motions.formula("sin(t)") - motions.formula("cos(t)") + 1.0,
        1.0 - motions.formula("sin(t)").delayed(0.3).faster(2.0),
        -motions.program("poly4567", 0, 1, 1.0),
    ]


@pytest.mark.parametrize("motion", make_all())
def test_rates_are_derivatives(motion):
    t = np.linspace(0.013, 1.87, 57)
    t = np.array([x for x in t if all(abs(x - b) > 1e-3 for b in motion.breakpoints)])
    h = 1e-6
    np.testing.assert_allclose((motion(t + h) - motion(t - h)) / (2 * h), motion.rate(t), atol=1e-7)
    np.testing.assert_allclose((motion.rate(t + h) - motion.rate(t - h)) / (2 * h), motion.acceleration(t), atol=1e-5)
    assert isinstance(motion(0.5), float) and motion(np.zeros((2, 3))).shape == (2, 3)


def test_peaks_of_a_program():
    peaks = motions.program("poly345", 0, 1, 2.0).peaks()
    assert peaks["rate"] == pytest.approx((1.875 / 2, 1.0), abs=1e-7)


def test_mistakes_are_named():
    with pytest.raises(ulna.InputError, match="sin"):
        motions.formula("sni(t)")
    with pytest.raises(ulna.InputError, match="poly345"):
        motions.program("poly354", 0, 1, 1)
    with pytest.raises(ulna.InputError):
        motions.spline([0, 0], [1, 2])
    with pytest.raises(ulna.InputError, match="times"):
        motions.spline(np.zeros((2, 2)), [1, 2])
    with pytest.raises(ulna.InputError, match="number, a formula"):
        motions.joints([None])
