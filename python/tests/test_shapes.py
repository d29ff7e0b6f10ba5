"""Shapes in and out, and what is said when they are wrong."""

import numpy as np
import pytest

import ulna


def test_one_state_or_a_batch(puma):
    q = np.zeros(6)
    many = np.zeros((5, 6))
    assert puma.fk(q).shape == (4, 4) and puma.fk(many).shape == (5, 4, 4)
    assert puma.jacobian(q).shape == (6, 6) and puma.jacobian(many).shape == (5, 6, 6)
    assert puma.gravity(q).shape == (6,) and puma.gravity(many).shape == (5, 6)
    assert puma.mass_matrix(many).shape == (5, 6, 6)
    assert puma.regressor(many).shape == (5, 6, len(puma.parameters()))
    assert puma.energy(many).kinetic.shape == (5,)
    assert isinstance(puma.energy(q).kinetic, float)
    assert puma.poses(many)["link1" if "link1" in puma.frames else puma.tip].shape == (5, 4, 4)
    assert puma.inverse_dynamics(np.zeros((0, 6))).shape == (0, 6)


def test_one_state_serves_a_whole_batch(puma):
    rng = np.random.default_rng(3)
    q, v, a = rng.uniform(-1, 1, (3, 7, 6))
    full = puma.inverse_dynamics(q, np.tile(v[0], (7, 1)), a)
    np.testing.assert_array_equal(puma.inverse_dynamics(q, v[0], a), full)
    np.testing.assert_allclose(puma.inverse_dynamics(q[0], v[0], a)[3], puma.inverse_dynamics(q[0], v[0], a[3]), rtol=1e-12, atol=1e-12)


def test_anything_that_numpy_can_read(puma):
    expected = puma.gravity(np.arange(6.0))
    wide = np.zeros((6, 2))
    wide[:, 0] = np.arange(6)
    for q in ([0, 1, 2, 3, 4, 5], range(6), np.arange(6), wide[:, 0], np.arange(6, dtype=np.float32), np.arange(6.0).astype(">f8")):
        np.testing.assert_array_equal(puma.gravity(q), expected)
    fortran = np.asfortranarray(np.random.default_rng(0).uniform(-1, 1, (4, 6)))
    np.testing.assert_array_equal(puma.gravity(fortran), puma.gravity(fortran.copy("C")))


def test_arguments_are_not_written_to(puma):
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, 50, 6))
    copies = q.copy(), v.copy(), a.copy()
    for array in (q, v, a):
        array.flags.writeable = False
    puma.inverse_dynamics(q, v, a)
    puma.forward_dynamics(q, v, a)
    for array, copy in zip((q, v, a), copies):
        np.testing.assert_array_equal(array, copy)


def test_out_is_filled_and_returned(puma):
    q = np.random.default_rng(0).uniform(-1, 1, (9, 6))
    out = np.empty((9, 6))
    assert puma.inverse_dynamics(q, out=out) is out
    np.testing.assert_array_equal(out, puma.inverse_dynamics(q))
    with pytest.raises(ulna.InputError, match=r"out: has shape \(6,\).*\(9, 6\)"):
        puma.inverse_dynamics(q, out=np.empty(6))
    with pytest.raises(ulna.InputError, match="out"):
        puma.gravity(q, out=np.empty((9, 6), np.float32))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda r: r.gravity(np.zeros(5)), ["q", "(5,)", "(6,) or (N, 6)", "puma560"]),
        (lambda r: r.gravity(np.zeros((6, 5))), ["q", "(6, 5)", "(N, 6)"]),
        (lambda r: r.gravity(1.0), ["q", "()"]),
        (lambda r: r.gravity(np.zeros((2, 2, 6))), ["q", "(2, 2, 6)"]),
        (lambda r: r.inverse_dynamics(np.zeros(6), np.zeros(7)), ["v", "(7,)", "one per speed"]),
        (lambda r: r.inverse_dynamics(np.zeros((3, 6)), np.zeros((4, 6))), ["v", "4 states", "3"]),
        (lambda r: r.forward_dynamics(np.zeros(6), tau=[1, 2]), ["tau", "(2,)"]),
        (lambda r: r.gravity("0,0,0,0,0,0"), ["q", "numbers"]),
        (lambda r: r.gravity(["a"] * 6), ["q", "numbers"]),
        (lambda r: r.gravity(np.zeros(6, complex)), ["q", "complex"]),
        (lambda r: r.jacobian(np.zeros(6), "lnik6"), ["lnik6"]),
        (lambda r: r.jacobian(np.zeros(6), point=[0, 0]), ["point", "(2,)", "(3,)"]),
        (lambda r: r.inverse_dynamics(np.zeros(6), method="kain"), ["method", "kain", "kane"]),
        (lambda r: r.inverse_dynamics(np.zeros(6), speeds="joint-rates"), ["kane"]),
        (lambda r: r.inverse_dynamics(np.zeros(6), actuated=["joint1"]), ["actuated", "no loops"]),
        (lambda r: r.ik(np.zeros((3, 2))), ["target", "(3, 2)", "(4, 4)"]),
        (lambda r: r.ik([0.4, 0, 0.2], np.ones((3, 3))), ["rotation", "not a rotation"]),
        (lambda r: r.assemble(), ["no loops"]),
        (lambda r: r.generate("inverce"), ["inverce", "inverse"]),
        (lambda r: ulna.load("pumma560"), ["pumma560", "puma560"]),
        (lambda r: ulna.set_threads(-1), ["-1"]),
    ],
)
def test_errors_say_what_was_found_and_expected(puma, call, words):
    with pytest.raises(ulna.InputError) as caught:
        call(puma)
    for word in words:
        assert word in str(caught.value)
    assert isinstance(caught.value, ValueError) and caught.value.problems


