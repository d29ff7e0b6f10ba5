"""Any parallel robot from Python: closed form beside the loops, proven poses, loads, quality, and platforms along experiments."""

import copy
import pickle

import numpy as np
import pytest
from conftest import ROOT

import ulna

DATA = ROOT / "tests" / "data" / "parallel"
CLOSED = ["ddts", "stewart-6-6", "rotary-hexapod", "delta", "planar-3rrr"]
GENERAL = {"three-rps": 3, "three-prs": 3, "linear-delta": 3, "hexaglide": 6, "stewart-1965": 6}


def by_loops(name):
    """A platform with closed form, as the loops see it."""
    robot = ulna.load(name)
    return robot.platform(actuated=robot.platform().actuated)


def general(name):
    return ulna.load(DATA / f"{name}.yaml").platform()


def beside_home(platform, size=0.02):
    """A pose that the platform can take."""
    step = platform.basis @ np.linspace(1, -1, platform.dof) * size
    wanted = platform.home.copy()
    wanted[:3, 3] += step[3:]
    return platform.at_pose(wanted).pose


@pytest.mark.parametrize("name", CLOSED)
def test_the_loops_give_the_numbers_of_the_closed_form(name):
    closed, loops = ulna.load(name).platform(), by_loops(name)
    assert closed.closed_form and not loops.closed_form and closed.body == loops.body
    assert loops.legs == loops.actuated == closed.actuated and set(loops.kinds) == {"general"}
    pose = beside_home(closed)
    x = np.linspace(-1, 0.7, closed.dof)
    twist, acceleration = closed.basis @ x, closed.basis @ x[::-1]
    np.testing.assert_allclose(loops.home, closed.home, atol=1e-9)
    for mine, theirs in zip(loops.inverse(pose, twist, acceleration), closed.inverse(pose, twist, acceleration)):
        np.testing.assert_allclose(mine, theirs, atol=1e-6)
    drives = closed.inverse(pose, twist, acceleration)
    np.testing.assert_allclose(loops.direct(drives.q), pose, atol=1e-8)
    np.testing.assert_allclose(loops.twist(pose, drives.v), twist, atol=1e-7)
    np.testing.assert_allclose(loops.acceleration(pose, twist, drives.a), acceleration, atol=1e-6)
    held, mine = closed.singularity(pose), loops.singularity(pose)
    if set(closed.kinds) == {"slider"}:  # turns of cranks count by other lengths
        assert abs(held.screw @ mine.screw) / np.linalg.norm(held.screw) / np.linalg.norm(mine.screw) == pytest.approx(1, abs=1e-5)
    B = closed.basis
    K = B.T @ closed.stiffness(pose, 1e6) @ B  # on the freedoms
    np.testing.assert_allclose(B.T @ loops.stiffness(pose, 1e6) @ B, K, atol=1e-6 * np.abs(K).max())
    tau = closed.inverse_dynamics(pose, twist, acceleration)
    np.testing.assert_allclose(loops.inverse_dynamics(pose, twist, acceleration), tau, atol=1e-6 * (1 + np.abs(tau).max()))
    np.testing.assert_allclose(loops.forward_dynamics(pose, twist, tau), acceleration, atol=1e-5 * (1 + np.abs(acceleration).max()))


