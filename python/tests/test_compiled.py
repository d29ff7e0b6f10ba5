"""robot.compile: the same numbers as the general functions, for states and batches alike."""

import inspect
import pickle
import shutil

import numpy as np
import pytest
from conftest import flyer
from test_parity import TEXT

import ulna

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")


@pytest.fixture(scope="module")
def arm():
    return ulna.loads(TEXT)


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


@pytest.mark.parametrize(
    "name", ["fk", "poses", "jacobian", "inverse_dynamics", "forward_dynamics", "mass_matrix", "bias", "gravity", "energy", "inverse_dynamics_derivatives", "forward_dynamics_derivatives", "regressor"]
)
def test_compiled_functions_give_what_their_methods_give(arm, name):
    function, method = arm.compile(name), getattr(arm, name)
    assert function.name == function.__name__ == name and name in repr(function)
    values = {"q": [[0.3, -0.4], [0.1, 0.2], [1.0, 2.0]], "v": [0.5, 0.7], "a": [1.0, -2.0], "tau": [0.3, 0.1]}
    given = {key: values[key] for key in function.inputs}
    for batch in (True, False):
        if not batch:
            given["q"] = values["q"][0]
        mine, theirs = function(**given), method(**given)
        assert type(mine) is type(theirs)
        pairs = [(mine[key], theirs[key]) for key in theirs] if isinstance(theirs, dict) else zip(mine, theirs) if isinstance(theirs, tuple) else [(mine, theirs)]
        for x, y in pairs:
            assert np.shape(x) == np.shape(y)
            np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)
    if len(function.inputs) > 1 and name not in ("bias",):
        first, second = function(given["q"]), method(given["q"])
        for x, y in zip(first, second) if isinstance(second, tuple) else [(first, second)]:
            np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(np.asarray(pickle.loads(pickle.dumps(function)).inputs), function.inputs)


def test_compiled_functions_refuse_what_methods_refuse(arm):
    function = arm.compile("inverse_dynamics")
    for call in (lambda: function(), lambda: function([0, 0], [0, 0], [0, 0], [0, 0]), lambda: function([0, 0], q=[0, 0]), lambda: function([0, 0], w=1)):
        with pytest.raises(TypeError, match="inverse_dynamics()"):
            call()


def test_a_missing_compiler_is_a_warning(arm, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.warns(RuntimeWarning):
        function = arm.compile("gravity", compiler="no-such-compiler", cache=False)
    np.testing.assert_allclose(function([0.3, 0.4]), arm.gravity([0.3, 0.4]), rtol=1e-12)


METHODS = ["fk", "jacobian", "inverse_dynamics", "forward_dynamics", "mass_matrix", "bias", "gravity", "regressor"]


@pytest.mark.parametrize("name", [*METHODS, "poses", "energy", "inverse_dynamics_derivatives", "forward_dynamics_derivatives"])
def test_results_of_robots_with_one_joint_have_the_shapes_of_the_method(name):
    robot = ulna.RobotBuilder("rod").body("rod", 1.0, inertia=(1, 1, 1), centre=(0.1, 0, 0)).joint("hinge", "revolute", "world", "rod", axis=(0, 1, 0)).build()
    function, method = robot.compile(name), getattr(robot, name)
    for q in ([0.3], [[0.3], [0.4]], np.zeros((0, 1))):
        given = {"q": q, **({"v": [0.2]} if name == "bias" else {})}
        mine, theirs = function(**given), method(**given)
        pairs = [(mine[key], theirs[key]) for key in theirs] if isinstance(theirs, dict) else zip(mine, theirs) if isinstance(theirs, tuple) else [(mine, theirs)]
        for x, y in pairs:
            assert np.shape(x) == np.shape(y)
            np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", METHODS)
def test_results_go_where_they_are_wanted(arm, name):
    function, method = arm.compile(name), getattr(arm, name)
    for q in ([0.3, -0.4], [[0.3, -0.4], [0.1, 0.2], [1.0, 2.0]]):
        given = {"q": q, **({"v": [0.2, 0.3]} if name == "bias" else {})}
        expected = method(**given)
        out = np.full_like(expected, np.nan)
        assert function(**given, out=out) is out
        np.testing.assert_allclose(out, expected, rtol=1e-10, atol=1e-12)
        with pytest.raises(ulna.InputError, match="out"):
            function(**given, out=np.zeros(7))
    q = np.array([0.3, -0.4])
    if name == "gravity":  # into the argument itself
        expected = arm.gravity(q)
        np.testing.assert_allclose(function(q, out=q), expected, rtol=1e-12)


def test_states_by_name_and_signatures_are_those_of_the_method(arm):
    function = arm.compile("inverse_dynamics")
    np.testing.assert_allclose(function({"joint2": 0.3}, {"joint1": 1.0}), arm.inverse_dynamics({"joint2": 0.3}, {"joint1": 1.0}), rtol=1e-12)
    with pytest.raises(ulna.InputError, match="joint3"):
        function({"joint3": 0.3})
    for name in METHODS:
        theirs = inspect.signature(getattr(arm, name)).parameters
        for key, parameter in inspect.signature(arm.compile(name)).parameters.items():
            assert theirs[key].kind == parameter.kind and (theirs[key].default is parameter.default or name == "bias")
    with pytest.raises(TypeError, match="energy.. got an unexpected keyword argument 'out'"):
        arm.compile("energy")([0.1, 0.2], out=np.zeros(2))