@pytest.mark.parametrize(
    "call",
    [
        lambda r: r.gravity(),
        lambda r: r.gravity(np.zeros(6), np.zeros(6)),
        lambda r: r.gravity(np.zeros(6), speed=1),
        lambda r: r.gravity(np.zeros(6), q=np.zeros(6)),
        lambda r: r.fk(np.zeros(6), 1.5),
        lambda r: r.inverse_dynamics(np.zeros(6), method=3),
        lambda r: ulna.Robot(),
        lambda r: r.ik(),
    ],
)
def test_calls_that_make_no_sense_are_type_errors(puma, call):
    with pytest.raises(TypeError):
        call(puma)


def test_an_answer_that_does_not_exist_is_a_computation_error(puma):
    with pytest.raises(ulna.ComputationError) as caught:
        puma.ik([9.0, 0, 0], restarts=2)
    assert isinstance(caught.value, RuntimeError) and caught.value.measure > 1
    massless = ulna.RobotBuilder("m").body("b").joint("j", "revolute", "world", "b").build()
    with pytest.raises(ulna.ComputationError, match="j"):
        massless.forward_dynamics([0.0])
    with pytest.raises(ulna.ComputationError, match="state 0: "):
        massless.forward_dynamics(np.zeros((2000, 1)))


def test_nan_goes_through_as_in_numpy(puma):
    q = np.zeros((2, 6))
    q[1, 2] = np.nan
    tau = puma.inverse_dynamics(q)
    assert np.isfinite(tau[0]).all() and np.isnan(tau[1]).any()


def test_quaternions_are_made_unit():
    from conftest import flyer

    robot = flyer()
    q = robot.random(seed=1)
    scaled = q.copy()
    scaled[:4] *= 2
    np.testing.assert_allclose(robot.gravity(scaled), robot.gravity(q), atol=1e-13)
    np.testing.assert_allclose(robot.gravity(np.stack([q, scaled]))[1], robot.gravity(q), atol=1e-13)
    scaled[:4] = 0
    with pytest.raises(ulna.InputError):
        robot.gravity(scaled)


def test_signatures_and_docstrings_are_there(puma):
    import inspect

    assert str(inspect.signature(ulna.Robot.fk)) == "(self, q, frame=None, *, out=None)"
    public = [getattr(ulna.Robot, n) for n in dir(ulna.Robot) if not n.startswith("_")]
    missing = [f for f in public if callable(f) and not (f.__doc__ or "").strip()]
    assert not missing
    np.testing.assert_array_equal(puma.fk(q=np.zeros(6), frame=None), puma.fk(np.zeros(6)))


def arrays_of(result):
    """Every array of a result, by name."""
    if isinstance(result, (np.ndarray, float)):
        return {"": np.asarray(result)}
    parts = result if isinstance(result, dict) else getattr(result, "_asdict", lambda: vars(result))()
    return {key: np.asarray(part) for key, part in parts.items() if isinstance(part, float) or (isinstance(part, np.ndarray) and part.dtype.kind == "f")}


CALLS_OF_STATES = {
    name: keys
    for keys, names in {
        "q": "fk poses jacobian mass_matrix gravity centroidal_momentum_matrix centre_of_mass lagrange_coefficients influence_coefficients",
        "qv": "velocity jacobian_rate bias passive energy momentum centroidal_momentum coriolis centroidal_momentum_matrix_rate linearize",
        "qva": "acceleration inverse_dynamics energy_rate reactions regressor kane matrices inverse_dynamics_derivatives closing_joints",
    }.items()
    for name in names.split()
}


@pytest.mark.parametrize("kind", ["puma560", "four-bar", "flexible-two-link"])
@pytest.mark.parametrize("name", CALLS_OF_STATES)
def test_batches_of_none_one_and_several(kind, name):
    robot = ulna.load(kind)
    q = robot.assemble() if robot.loops else robot.neutral()
    state = {"q": q, "v": np.zeros(robot.nv), "a": np.zeros(robot.nv)}
    arguments = [state[key] for key in CALLS_OF_STATES[name]]
    try:
        one = arrays_of(getattr(robot, name)(*arguments))
    except ulna.InputError as error:
        assert "flexible" in str(error) or "loop" in str(error)
        return
    for count in (0, 1, 3):
        many = arrays_of(getattr(robot, name)(*(np.tile(x, (count, 1)) for x in arguments)))
        assert many.keys() == one.keys()
        for key, array in one.items():
            assert many[key].shape == (count, *array.shape)
            for row in many[key]:
                assert np.allclose(row, array, rtol=1e-12, atol=1e-12 * max(1.0, np.max(np.abs(array), initial=0.0)))
