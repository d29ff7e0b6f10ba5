"""Platforms in closed form, against the tables of Lim, Freeman and Tesar 1989 and against the robot with loops."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ulna

LAWS = {"p2_const_acc": "constant-acceleration", "p3_345": "poly345", "p4_4567": "poly4567", "p4_trap": "trapezoidal-jerk"}
PLATFORMS = ["ddts", "stewart-6-6", "stewart-6-3", "delta", "rotary-hexapod", "planar-3rrr"]


def weightless(name="ddts"):
    builder = ulna.load(name).builder()
    builder.gravity = (0, 0, 0)
    return builder.build()


def turned(pose, vector):
    """The pose turned about world axes by a vector."""
    angle = np.linalg.norm(vector)
    if angle == 0:
        return np.array(pose)
    turn = ulna.pose(axis=np.asarray(vector) / angle, angle=angle)
    out = np.array(pose)
    out[:3, :3] = turn[:3, :3] @ pose[:3, :3]
    return out


def sample(platform, trajectory, law, t):
    """Pose, twist and acceleration of the report's motions: D climbs, E moves sideways, both turn by -60 degrees."""
    shift, turn = ulna.motions.program(law, 0.0, 1.0, 2.0), ulna.motions.program(law, 0.0, -np.pi / 3, 2.0)
    along = np.array([1.0, 0, 0] if trajectory == "D" else [0, 0, 1.0])
    pose = turned(platform.home, [turn(t), 0, 0])
    pose[:3, 3] = np.array([3.0, 0, 0]) + shift(t) * along
    twist = np.r_[turn.rate(t), 0, 0, shift.rate(t) * along]
    return pose, twist, np.r_[turn.acceleration(t), 0, 0, shift.acceleration(t) * along]


def test_snapshots_of_the_docking_test_system(published):
    platform = weightless().platform()
    compared = 0
    for name, shots in published("lim_1989")["snapshots"].items():
        trajectory, law = name.split("_", 1)
        for shot in shots:
            pose, twist, acceleration = sample(platform, trajectory, LAWS[law], shot["t"])
            legs = platform.inverse(pose, twist, acceleration)
            for mine, key in ((legs.q, "L"), (legs.v, "Ld"), (legs.a, "Ldd")):
                np.testing.assert_allclose(mine, shot[key], atol=1e-8)
            np.testing.assert_allclose(platform.inverse_dynamics(pose, twist, acceleration), shot["F"], atol=1e-5)
            compared += 1
    assert compared == 27


def test_shares_of_accelerations_and_velocities(published):
    """By influence coefficients in the legs' lengths, through the loops of the robot."""
    robot = weightless()
    platform = robot.platform()
    for shot in published("lim_1989")["snapshots"]["E_p3_345"][:4]:
        pose, twist, acceleration = sample(platform, "E", "poly345", shot["t"])
        found = robot.influence_coefficients(platform.posture(pose))
        assert found.inputs == platform.actuated and found.frame == "platform"
        legs = platform.inverse(pose, twist, acceleration)
        np.testing.assert_allclose(found.I @ legs.a, shot["F_acc"], atol=1e-4)
        velocity = np.einsum("i,kij,j->k", legs.v, found.P, legs.v)
        np.testing.assert_allclose(velocity, shot["F_vel"], atol=1e-4)
        np.testing.assert_allclose(found.efforts(legs.v, legs.a), shot["F"], atol=1e-4)
        np.testing.assert_allclose(found.twist(legs.v), twist, atol=1e-10)
        np.testing.assert_allclose(found.acceleration(legs.v, legs.a), acceleration, atol=1e-9)


@pytest.mark.parametrize("trajectory, peak", [("D", 3821), ("E", 6599)])
def test_peaks_of_a_batch_along_the_motion(trajectory, peak):
    platform = weightless().platform()
    motion = [sample(platform, trajectory, "poly345", t) for t in np.linspace(0, 2, 201)]
    poses, twists, accelerations = (np.array(x) for x in zip(*motion))
    forces = platform.inverse_dynamics(poses, twists, accelerations)
    assert forces.shape == (201, 6) and np.abs(forces).max() == pytest.approx(peak, rel=1e-3)
    one = platform.inverse_dynamics(poses[70], twists[70], accelerations[70])
    np.testing.assert_array_equal(one, forces[70])
    back = platform.forward_dynamics(poses, twists, forces)
    np.testing.assert_allclose(back, accelerations, atol=1e-9)
    # Direct kinematics goes along the rows, each from the one before.
    found = platform.direct(platform.drives(poses))
    np.testing.assert_allclose(found, poses, atol=1e-9)


def near_home(platform, numbers, size=0.03):
    step = platform.basis @ (size * np.asarray(numbers[: platform.dof]))
    pose = turned(platform.home, step[:3])
    pose[:3, 3] += step[3:] * platform.radius
    return pose


