"""The everyday path from Python: what a new user of an arm, a four-bar, a platform or a log meets first."""

import warnings

import numpy as np
import pytest

import ulna

PENDULUM = """
ulna: 1
name: rod
gravity: [0, -9.81, 0]
bodies: [{name: rod, mass: 2, centre: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}]
joints: [{name: hinge, type: revolute, parent: world, child: rod, limits: {lower: -1, upper: 7, velocity: 2, effort: 5}}]
"""
LINK = '<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>{1}</link>'
MESH = '<visual><geometry><mesh filename="package://my_robot/meshes/part.dae"/></geometry></visual>'


def urdf(*parts):
    return "<robot name='r'>" + "".join(parts) + "</robot>"


def joint(name, kind, parent, child, xyz="0 0 0", rpy="0 0 0", axis="0 0 1", limit=""):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>{limit}</joint>'
    )


def turns_apart(a, b):
    """The largest difference of angles, turns left out."""
    return np.abs(np.remainder(a - b + np.pi, 2 * np.pi) - np.pi).max()


# ---- bearings, motors, limits ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["four-bar", "delta", "ddts"])
def test_reactions_of_loops_are_channels_and_the_ground_carries_the_weight(name):
    robot = ulna.load(name)
    run = ulna.simulate(ulna.Experiment(robot, 0.01).lock("all").record(["reaction"], interval=0.01))
    joints = {channel.split(".")[1] for channel in run.channels}
    assert joints == {row["joint"] for row in run.summary["bearings"]}
    assert set(robot.loops) <= joints
    force = sum(run[f"reaction.{j.name}"][0, :3] for j in robot.joints if j.parent == "world" and j.name in joints)
    if name == "four-bar":
        force = force - run["reaction.joint4"][0, :3]  # its child is the world
    assert np.linalg.norm(force) == pytest.approx(9.81 * robot.mass, rel=1e-8)


def test_energy_is_taken_and_given_back():
    """A weight lifted and let down; the bearing carries the most at the lowest point, 3/4 of the turn."""
    rod = ulna.loads(PENDULUM.replace("velocity: 2, effort: 5", "velocity: 4, effort: 10"))
    run = ulna.simulate(ulna.Experiment(rod, 2.0).move("hinge", "pi*t").record("q", interval=0.002))
    [motor], [bearing] = run.summary["motors"], run.summary["bearings"]
    assert motor["energy_taken"] == pytest.approx(2 * 9.81, rel=1e-4)
    assert motor["energy_given_back"] == pytest.approx(2 * 9.81, rel=1e-4)
    assert motor["rms_effort"] == pytest.approx(9.81 / np.sqrt(2), rel=1e-5)
    assert bearing["peak_force_t"] == pytest.approx(1.5) and bearing["peak_moment"] == pytest.approx(0, abs=1e-9)
    text = str(run)
    for word in ("motor", "bearing", "peak", "rms", "taken", "given back", "hinge"):
        assert word in text.lower(), word


def test_a_channel_that_cannot_be_given_is_named():
    rod = ulna.loads(PENDULUM)
    for channel in ("closure", "closing", "elastic", "contact", "sensor", "reaction.elbow"):
        with pytest.raises(ulna.InputError, match=f"there is no channel '{channel}'") as caught:
            ulna.simulate(ulna.Experiment(rod, 1.0).record(["q", channel]))
        assert len(caught.value.problems) == 1


def test_reactions_along_an_experiment():
    """Those of every joint of a four-bar, the closing one too, as at the states themselves."""
    robot = ulna.load("four-bar")
    turn = ulna.Experiment(robot, 0.2, q={"joint1": np.radians(30)}).move("joint1", "30 deg + 2*t").inverse()
    run = ulna.simulate(turn.record(["q", "v", "a", "tau", "reaction"], interval=0.1))
    assert len(run) == 3 and np.count_nonzero(np.abs(run.tau).max(axis=0) > 1e-9) == 1
    at = robot.reactions(run.q[1], run.v[1], run.a[1], actuated=["joint1"])
    for joint in ("joint1", "joint2", "joint3", "joint4"):
        force = np.linalg.norm(run[f"reaction.{joint}"][1, :3])
        assert force == pytest.approx(np.linalg.norm(at[joint][3:]), rel=1e-7), joint


