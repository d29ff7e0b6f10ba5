"""Arguments at the edge: outputs over inputs, None, nan, empty batches, batches of one, wrong names."""

import numpy as np
import pytest

import ulna


def states_of(robot, count, seed=3):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, (3, count, robot.nv))


# ---- out over an argument --------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 7, 8, 9, 16, 17, 1000])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_out_may_be_an_argument(puma, count, which):
    given = list(states_of(puma, count))
    expected = puma.inverse_dynamics(*given), puma.forward_dynamics(*given)
    for method, right in zip(("inverse_dynamics", "forward_dynamics"), expected):
        copies = [x.copy() for x in given]
        assert getattr(puma, method)(*copies, out=copies[which]) is copies[which]
        np.testing.assert_array_equal(copies[which], right)


def test_out_may_lie_across_an_argument(puma):
    whole = states_of(puma, 40)[0]
    q, out = whole[:30], whole[1:31]
    right = puma.inverse_dynamics(q.copy())
    np.testing.assert_array_equal(puma.inverse_dynamics(q, out=out), right)
    one = whole[5]  # one state for all of the batch that is written over it
    v = states_of(puma, 40)[1]
    right = puma.inverse_dynamics(one.copy(), v)
    np.testing.assert_array_equal(puma.inverse_dynamics(one, v, out=whole), right)


def test_what_is_wrong_with_out_is_said(puma):
    q = np.zeros((9, 6))
    for out, words in [
        (np.empty((9, 6), np.float32), ["float32", "(9, 6)", "float64"]),
        (np.empty((6, 9)).T, ["not C-contiguous"]),
        ([0.0] * 6, ["list"]),
    ]:
        with pytest.raises(ulna.InputError) as caught:
            puma.gravity(q, out=out)
        assert all(word in str(caught.value) for word in ["out", *words])
    fixed = np.empty((9, 6))
    fixed.flags.writeable = False
    with pytest.raises(ulna.InputError, match="out: cannot be written to"):
        puma.gravity(q, out=fixed)


# ---- what is no number -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda r: r.fk(None),
        lambda r: r.inverse_dynamics(None),
        lambda r: r.inverse_dynamics(q=None),
        lambda r: r.coriolis(np.zeros(6), None),
        lambda r: r.velocity(np.zeros(6), None),
        lambda r: r.integrate(None, np.zeros(6)),
        lambda r: r.linearize(None),
        lambda r: r.gravity([0, 0.8, None, 0, 0, 0]),
        lambda r: r.gravity(["1"] * 6),
        lambda r: r.gravity([1j] * 6),
        lambda r: r.gravity([[0.0] * 6, [0.0] * 5]),
        lambda r: r.gravity(np.array([0, 1, 2, 3, 4, None])),
        lambda r: r.jacobian(np.zeros(6), point=["0", "0", "0"]),
    ],
)
def test_none_and_texts_are_no_numbers(puma, call):
    with pytest.raises(ulna.InputError, match="q|v|point"):
        call(puma)


def test_none_is_left_out_where_it_may_be(puma):
    q = np.full(6, 0.3)
    np.testing.assert_array_equal(puma.inverse_dynamics(q, None, None, out=None), puma.inverse_dynamics(q))


def test_nan_comes_out_of_forward_dynamics_too(puma):
    q, v, tau = states_of(puma, 1200)
    right = puma.forward_dynamics(q, v, tau)
    q[700, 4] = np.nan
    tau[3] = np.inf
    for method in (None, "articulated-body", "composite-body", "kane"):
        found = puma.forward_dynamics(q, v, tau, method=method)
        assert not np.isfinite(found[[3, 700]]).all(axis=1).any()
        rest = np.delete(np.arange(1200), [3, 700])
        np.testing.assert_allclose(found[rest], right[rest], rtol=1e-8, atol=1e-8)
    assert np.isnan(puma.forward_dynamics(q[700])).all()


# ---- batches of none and of one --------------------------------------------------------------------


def test_empty_batches_give_empty_results(puma):
    none = np.zeros((0, 6))
    assert puma.influence_coefficients(none).G.shape == (0, 6, 6)
    assert puma.influence_coefficients(none).H.shape == (0, 6, 6, 6)
    linear = puma.linearize(none)
    assert linear.A.shape == (0, 12, 12) and linear.poles.shape == (0, 12)
    assert puma.ik(np.zeros((0, 4, 4))).shape == (0, 6) and puma.ik(np.zeros((0, 3))).shape == (0, 6)
    assert puma.joint_rates(none, np.zeros(6)).value.shape == (0, 6)
    assert puma.joint_rates(np.zeros(6), none).rank == []
    bar = ulna.load("four-bar")
    assert bar.assemble(np.zeros((0, bar.nq))).shape == (0, bar.nq) and bar.mobility(np.zeros((0, bar.nq))) == []
    assert bar.closure(np.zeros((0, bar.nq))).residual.shape[0] == 0
    platform = ulna.load("stewart-6-6").platform()
    poses = np.zeros((0, 4, 4))
    assert platform.drives(poses).shape == (0, 6) and platform.jacobian(poses).shape == (0, 6, 6)
    assert platform.singularity(poses).condition.shape == (0,)
    assert platform.direct(np.zeros((0, 6))).shape == (0, 4, 4)