@pytest.mark.parametrize("name", PLATFORMS)
def test_poses_drives_and_the_ordinary_robot_agree(name):
    robot = ulna.load(name)
    platform = robot.platform()

    @given(st.lists(st.floats(-1, 1), min_size=12, max_size=12))
    def check(x):
        pose = near_home(platform, x[:6])
        drives = platform.drives(pose)
        np.testing.assert_allclose(platform.direct(drives, start=platform.home), pose, atol=1e-8)
        twist = platform.basis @ np.array(x[6 : 6 + platform.dof])
        np.testing.assert_allclose(platform.jacobian(pose) @ np.array(x[6 : 6 + platform.dof]), platform.inverse(pose, twist).v, atol=1e-9)
        np.testing.assert_allclose(platform.twist(pose, platform.inverse(pose, twist).v), twist, atol=1e-8)
        q = platform.posture(pose)
        assert robot.closure(q).gap < 1e-9
        np.testing.assert_allclose(platform.pose(q), pose, atol=1e-9)
        v, a = platform.posture_rates(q, twist)
        tau = robot.inverse_dynamics(q, v, a, actuated=platform.actuated)
        mine = platform.inverse_dynamics(pose, twist)
        places = [robot.speeds.index(s) for s in platform.actuated]
        np.testing.assert_allclose(tau[places], mine, atol=1e-6 * (1 + np.abs(mine).max()))

    check()


def test_every_pose_for_given_lengths():
    platform = ulna.load("stewart-6-3").platform()
    poses = platform.direct_all(platform.drives(platform.home), starts=300)
    assert len(poses) >= 2
    np.testing.assert_allclose(poses[0], platform.home, atol=1e-8)
    np.testing.assert_allclose(platform.drives(poses), np.tile(platform.drives(platform.home), (len(poses), 1)), atol=1e-8)


def test_how_it_is_held_and_where_it_can_stand():
    platform = ulna.load("stewart-6-6").platform()
    held = platform.singularity(platform.home)
    assert 1 < held.condition < 100 and held.screw.shape == (6,)
    many = platform.singularity(np.stack([platform.home] * 3))
    np.testing.assert_allclose(many.condition, held.condition)
    K = platform.stiffness(platform.home, 1e6)
    J = platform.jacobian(platform.home) @ np.linalg.pinv(platform.basis)
    np.testing.assert_allclose(K, J.T @ (1e6 * J), atol=1e-6 * np.abs(K).max())
    far = platform.home.copy()
    far[2, 3] += 9
    assert platform.check(platform.home) == "" and "leg" in platform.check(far)
    assert platform.check(np.stack([platform.home, far]))[0] == ""
    slice_ = platform.workspace(("x", -0.3, 0.3, 9), ("y", -0.3, 0.3, 7))
    assert slice_.good.shape == (7, 9) and 0 < slice_.share <= 1 and slice_.condition.shape == (7, 9)
    G, H = platform.leg_map(platform.home)
    assert G.shape == (6, 6) and H.shape == (6, 6, 6)
    equations = platform.equations(platform.home)
    tau = platform.inverse_dynamics(platform.home)
    np.testing.assert_allclose(equations.drives @ tau, equations.bias, atol=1e-9 * (1 + np.abs(tau).max()))


def test_platforms_can_be_pickled():
    platform = ulna.load("delta").platform()
    copy = pickle.loads(pickle.dumps(platform))
    assert copy.legs == platform.legs and "delta" in repr(copy)
    np.testing.assert_array_equal(copy.drives(platform.home), platform.drives(platform.home))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda p: p.drives(np.eye(3)), ["pose", "(3, 3)", "(4, 4)"]),
        (lambda p: p.drives(np.zeros((2, 3, 4))), ["pose", "(2, 3, 4)", "(N, 4, 4)"]),
        (lambda p: p.inverse(p.home, np.zeros(5)), ["twist", "(5,)", "(6,) or (N, 6)"]),
        (lambda p: p.inverse(np.stack([p.home] * 3), np.zeros((2, 6))), ["twist", "2 states", "3"]),
        (lambda p: p.direct(np.zeros(5)), ["drives", "(5,)", "(6,) or (N, 6)"]),
        (lambda p: p.workspace(("u", 0, 1), ("x", 0, 1)), ["u"]),
        (lambda p: p.stiffness(p.home, [1, 2]), ["drive_stiffness", "(2,)", "(6,)"]),
        (lambda p: ulna.load("puma560").platform(), ["puma560"]),
    ],
)
def test_errors_of_platforms(call, words):
    with pytest.raises(ulna.InputError) as caught:
        call(ulna.load("stewart-6-6").platform())
    for word in words:
        assert word in str(caught.value)


def test_out_of_reach_is_a_computation_error():
    platform = ulna.load("delta").platform()
    far = platform.home.copy()
    far[2, 3] -= 9
    with pytest.raises(ulna.ComputationError, match="leg|arm"):
        platform.drives(far)
    with pytest.raises(ulna.ComputationError, match="state 1"):
        platform.drives(np.stack([platform.home, far]))