@pytest.mark.parametrize("name", GENERAL)
def test_robots_without_closed_form_go_there_and_back(name):
    platform = general(name)
    assert platform.closed_form == (name in ("hexaglide", "linear-delta")) and platform.dof == GENERAL[name]
    pose = beside_home(platform)
    drives = platform.drives(pose)
    assert drives.shape == (len(platform.legs),)
    np.testing.assert_allclose(platform.direct(drives), pose, atol=1e-8)
    basis = platform.basis_at(pose)
    assert basis.shape == (6, platform.dof)
    x = np.linspace(-0.5, 0.5, platform.dof)
    twist = basis @ x
    rates = platform.inverse(pose, twist).v
    np.testing.assert_allclose(platform.jacobian(pose) @ x, rates, atol=1e-9)
    np.testing.assert_allclose(platform.twist(pose, rates), twist, atol=1e-8)
    # Efforts for a motion give the motion back, and agree with the ordinary robot.
    acceleration = basis @ x[::-1]
    tau = platform.inverse_dynamics(pose, None, acceleration)
    np.testing.assert_allclose(platform.forward_dynamics(pose, None, tau), acceleration, atol=1e-7 * (1 + np.abs(tau).max()))
    q = platform.posture(pose)
    v, a = platform.posture_rates(q, None, acceleration)
    whole = platform.robot.inverse_dynamics(q, v, a, actuated=platform.actuated)
    places = [platform.robot.speeds.index(s) for s in platform.actuated]
    np.testing.assert_allclose(whole[places], tau, atol=1e-7 * (1 + np.abs(tau).max()))


@pytest.mark.parametrize("name", ["three-rps", "hexaglide"])
def test_batches_by_the_loops_are_their_rows(name):
    platform = general(name)
    poses = np.stack([beside_home(platform, size) for size in (0.0, 0.01, 0.02)])
    np.testing.assert_array_equal(platform.drives(poses)[1], platform.drives(poses[1]))
    assert platform.singularity(poses).condition.shape == (3,)
    assert platform.inverse_dynamics(poses).shape == (3, len(platform.legs))
    assert platform.stiffness(poses, 1e6).shape == (3, 6, 6)
    np.testing.assert_allclose(platform.direct(platform.drives(poses)), poses, atol=1e-8)
    found = platform.at_pose(poses)
    assert found.q.shape == (3, platform.robot.nq) and found.pose.shape == (3, 4, 4) and list(found.home_branch) == [True] * 3
    assert platform.drives(poses[:0]).shape == (0, len(platform.legs))


def test_a_pose_that_the_platform_cannot_take():
    platform = general("three-rps")
    tilted = platform.home @ ulna.pose(rpy=(0.3, 0.1, 0))
    with pytest.raises(ulna.ComputationError, match="3 degrees of freedom .* nearest"):
        platform.drives(tilted)
    nearest = platform.at_pose(tilted)
    assert 1e-4 < nearest.distance < 0.05
    np.testing.assert_allclose(platform.direct(platform.drives(nearest.pose)), nearest.pose, atol=1e-8)
    assert "nearest" in platform.check(tilted) and platform.check(nearest.pose) == ""


def test_drives_of_ones_choice():
    robot = ulna.load("ddts")
    hinges = robot.platform(actuated=[f"leg{k}_hinge" for k in range(1, 7)])
    slides = robot.platform()
    assert hinges.legs[0] == "leg1_hinge" and not hinges.closed_form
    # What the drives do together is the same power, whichever they are.
    twist = np.array([0.1, 0, 0.2, 0.3, -0.1, 0.2])
    power = [p.inverse_dynamics(p.home, twist) @ p.inverse(p.home, twist).v for p in (hinges, slides)]
    assert power[0] == pytest.approx(power[1], rel=1e-8)
    redundant = robot.platform(actuated=slides.actuated + ["leg1_hinge"])
    tau = redundant.inverse_dynamics(redundant.home)
    assert tau.shape == (7,) and np.linalg.norm(tau) <= np.linalg.norm(slides.inverse_dynamics(slides.home)) * (1 + 1e-9)


def test_every_pose_with_a_proof():
    platform = ulna.load("stewart-6-3").platform()
    found = platform.all_poses(platform.drives(platform.home))
    assert found.method == "homotopy" and found.complete and found.certified.all()
    assert (found.degree, found.bound) == (16, 16) and len(found) + found.complex + found.singular + found.infinite == 16
    assert found.position_bound.max() < 1e-6 and found.angle_bound.max() < 1e-6
    np.testing.assert_allclose(found.poses[0], platform.home, atol=1e-8)
    drives = platform.drives(platform.home)
    np.testing.assert_allclose(platform.drives(found.poses), np.tile(drives, (len(found), 1)), atol=1e-8)
    assert "proven" in str(found) and found._repr_html_().startswith("<table")
    random = platform.all_poses(drives, starts=300, seed=3)
    assert random.method == "random-starts" and random.degree is None and not random.certified.any() and not random.complete