def test_a_robot_file_is_not_an_experiment(tmp_path):
    (tmp_path / "rod.yaml").write_text(PENDULUM)
    ulna.loads(PENDULUM).write(tmp_path / "rod.urdf")
    for name in ("rod.yaml", "rod.urdf"):
        with pytest.raises(ulna.InputError, match="this file describes a robot, not an experiment") as caught:
            ulna.simulate(tmp_path / name)
        assert len(caught.value.problems) == 1
    (tmp_path / "turn.yaml").write_text("experiment: 1\nrobot: rod.yaml\nduration: 1 s\n")
    with pytest.raises(ulna.InputError, match="describes an experiment, not a robot.*its robot is 'rod.yaml'"):
        ulna.load(tmp_path / "turn.yaml")


def test_a_run_is_a_log(tmp_path):
    (tmp_path / "rod.yaml").write_text(PENDULUM.replace("velocity: 2, effort: 5", "velocity: 4, effort: 20"))
    (tmp_path / "swing.yaml").write_text("experiment: 1\nrobot: rod.yaml\nduration: 2 s\nmotions: {hinge: 0.5*sin(3*t)}\nrecord: {interval: 10 ms}\n")
    ulna.simulate(tmp_path / "swing.yaml", output=tmp_path / "run")
    robot = ulna.load(tmp_path / "rod.yaml")
    found = robot.efforts_along(tmp_path / "run")
    assert found.compared == ["hinge"] and found.difference_rms[0] < 0.05 * found.measured_rms[0]


def test_a_start_outside_limits_is_told_at_once():
    rod = ulna.loads(PENDULUM)
    with pytest.warns(UserWarning, match="joint 'hinge' starts outside its limits: -1.74533 rad is below -1 rad"):
        run = ulna.simulate(rod, 0.1, q=[np.radians(-100)])
    [row] = run.summary["outside_limits"]
    assert row["position"] == pytest.approx(0.1)
    with pytest.warns(UserWarning, match="above its speed limit 2"):
        ulna.simulate(rod, 0.01, v=[3.0])
    with pytest.warns(UserWarning, match="above its effort limit 5"):
        ulna.simulate(rod, 0.01, efforts={"hinge": 20})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ulna.simulate(rod, 0.01)
        # A warning that is an error ends the run before it begins.
        with pytest.raises(UserWarning, match="outside"):
            ulna.simulate(rod, 0.1, q=[-2.0])


def test_a_drive_saturates():
    rod = ulna.loads(PENDULUM.replace("[0, -9.81, 0]", "[0, 0, 0]"))
    held = ulna.Experiment(rod, 0.1, q=[0.2]).move("hinge", "1").control("pd", kp=1000, kd=10, limit="robot")
    assert ulna.simulate(held).summary["motors"][0]["peak_effort"] == pytest.approx(5)


# ---- inverse kinematics ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ur5e", "ur10e", "puma560", "kr6r900"])
def test_postures_differ_by_more_than_turns(name):
    """Joints of two turns do not make more postures; each lies within the limits and has its name."""
    robot = ulna.load(name)
    q = np.array([0.3, -0.9, 1.2, 0.5, 0.9, -0.2])
    found = robot.ik(robot.fk(q), all=True, start=q)
    assert 1 <= len(found) <= 8
    assert ((found >= robot.lower - 1e-9) & (found <= robot.upper + 1e-9)).all()
    assert all(turns_apart(a, b) > 1e-6 for k, a in enumerate(found) for b in found[:k])
    np.testing.assert_allclose(found[0], q, atol=1e-8)
    distance = np.linalg.norm(found - q, axis=1)
    assert (np.diff(distance) > -1e-9).all()
    names = [tuple(robot.posture_names(p).values()) for p in found]
    assert len(set(names)) == len(names) and {"shoulder", "elbow", "wrist"} == set(robot.posture_names(q))


