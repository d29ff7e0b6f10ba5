"""robot.compile: the same numbers as the general functions, for states and batches alike."""

import shutil

import numpy as np
import pytest
from conftest import flyer

import ulna

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_quaternions_are_made_unit(cache):
    robot = flyer()
    f = robot.compile("inverse")
    rng = np.random.default_rng(1)
    q, (v, a) = robot.random(20, seed=1), rng.uniform(-1, 1, (2, 20, robot.nv))
    scaled = q.copy()
    scaled[:, :4] *= 2
    right = robot.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(f(scaled, v, a), right, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(f(scaled[3], v[3], a[3]), right[3], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 8, 9, 5000])
def test_every_size_of_batch(puma, cache, states, count):
    f = puma.compile("inverse")
    q, v, a = states(puma, count)
    np.testing.assert_allclose(f(q, v, a), puma.inverse_dynamics(q, v, a), rtol=1e-9, atol=1e-9)
    if count:
        one_v = puma.inverse_dynamics(q, v[0], a)
        np.testing.assert_allclose(f(q, v[0], a), one_v, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(f(q, v[:1], a), one_v, rtol=1e-9, atol=1e-9)


def test_what_does_not_fit_is_named(puma, cache):
    f = puma.compile("inverse")
    with pytest.raises(ulna.InputError, match="a: has 4 states; expected 3, as many as v"):
        f(np.zeros(6), np.zeros((3, 6)), np.zeros((4, 6)))
    with pytest.raises(ulna.InputError, match=r"v: has shape \(5,\)"):
        f(np.zeros(6), np.zeros(5), np.zeros(6))
    with pytest.raises(TypeError, match="takes at most 3 arguments"):
        f(*[np.zeros(6)] * 4)
    with pytest.raises(TypeError, match="keyword"):
        f(np.zeros(6), np.zeros(6), tau=np.zeros(6))
    np.testing.assert_allclose(f(np.zeros(6), a=np.ones(6)), puma.inverse_dynamics(np.zeros(6), a=np.ones(6)), rtol=1e-9, atol=1e-9)
    with pytest.raises(ulna.InputError):
        f(None, None, None)