@pytest.mark.parametrize("name", ["three-rps", "three-prs"])
def test_every_pose_of_three_points_on_circles(name):
    platform = general(name)
    found = platform.all_poses(platform.drives(platform.home) + [0.011, -0.007, 0.003])
    assert found.method == "homotopy" and found.complete and found.certified.all()
    assert (found.degree, found.bound) == (16, 16)


def test_every_pose_by_the_loops():
    robot = ulna.load(DATA / "hexaglide.yaml")
    platform = robot.platform(actuated=robot.platform().actuated)
    found = platform.all_poses(platform.drives(platform.home), starts=60)
    assert found.method == "loops" and len(found) >= 2 and found.assemblies > len(found)
    assert platform.direct_all(platform.drives(platform.home), starts=60).shape == found.poses.shape


def test_loads_on_any_body():
    platform = ulna.load("ddts").platform()
    wrench = np.array([100.0, -50, 20, -5000, 300, 700])
    tau = platform.inverse_dynamics(platform.home, wrench=wrench)
    same = platform.inverse_dynamics(platform.home, wrenches={"platform": wrench})
    np.testing.assert_allclose(same, tau, rtol=1e-8, atol=1e-5)
    # Beyond the weights, the drives hold the wrench: J' tau is its negative on the freedoms.
    alone = tau - platform.inverse_dynamics(platform.home)
    np.testing.assert_allclose(platform.jacobian(platform.home).T @ alone, -platform.basis.T @ wrench, rtol=1e-8, atol=1e-6)
    rows = platform.inverse_dynamics(platform.home, wrenches={"platform": np.stack([wrench, 0 * wrench])})
    np.testing.assert_allclose(rows, np.stack([tau, platform.inverse_dynamics(platform.home)]), rtol=1e-8, atol=1e-5)
    body = platform.robot.bodies[1]
    on_leg = platform.inverse_dynamics(platform.home, wrenches=[ulna.Wrench(body, force=(0, 0, 100.0))])
    assert np.abs(on_leg - platform.inverse_dynamics(platform.home)).max() > 1
    np.testing.assert_allclose(
        platform.forward_dynamics(platform.home, None, on_leg, wrenches=[ulna.Wrench(body, force=(0, 0, 100.0))]), np.zeros(6), atol=1e-7
    )


def test_efforts_by_name():
    platform = ulna.load("ddts").platform()
    efforts = np.zeros(6)
    efforts[[0, 2]] = 20000, 6000
    named = platform.forward_dynamics(platform.home, None, {platform.legs[0]: 20000.0, platform.legs[2]: 6000.0})
    np.testing.assert_array_equal(named, platform.forward_dynamics(platform.home, None, efforts))
    with pytest.raises(ulna.InputError, match="no leg 'legg1'"):
        platform.forward_dynamics(platform.home, None, {"legg1": 1.0})


def test_loads_change_the_stiffness():
    """A leg that is pushed together gives way sideways: by its force over its length."""
    platform = ulna.load("stewart-6-6").platform()
    plain = platform.stiffness(platform.home, 1e6)
    np.testing.assert_allclose(platform.stiffness(platform.home, 1e12, wrenches={}) / 1e6, platform.stiffness(platform.home, 1e12) / 1e6, rtol=1e-3, atol=1)
    pushed = platform.stiffness(platform.home, 1e6, wrenches={"platform": (0, 0, -20000.0)})
    pulled = platform.stiffness(platform.home, 1e6, wrenches={"platform": (0, 0, 20000.0)})
    assert pushed[3, 3] < plain[3, 3] < pulled[3, 3] or pushed[0, 0] < plain[0, 0] < pulled[0, 0]