def test_a_general_arm_from_a_urdf_has_sixteen_postures():
    """Manseur and Doty's arm, which reaches one pose in sixteen ways."""
    a, d = [0.3, 1, 0, 1.5, 0, 0], [0, 0, 0.2, 0, 0, 0]
    alpha = np.radians([90, 1, 90, 1, 90, 1])
    parts = [LINK.format("l0", "")]
    for k in range(7):
        place = {} if k == 0 else {"xyz": f"{a[k - 1]} 0 {d[k - 1]}", "rpy": f"{float(alpha[k - 1])!r} 0 0"}
        parts += [LINK.format(f"l{k + 1}", ""), joint(f"j{k + 1}", "continuous" if k < 6 else "fixed", f"l{k}", f"l{k + 1}", **place)]
    robot = ulna.loads(urdf(*parts))
    target = np.eye(4)
    target[:3] = [[-0.760117, -0.641689, 0.102262, -1.140175], [0.133333, 0, 0.991071, 0], [-0.635959, 0.766965, 0.085558, 0]]
    found = robot.ik(target, all=True)
    assert found.shape == (16, 6) and np.abs(found).max() <= np.pi + 1e-12
    reached = robot.fk(found)
    assert np.abs(reached - reached[0]).max() < 1e-9


def test_closed_forms_follow_from_the_geometry():
    assert "meet in one point" in ulna.load("puma560").arm_structure()
    assert "parallel" in ulna.load("ur5e").arm_structure()


@pytest.mark.parametrize("name", ["iiwa14", "gen3", "panda", "fr3"])
def test_poses_of_seven_joints_are_reached(name):
    """At least 99.9 % of 10,000 random poses, within the limits."""
    robot = ulna.load(name)
    targets = robot.fk(robot.random(10000, seed=7))
    found = robot.ik(targets, on_failure="nan")
    assert found.found.sum() >= 9990
    q = found.q[found.found]
    np.testing.assert_allclose(robot.fk(q), targets[found.found], atol=1e-9)
    assert ((q >= robot.lower - 1e-9) & (q <= robot.upper + 1e-9)).all()


# ---- poses -----------------------------------------------------------------------------------------


def test_every_form_of_a_pose_is_the_same_target():
    robot = ulna.load("puma560")
    q = np.array([0.3, 0.5, -0.4, 0.2, 0.7, 0.1])
    X = robot.fk(q)
    R, p = X[:3, :3], X[:3, 3]
    angle = np.arccos((np.trace(R) - 1) / 2)
    axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (2 * np.sin(angle))
    rpy = [np.arctan2(R[2, 1], R[2, 2]), -np.arcsin(R[2, 0]), np.arctan2(R[1, 0], R[0, 0])]
    quaternion = [np.cos(angle / 2), *(np.sin(angle / 2) * axis)]
    forms = [ulna.pose(p, rpy=rpy), ulna.pose(p, quaternion=quaternion), ulna.pose(p, axis=axis, angle=angle), ulna.pose(p, rotation=R), X]
    for form in forms:
        np.testing.assert_allclose(form, X, atol=1e-12)
        np.testing.assert_allclose(robot.ik(form, start=q), q, atol=1e-8)
    np.testing.assert_allclose(ulna.rpy(X), rpy, atol=1e-12)
    np.testing.assert_allclose(ulna.quaternion(R), quaternion, atol=1e-12)