def test_a_batch_of_one_serves_all_as_in_numpy(puma):
    q, v, a = states_of(puma, 7)
    full = puma.inverse_dynamics(q, np.tile(v[:1], (7, 1)), a)
    np.testing.assert_array_equal(puma.inverse_dynamics(q, v[:1], a), full)
    full = puma.inverse_dynamics(np.tile(q[:1], (7, 1)), v, a)
    np.testing.assert_array_equal(puma.inverse_dynamics(q[:1], v, a), full)
    assert puma.mass_matrix(q[:1]).shape == (1, 6, 6) and puma.inverse_dynamics(q[:1], v[0]).shape == (1, 6)
    assert puma.inverse_dynamics(q[:1], np.zeros((0, 6))).shape == (0, 6)
    np.testing.assert_array_equal(puma.difference(q[:1], q)[3], puma.difference(q[0], q[3]))
    twists = np.random.default_rng(1).uniform(-1, 1, (7, 6))
    many = puma.joint_rates(q[:1], twists).value
    np.testing.assert_array_equal(many[4], puma.joint_rates(q[0], twists[4]).value)
    np.testing.assert_array_equal(puma.joint_rates(q, twists[:1]).value[2], puma.joint_rates(q[2], twists[0]).value)
    platform = ulna.load("stewart-6-6").platform()
    found = platform.inverse(platform.home[None], twists)
    np.testing.assert_array_equal(found.v[5], platform.inverse(platform.home, twists[5]).v)
    with pytest.raises(ulna.InputError, match="a: has 4 states; expected 3, as many as v"):
        puma.inverse_dynamics(q[:1], v[:3], a[:4])


# ---- errors name the argument ----------------------------------------------------------------------

HALF_BAR = lambda: ulna.load("four-bar")


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda r: r.jacobian(np.zeros(6), relative_to="zz"), ["relative_to", "zz"]),
        (lambda r: r.jacobian(np.zeros(6), expressed_in="zz"), ["expressed_in", "zz"]),
        (lambda r: r.inverse_dynamics(np.zeros(6), wrenches={"foo": (0, 0, 1)}), ["wrenches", "foo"]),
        (lambda r: HALF_BAR().loop_efforts(HALF_BAR().assemble(), actuated=["zz"]), ["actuated", "zz"]),
        (lambda r: HALF_BAR().loop_efforts(HALF_BAR().assemble(), actuated="zz"), ["actuated", "zz"]),
        (lambda r: HALF_BAR().assemble(held=["zz"]), ["held", "zz"]),
        (lambda r: HALF_BAR().assemble(held="zz"), ["held", "'zz'"]),
        (lambda r: r.modes(np.zeros(6), locked=["zz"]), ["locked", "zz"]),
        (lambda r: r.modes(np.zeros(6), elastic={"zz": 1.0}), ["elastic", "zz"]),
        (lambda r: r.condense(np.zeros(6), keep=1000), ["keep", "1000", "1 to "]),
        (lambda r: r.identify(*np.zeros((2, 3, 6)), np.zeros((4, 6)), np.zeros((3, 6))), ["a: ", "(4, 6)", "(3, 6)", "as many samples as q"]),
    ],
)
def test_errors_name_the_argument(puma, call, words):
    with pytest.raises(ulna.InputError) as caught:
        call(puma)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda r: r.inverse_dynamics(np.zeros(6), wrenches=5), "wrenches must be .*, not int"),
        (lambda r: r.inverse_dynamics(np.zeros(6), wrenches=[5]), "wrenches must be .*, not of int"),
        (lambda r: HALF_BAR().loop_efforts(HALF_BAR().assemble(), actuated=5), "actuated must be .*, not int"),
        (lambda r: r.modes(np.zeros(6), elastic=5), "elastic must be"),
        (lambda r: r.static_deflection(np.zeros(6), forces=5), "forces must be"),
    ],
)
def test_type_errors_name_the_argument(puma, call, words):
    with pytest.raises(TypeError, match=words):
        call(puma)


# ---- poses -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: ulna.pose([1, 2]), "position: has shape"),
        (lambda: ulna.pose(["1", "2", "3"]), "position"),
        (lambda: ulna.pose(rpy=(1, 2)), "rpy: has shape"),
        (lambda: ulna.pose(quaternion=(1, 2)), "quaternion: has shape"),
        (lambda: ulna.pose(rotation=2 * np.eye(3)), "rotation: is not a rotation"),
        (lambda: ulna.pose(rotation=np.diag([1, 1, -1])), "rotation: is not a rotation"),
        (lambda: ulna.pose(angle=1.0), "angle: is given without axis"),
        (lambda: ulna.pose(axis=(0, 0, 0), angle=1.0), "axis"),
    ],
)
def test_poses_are_checked(call, words):
    with pytest.raises(ulna.InputError, match=words):
        call()


def test_names_may_be_bytes():
    assert ulna.load(b"puma560").hash() == ulna.load("puma560").hash()