def test_quality_of_a_pose():
    platform = ulna.load("stewart-6-6").platform()
    found = platform.quality(platform.home, speed_limit=0.5, effort_limit=1000.0, errors=1e-4)
    assert found.dexterity == pytest.approx(1 / platform.singularity(platform.home).condition)
    assert 0 < found.speed.everywhere <= found.speed.best and found.speed.dimension == 3
    assert not found.unit_speeds and not found.unit_efforts
    # The rate of a drive is at its limit in the worst direction of a translation.
    J = platform.jacobian(platform.home) @ np.linalg.pinv(platform.basis)
    assert found.speed.everywhere == pytest.approx(0.5 / np.linalg.norm(J[:, 3:], axis=1).max(), rel=1e-9)
    assert found.position_rms <= found.position_worst
    double = platform.quality(platform.home, speed_limit=1.0, effort_limit=2000.0, errors=2e-4)
    assert double.speed.best == pytest.approx(2 * found.speed.best) and double.force.everywhere == pytest.approx(2 * found.force.everywhere)
    assert double.position_worst == pytest.approx(2 * found.position_worst)
    batch = platform.quality(np.stack([platform.home] * 2))
    assert batch.dexterity.shape == batch.force.best.shape == (2,)
    assert general("three-rps").quality(general("three-rps").home).dexterity > 0


def test_the_nearest_singular_pose():
    platform = ulna.load("stewart-6-6").platform()
    nearest = platform.nearest_singularity(platform.home)
    assert nearest.distance > 0 and platform.singularity(nearest.pose).condition > 1e5
    tripod = general("three-rps")
    nearest = tripod.nearest_singularity(tripod.home)
    assert 0.01 < nearest.distance < 1 and tripod.singularity(tripod.at_pose(nearest.pose).pose).condition > 1e4


def test_working_modes_reach_the_pose():
    platform = ulna.load("rotary-hexapod").platform()
    modes = platform.working_modes(platform.home)
    assert list(modes.angles) == platform.legs and modes.count == 2**6
    np.testing.assert_allclose([angles[0] for angles in modes.angles.values()], platform.drives(platform.home), atol=1e-9)
    assert ulna.load("ddts").platform().working_modes(ulna.load("ddts").platform().home).count == 1
    carriages = general("three-prs")
    assert carriages.working_modes(carriages.home).count == 8
    mixed = general("delta-telescope")
    assert mixed.legs == ["leg1", "leg2", "leg3"] and mixed.working_modes(mixed.home).count == 8