def test_orientations_of_many_poses_are_those_that_pose_takes():
    robot = ulna.load("ur5e")
    X = robot.fk(robot.random(200, seed=3))
    angles, quaternions = ulna.rpy(X), ulna.quaternion(X)
    assert angles.shape == (200, 3) and quaternions.shape == (200, 4) and (quaternions[:, 0] >= 0).all()
    for one, a, w in zip(X, angles, quaternions):
        np.testing.assert_allclose(ulna.pose(one[:3, 3], rpy=a), one, atol=1e-12)
        np.testing.assert_allclose(ulna.pose(one[:3, 3], quaternion=w), one, atol=1e-12)
    upright = ulna.pose(rpy=(0.3, np.pi / 2, 0.5))  # only the difference of roll and yaw counts
    np.testing.assert_allclose(ulna.pose(rpy=ulna.rpy(upright)), upright, atol=1e-12)
    assert ulna.rpy(upright)[2] == 0 and ulna.rpy(np.empty((0, 4, 4))).shape == (0, 3)
    for wrong in (np.eye(2), np.zeros(16), np.zeros((2, 2, 4, 4))):
        with pytest.raises(ulna.InputError, match="X: has shape"):
            ulna.rpy(wrong)


def test_the_tip_of_an_arm_with_a_gripper_is_the_flange():
    limit = '<limit lower="0" upper="0.04" effort="20" velocity="0.2"/>'
    names = ["base", "l1", "l2", "l3", "l4"]
    parts = [LINK.format(name, "") for name in names + ["hand", "left", "right"]] + ["<link name='flange'/>"]
    parts += [joint(f"j{k}", "continuous", names[k], names[k + 1], "0.3 0 0") for k in range(4)]
    parts += [joint("mount", "fixed", "l4", "flange", "0.1 0 0"), joint("bolt", "fixed", "flange", "hand", "0.1 0 0")]
    parts += [joint(f"f_{side}", "prismatic", "hand", side, axis="0 1 0", limit=limit) for side in ("left", "right")]
    robot = ulna.loads(urdf(*parts))
    assert robot.tip == "flange" and "tip flange" in str(robot)


def test_a_platform_starts_at_its_home_pose():
    robot = ulna.load("stewart-6-6")
    run = ulna.simulate(robot.replace(gravity=(0, 0, 0)), 0.001)
    platform = robot.platform()
    np.testing.assert_allclose(platform.pose(run.q[0]), platform.home, atol=1e-12)


# ---- mechanisms ------------------------------------------------------------------------------------


@pytest.mark.parametrize("crank", ["joint1", "joint4"])
def test_the_joint_whose_motion_was_given_drives(crank):
    robot = ulna.load("four-bar")
    tau = robot.inverse_dynamics({crank: np.radians(60)}, {crank: 2.0}, {crank: 1.0})
    closing = robot.speeds + [name for name in robot.loops]
    driven = [closing[k] for k in np.flatnonzero(tau)]
    assert driven == [crank]
    overruled = robot.inverse_dynamics({crank: np.radians(60)}, {crank: 2.0}, {crank: 1.0}, actuated=["joint2"])
    assert np.flatnonzero(overruled).tolist() == [1]


def test_drives_of_an_arm_are_locked_free_or_elastic():
    robot = ulna.load("t3r3-frame")
    locked = robot.modes(locked="all", count=1).frequencies[0]
    assert robot.modes(count=1).frequencies[0] == 0  # free joints, unless it is said
    assert robot.modes(elastic={"all": 1e13}, count=1).frequencies[0] == pytest.approx(locked, rel=1e-4)
    each = robot.modes(elastic={"joint1": 1e5, "joint2": 1e6, "joint3": 1e5}, count=3).frequencies
    np.testing.assert_allclose(robot.modes(elastic={"all": 1e5, "joint2": 1e6}, count=3).frequencies, each, rtol=1e-12)
    held = robot.modes(locked=["joint2"], elastic={"all": 1e5}, count=3).frequencies
    expected = robot.modes(locked=["joint2"], elastic={"joint1": 1e5, "joint3": 1e5}, count=3).frequencies
    np.testing.assert_allclose(held, expected, rtol=1e-12)


def test_a_view_has_its_loops_closed():
    if not ulna.has_report_page():
        pytest.skip("Ulna was built without its page")
    robot = ulna.load("four-bar")
    assert robot.closure(robot.neutral()).gap > 0.1  # the file says nothing of a posture
    page = robot.view_html()
    assert page == robot.view_html(robot.assemble())


# ---- meshes and shapes -----------------------------------------------------------------------------

DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit name="millimeter" meter="0.001"/></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert>
<diffuse><color>0.25 0.5 0.75 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="a" count="12">0 0 0  100 0 0  0 200 0  0 0 300</float_array>
<technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="4" material="blue"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 2 1  0 1 3  0 3 2  1 2 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"><bind_material>
<technique_common><instance_material symbol="blue" target="#m"/></technique_common>
</bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>"""


def test_inertia_from_a_mesh_in_millimetres(tmp_path):
    """A tetrahedron of 0.1 x 0.2 x 0.3 m holds a litre."""
    (tmp_path / "part.dae").write_text(DAE)
    (tmp_path / "r.yaml").write_text(
        "ulna: 1\nname: r\nbodies: [{name: b, density: 1000, geometry: [{mesh: part.dae}]}]\n"
        "joints: [{name: base, type: free, parent: world, child: b}]\n"
    )
    assert ulna.load(tmp_path / "r.yaml").mass == pytest.approx(1, rel=1e-6)
    box = "ulna: 1\nname: r\nbodies: [{{name: b, {}, geometry: [{{box: [0.1, 0.2, 0.3]}}]}}]\njoints: [{{name: j, type: revolute, parent: world, child: b}}]\n"
    m = 2700 * 0.006
    for given in ("inertia: from-geometry, density: 2700", f"inertia: from-geometry, mass: {m}"):
        assert ulna.loads(box.format(given)).mass_matrix([0.0])[0, 0] == pytest.approx(m * (0.01 + 0.04) / 12)
    with pytest.raises(ulna.InputError, match="without mass or density"):
        ulna.loads(box.format("inertia: from-geometry"))


def test_meshes_of_packages_are_found_or_missed_aloud(tmp_path, monkeypatch):
    if not ulna.has_report_page():
        pytest.skip("Ulna was built without its page")
    for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(variable, raising=False)
    text = urdf(LINK.format("base", ""), LINK.format("l", MESH), joint("j", "continuous", "base", "l"))
    alone, package = tmp_path / "alone.urdf", tmp_path / "checkout"
    (package / "urdf").mkdir(parents=True)
    (package / "meshes").mkdir()
    (package / "meshes" / "part.dae").write_text(DAE)
    inside = package / "urdf" / "r.urdf"
    for file in (alone, inside):
        file.write_text(text)
    colour = '"colour":[0.25,0.5,0.75,'
    with pytest.warns(UserWarning, match="meshes of package 'my_robot' were not found; tried") as told:
        assert colour not in ulna.load(alone).view_html()
    assert "--" not in str(told[0].message) and "packages=" in str(told[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert colour in ulna.load(alone).view_html(packages={"my_robot": str(package)})
        (package / "package.xml").write_text("<package><name>my_robot</name></package>")
        assert colour in ulna.load(inside).view_html()
        assert colour in ulna.simulate(ulna.load(inside), 0.01).report_html()
        (tmp_path / "share").mkdir()
        (tmp_path / "share" / "my_robot").symlink_to(package)
        monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
        assert colour in ulna.load(alone).view_html()
        monkeypatch.delenv("AMENT_PREFIX_PATH")
        monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{tmp_path / 'share'}")
        assert colour in ulna.load(alone).view_html()


def test_a_planar_robot_needs_one_moment():
    text = PENDULUM.replace("[0.01, 0.2, 0.2]", "[0, 0, 0.2]")
    assert any("inertia" in warning for warning in ulna.loads(text).warnings)
    planar = ulna.loads(text + "planar: true\n", strict=True)
    assert planar.warnings == []
    np.testing.assert_allclose(planar.mass_matrix([0.3]), ulna.loads(PENDULUM).mass_matrix([0.3]))


# ---- logs ------------------------------------------------------------------------------------------


def test_noise_that_differentiation_amplifies_is_told():
    robot = ulna.loads(PENDULUM)
    t = np.arange(400) / 100
    q = np.sin(2 * t) + 0.02 * np.random.default_rng(1).uniform(-0.5, 0.5, 400)
    with pytest.warns(UserWarning, match="amplifies the noise"):
        log = ulna.measured_motion(robot, t, q[:, None], cutoff=40.0)
    assert log.noise[0].acceleration > log.noise[0].position and log.bandwidth == 40


def test_an_excitation_keeps_the_limits_and_states_its_condition():
    robot = ulna.load("planar-3r").replace(
        joints={j.name: {"lower": -2.0, "upper": 2.0, "velocity": 3.0} for j in ulna.load("planar-3r").joints if j.v.stop > j.v.start}
    )
    motion = robot.excitation(period=5.0, samples=200, candidates=3, from_rest=True, seed=2)
    assert (motion.q >= robot.lower - 1e-9).all() and (motion.q <= robot.upper + 1e-9).all()
    assert (np.abs(motion.v) <= robot.velocity_limit * (1 + 1e-9)).all()
    assert 1 <= robot.regressor_condition(motion.q, motion.v, motion.a) < 1e3


def test_motors_along_a_log_are_those_that_were_recorded(tmp_path):
    robot = ulna.load("four-bar")
    t = np.arange(100) / 100
    angle = 2.05 + 0.05 * np.sin(5 * t)
    (tmp_path / "log.csv").write_text("t,q.joint2\n" + "\n".join(f"{a:.3f},{b:.9f}" for a, b in zip(t, angle)) + "\n")
    found = robot.efforts_along(tmp_path / "log.csv")
    assert np.abs(found.tau[:, 1]).max() > 0 and not found.tau[:, [0, 2]].any()
    assert robot.efforts_along(tmp_path / "log.csv", actuated=["joint1"]).tau[:, 0].any()


# ---- code, systems, robots -------------------------------------------------------------------------


def test_generated_code_in_single_precision():
    robot = ulna.load("planar-3r")
    made = robot.generate("inverse", "c", precision="float", fixed_names=True)
    code = "".join(made.files.values())
    assert "robot_inverse" in code and "cosf(" in code and "const float *" in code
    with pytest.raises(ulna.InputError, match="precision"):
        robot.generate("inverse", "python", precision="float")


def test_a_linear_system_with_a_held_input():
    robot = ulna.load("scara")
    system = robot.linearize(robot.neutral(), actuators=["joint1", "joint3"], outputs=["q.joint1", "frame.tip.z"])
    assert system.B.shape[1] == 2 and system.C.shape[0] == 2
    A, B = ulna.discretize(system.A, system.B, 0.002)
    np.testing.assert_allclose(A, np.eye(len(A)) + 0.002 * system.A, atol=1e-4)
    np.testing.assert_allclose(B[len(A) // 2 :], 0.002 * system.B[len(A) // 2 :], rtol=1e-2, atol=1e-6)


def test_a_robot_that_is_not_there_has_a_near_name():
    with pytest.raises(ulna.InputError, match="did you mean 'puma560'") as caught:
        ulna.load("PUMA560")
    assert len(str(caught.value)) < 300 and len(caught.value.problems) == 1
    arms = {"ur5e", "ur10e", "panda", "fr3", "iiwa14", "kr6r900", "gen3", "unimate"}
    assert arms <= set(ulna.robots())


def test_a_robot_of_one_joint_has_one_degree_of_freedom():
    text = str(ulna.loads(PENDULUM))
    assert "1 degree of freedom, 1 coordinate, mass 2 kg" in text
    assert "1 degree of freedom>" in repr(ulna.loads(PENDULUM))