def test_curves_of_singular_poses_in_a_slice():
    platform = ulna.load("planar-3rrr").platform()
    slice_ = platform.workspace(("x", -0.3, 0.3, 31), ("rz", -1.5, 1.5, 31))
    assert slice_.singular.ndim == 3 and slice_.singular.shape[1:] == (2, 2) and len(slice_.singular) > 0
    # The determinant changes its sign across each piece of a curve.
    piece = slice_.singular[len(slice_.singular) // 2]
    x, turn = piece.mean(axis=0)
    pose = platform.home @ ulna.pose(rpy=(0, 0, turn))
    pose[0, 3] = x
    good = platform.singularity(platform.home)
    assert platform.singularity(pose).smallest < 0.2 * good.smallest
    by_loops = general("three-rps").workspace(("z", 0.4, 0.8, 5), ("rx", -0.1, 0.1, 3))
    assert by_loops.good[1].all() and by_loops.singular.shape[1:] == (2, 2)
    # A platform of three freedoms shifts as it tilts, and stands there all the same.
    tilts = general("three-rps").workspace(("rx", -0.3, 0.3, 5), ("ry", -0.3, 0.3, 5))
    assert tilts.good.all()


def test_pickles_and_copies_of_all_platforms():
    for platform in (by_loops("delta"), general("three-rps"), ulna.load("delta").platform()):
        for other in (pickle.loads(pickle.dumps(platform)), copy.deepcopy(platform), copy.copy(platform)):
            assert other.legs == platform.legs and other.closed_form == platform.closed_form and repr(other) == repr(platform)
            np.testing.assert_array_equal(other.drives(platform.home), platform.drives(platform.home))
    assert "by its loops" in repr(general("three-rps"))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: ulna.load("ddts").platform(actuated=[]), ["actuated", "empty"]),
        (lambda: ulna.load("ddts").platform(actuated=["leg1", "leg1"]), ["actuated", "twice"]),
        (lambda: ulna.load("ddts").platform(actuated=["legg1"]), ["legg1"]),
        (lambda: ulna.load("ddts").platform(body="nobody"), ["nobody"]),
        (lambda: ulna.load("puma560").platform(), ["puma560", "no loops"]),
        (lambda: general("three-rps").direct(np.zeros(3), start=np.eye(4)), ["start", "closed form"]),
        (lambda: general("three-rps").leg_map(np.eye(4)), ["leg_map", "closed form"]),
        (lambda: general("three-rps").all_poses(np.full(3, np.nan)), ["drives", "finite"]),
        (lambda: general("three-rps").at_drives(np.full(3, np.nan)), ["finite"]),
        (lambda: ulna.load("ddts").platform().quality(np.eye(4), speed_limit=-1), ["speed_limit"]),
        (lambda: ulna.load("ddts").platform().stiffness(np.eye(4), 0.0), ["drive_stiffness"]),
    ],
)
def test_errors_name_the_argument(call, words):
    with pytest.raises(ulna.InputError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def test_a_pose_too_far_away_is_refused_at_once():
    platform = general("three-rps")
    far = platform.home.copy()
    far[2, 3] = 1e300
    with pytest.raises(ulna.ComputationError, match="cannot follow"):
        platform.drives(far)


# ---- along experiments --------------------------------------------------------------------------


def ddts_motion():
    return ulna.Experiment.read(ROOT / "examples" / "ddts.yaml")


def test_how_a_platform_is_held_along_an_experiment():
    experiment = ddts_motion()
    path = experiment.platform_path()
    assert path.t[0] == 0 and path.condition.shape == path.determinant.shape == path.distance.shape == path.t.shape
    platform = experiment.robot.platform()
    k = len(path.t) // 2
    pose = platform.pose(path.motion.q[k])
    assert path.condition[k] == pytest.approx(platform.singularity(pose).condition, rel=1e-9)
    assert path.distance[k] <= platform.nearest_singularity(pose).distance * (1 + 1e-6)
    assert path.crossings == []
    experiment.record(interval=0.4)
    path = experiment.platform_path()
    by_loops = experiment.platform_path(actuated=platform.actuated)
    np.testing.assert_allclose(np.abs(by_loops.determinant), np.abs(path.determinant), rtol=1e-6)
    np.testing.assert_allclose(by_loops.distance, path.distance, rtol=1e-6)


def test_a_tripod_is_led_along_a_tilt_with_the_coordinates_in_which_it_shifts_free():
    robot = ulna.load(DATA / "three-rps.yaml")
    platform = robot.platform()
    there = platform.home.copy()
    there[2, 3] += 0.02
    there[1:3, 1:3] = [[np.cos(0.2), -np.sin(0.2)], [np.sin(0.2), np.cos(0.2)]]
    tilt = ulna.motions.line(platform.home, there, 1.0)
    with pytest.raises(ulna.ComputationError):
        robot.follow(tilt, frame="platform")
    with pytest.raises(ulna.InputError, match="'xw' found"):
        robot.follow(tilt, frame="platform", free="xw")
    led = robot.follow(tilt, frame="platform", free="xy")
    end = platform.direct(led.at(1.0)[0])
    np.testing.assert_allclose(end[:3, :3], there[:3, :3], atol=1e-8)
    assert end[2, 3] == pytest.approx(there[2, 3], abs=1e-8)
    assert np.hypot(end[0, 3], end[1, 3]) > 1e-4


def test_influence_coefficients_along_an_experiment():
    experiment = ddts_motion()
    found = experiment.influence_coefficients()
    platform, motion = experiment.robot.platform(), found.motion
    assert found.inputs == platform.actuated and found.G.shape == (len(motion.t), 6, 6)
    places = [experiment.robot.speeds.index(name) for name in found.inputs]
    u, du = motion.v[:, places], motion.a[:, places]
    efforts = experiment.robot.inverse_dynamics(motion.q, motion.v, motion.a, actuated=found.inputs)[:, places]
    np.testing.assert_allclose(found.efforts(u, du), efforts, atol=1e-6 * np.abs(efforts).max())


def test_wrenches_are_the_load_of_influence_coefficients():
    robot = ulna.load("five-bar")
    q = robot.assemble({"left": 2.0, "right": 1.0})
    tip = robot.tip
    found = robot.influence_coefficients(q, inputs=["left", "right"], wrenches={tip: (3.0, 1.0, -2.0)})
    at_tip = robot.influence_coefficients(q, tip, inputs=["left", "right"])
    np.testing.assert_allclose(found.load, -at_tip.G[3:].T @ (3.0, 1.0, -2.0), atol=1e-10)
    np.testing.assert_array_equal(at_tip.load, 0)
    rows = robot.influence_coefficients(q, inputs=["left", "right"], wrenches={tip: np.array([[3.0, 1, -2], [0, 0, 0]])})
    np.testing.assert_allclose(rows.load, [found.load, [0, 0]], atol=1e-12)
    experiment = ulna.Experiment(robot, 0.2, q=q).move("left", 2.0).move("right", 1.0).wrench("left_forearm", force=(3.0, 1.0, -2.0))
    on_body = robot.influence_coefficients(q, inputs=["left", "right"], wrenches={"left_forearm": (3.0, 1.0, -2.0)})
    np.testing.assert_allclose(experiment.influence_coefficients(inputs=["left", "right"]).load[-1], on_body.load, atol=1e-6)


@pytest.mark.parametrize("value", [1e308, -1e308])
def test_drives_beyond_all_bounds_are_refused_without_harm(value):
    """Steps of the search overflow there; one was written in front of the coordinates."""
    robot = ulna.load("stewart-6-6")
    platform = robot.platform()
    home = platform.drives(platform.home)
    for leg in (3, 4):
        drives = home.copy()
        drives[leg] = value
        with pytest.raises((ulna.ComputationError, ulna.InputError)):
            platform.at_drives(drives)
    with pytest.raises((ulna.ComputationError, ulna.InputError)):
        robot.assemble({"leg5": value}, restarts=2)


def test_timings_of_platforms_keep_the_forces_of_the_legs():
    text = "experiment: 1\nrobot: ddts\ngravity: [0, 0, 0]\npath: {frame: platform, line: {to: [3.4, 0, 0.1]}, time: 2 s}\n"

    def peak(experiment):
        run = ulna.simulate(experiment.inverse().record("tau", interval=experiment.duration / 200))
        return max(np.abs(run[f"tau.leg{k}"]).max() for k in range(1, 7))

    plain = peak(ulna.Experiment.loads(text))
    experiment = ulna.Experiment.loads(text)
    robot = experiment.robot
    free, efforts = np.full(robot.nv, np.inf), np.full(robot.nv, np.inf)
    for k in range(1, 7):
        efforts[robot.speeds.index(f"leg{k}")] = 4 * plain
    # Without gravity and friction efforts go with the square of the speed; the peak lies between two records.
    assert experiment.timing("limits", rates=free, efforts=efforts).duration == pytest.approx(1, rel=1e-3)
    assert peak(experiment) == pytest.approx(4 * plain, rel=1e-3)
    still = ulna.motions.joints([ulna.motions.spline([0, 1], [0.0, 0.0]) for _ in range(robot.nv)])
    with pytest.raises(ValueError, match="has loops"):
        robot.minimum_time(still)
