"""Flexible links, against the tables of Padilla 1989."""

import pickle

import numpy as np
import pytest

import ulna


def arm(modes=4):
    return ulna.load("flexible-two-link").with_bending_modes(modes)


def frequencies(robot, beta, locked, rigid=()):
    q = robot.neutral()
    q[1] = beta
    return robot.elastic_modes(q, locked="all" if locked else None, rigid=rigid).frequencies


def printed(found, table, skip=0):
    for k, value in enumerate(table):
        assert found[k + skip] == pytest.approx(value, abs=1.0001 * (0.005 if value < 10 else 0.05))


def test_links_and_their_coordinates():
    robot = ulna.load("flexible-two-link")
    inboard, outboard = robot.flexible_links
    assert (inboard.body, outboard.body) == ("inboard", "outboard") and inboard.length == pytest.approx(0.9144)
    assert robot.coordinates[inboard.q] == ["inboard.y1", "inboard.y2", "inboard.y3", "inboard.y4"]
    assert robot.nq == 10 and robot.speeds[outboard.v][0] == "outboard.y1"
    assert ulna.load("puma560").flexible_links == []
    assert "flexible links inboard (4 modes), outboard (4 modes)" in str(robot)
    assert "exact" in ulna.elastic_levels() and "inconsistent" in ulna.elastic_levels()


def test_table_3_1_frequencies_over_the_elbow_angle():
    robot = arm()
    locked = [[3.03, 7.36, 62.2, 120.7], [3.15, 6.82, 62.0, 120.7], [3.53, 5.90, 61.6, 120.7], [4.08, 5.32, 61.6, 120.7]]
    free = [[42.9, 68.1, 153.7, 224.3], [42.8, 68.0, 153.6, 224.3], [42.7, 68.0, 153.5, 224.3], [42.8, 68.0, 153.6, 224.3]]
    for k in range(4):
        printed(frequencies(robot, k * np.pi / 4, True), locked[k])
        printed(frequencies(robot, k * np.pi / 4, False), free[k], skip=2)
    # The same as one batch of postures.
    q = np.zeros((4, robot.nq))
    q[:, 1] = np.arange(4) * np.pi / 4
    batch = robot.elastic_modes(q, locked="all")
    assert batch.frequencies.shape == (4, 8) and batch.poles.shape == (4, 16)
    np.testing.assert_array_equal(batch.frequencies[2], frequencies(robot, np.pi / 2, True))


def test_table_3_2_frequencies_with_one_link_rigid():
    robot = arm()
    printed(frequencies(robot, 0, True, ["outboard"]), [3.52, 29.2, 320.5, 907.0])
    printed(frequencies(robot, np.pi / 2, True, ["outboard"]), [4.04, 23.9, 318.6, 905.6])
    printed(frequencies(robot, 1.1, True, ["inboard"]), [4.67, 63.6, 202.0, 479.2])


def unit_beam(in_plane, out_of_plane, hub=0.0):
    builder = ulna.RobotBuilder("beam", gravity=(0, 0, 0)).body("beam")
    builder.beam(
        "beam", from_=(hub, 0, 0), length=1.0, EI=1.0, mass_per_length=1.0,
        flexible={"modes": {"bending_y": in_plane, "bending_z": out_of_plane}},
    )  # fmt: skip
    return builder.joint("hinge", "revolute", "world", "beam").build()


def spinning(robot, rate, level="exact"):
    v = np.zeros(robot.nv)
    v[0] = rate
    return robot.elastic_modes(None, v, locked="all", level=level).frequencies[0]


def test_a_spinning_beam_stiffens_at_the_levels_that_know_it():
    robot = unit_beam(1, 0, 0.3)
    w1 = spinning(robot, 0)
    assert w1 == pytest.approx(1.87510407**2, abs=1e-7)
    for x in (0.3, 0.9, 1.5):
        square = lambda level: spinning(robot, x * w1, level) * abs(spinning(robot, x * w1, level)) / w1**2
        stiffened = 1 + x * x * (0.193336 + 1.570878 * 0.3)
        assert square("exact") == pytest.approx(stiffened, abs=3e-6 * x * x)
        assert square("consistent") == pytest.approx(stiffened, abs=3e-6 * x * x)
        assert square("inconsistent") == pytest.approx(1 - x * x, abs=1e-7)
        assert square("ruthless") == pytest.approx(1, abs=1e-7)


@pytest.mark.parametrize("spin, flap, lag", [(1, 3.6816, 3.5432), (2, 4.1373, 3.6218), (3, 4.7973, 3.7435), (4, 5.5850, 3.8977)])
def test_many_modes_of_a_spinning_beam(spin, flap, lag):
    assert spinning(unit_beam(0, 12), spin) == pytest.approx(flap, abs=6e-5)
    assert spinning(unit_beam(12, 0), spin) == pytest.approx(lag, abs=6e-5)


def spin_up(level, modes=2):
    robot = arm(modes).with_rigid_links(["inboard"])
    rise = ulna.motions.spin_up(6.0, 15.0)
    experiment = ulna.Experiment(robot, 15.0).elastic(level).lock("shoulder").move("elbow", rise)
    experiment.record(["deflection.outboard", "v"], interval=0.1).integrator("dormand-prince", rtol=1e-8, atol=1e-10)
    return experiment


def test_spin_up_of_the_outboard_link():
    run = ulna.simulate(spin_up("consistent"))
    deflection = run["deflection.outboard.y"]
    assert deflection[70] == pytest.approx(-0.03100, abs=1e-5)
    assert run.t[np.argmin(deflection)] == pytest.approx(7.0, abs=0.11)
    # What the channel says is what the function says at that state, foreshortening included.
    assert ulna.simulate(spin_up("ruthless"))["deflection.outboard.y"][76] == pytest.approx(-0.0332, abs=0.6e-4)
    copy = pickle.loads(pickle.dumps(run))
    np.testing.assert_array_equal(copy.values, run.values)
    assert copy.robot.flexible_links[0].body == "outboard"


def test_linear_kinematics_diverge():
    run = ulna.simulate(spin_up("inconsistent"))
    assert run.t[-1] < 15 and "outboard" in str(run.summary)


def states(robot, count=6):
    rng = np.random.default_rng(2)
    q, v, a = rng.uniform(-1, 1, (3, count, robot.nv))
    for link in robot.flexible_links:
        q[:, link.q] *= 0.01
        v[:, link.v] *= 0.1
    return q, v, a


@pytest.mark.parametrize("name", ["flexible-two-link", "flexible-3r", "flexible-single-link"])
def test_dynamics_of_flexible_robots(name):
    robot = ulna.load(name)
    q, v, a = states(robot)
    tau = robot.inverse_dynamics(q, v, a)
    np.testing.assert_array_equal(tau[2], robot.inverse_dynamics(q[2], v[2], a[2]))
    np.testing.assert_allclose(robot.forward_dynamics(q, v, tau), a, atol=1e-6)
    M, h = robot.elastic_equations(q, v)
    np.testing.assert_allclose(np.einsum("nij,nj->ni", M, a) + h, tau, rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(M, robot.mass_matrix(q), rtol=1e-10, atol=1e-10)
    rate = robot.energy_rate(q, v, a)
    power = np.sum(v * (tau - robot.passive(q, v)), axis=1)
    assert np.isfinite(rate.kinetic).all() and np.isfinite(power).all()


@pytest.mark.parametrize("level", ["exact", "consistent", "inconsistent", "inconsistent-strict", "ruthless", "rate-linear", "mixed"])
def test_levels_of_inverse_and_forward_dynamics_belong_together(level):
    robot = ulna.load("flexible-two-link")
    q, v, a = states(robot)
    tau = robot.inverse_dynamics(q, v, a, level=level)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, tau, level=level), a, atol=1e-6)
    M, h = robot.elastic_equations(q, v, level=level)
    np.testing.assert_allclose(np.einsum("nij,nj->ni", M, a) + h, tau, rtol=1e-12, atol=1e-9)
    undeformed = q.copy()
    undeformed[:, 2:] = 0
    still = v.copy()
    still[:, 2:] = 0
    if level not in ("rate-linear", "ruthless"):  # these drop products of rates, too
        exact = robot.inverse_dynamics(undeformed, still, a)[:, :2]
        np.testing.assert_allclose(robot.inverse_dynamics(undeformed, still, a, level=level)[:, :2], exact, rtol=1e-6, atol=1e-6)


def test_deflections_curves_and_moments():
    robot = unit_beam(2, 0)
    q = robot.neutral()
    assert np.all(robot.deflection(q)["beam"] == 0)
    q[1] = 0.05
    end = robot.deflection(q)["beam"]
    assert end[1] > 0.05 and end[0] < 0  # it bends along y and is drawn back
    batch = robot.deflection(np.stack([q, 2 * q]))["beam"]
    np.testing.assert_array_equal(batch[0], end)
    np.testing.assert_allclose(batch[1, 1], 2 * end[1], rtol=1e-12)
    np.testing.assert_allclose(batch[1, 0], 4 * end[0], rtol=1e-12)
    line = robot.curve(q, "beam", points=11)
    np.testing.assert_allclose(line[-1, :2], [1 + end[0], end[1]], atol=1e-12)
    np.testing.assert_allclose(line[0], 0, atol=1e-15)
    length = np.linalg.norm(np.diff(robot.curve(q, "beam", points=2001), axis=0), axis=1).sum()
    assert length == pytest.approx(1, abs=2e-4)  # inextensible to second order
    assert robot.elastic_energy(q) == pytest.approx(robot.energy(q).potential)
    moment = robot.section_moments(q)["beam"]
    assert abs(moment[2]) > 0 and moment[0] == moment[1] == 0
    middle = robot.section_moments(q, at=0.5)["beam"]
    assert 0 < abs(middle[2]) < abs(moment[2])  # a clamped-free shape: less and less to its end
    with pytest.raises(ulna.InputError, match="0 to 1"):
        robot.section_moments(q, at=1.5)


def test_rigid_links_and_other_numbers_of_modes():
    robot = ulna.load("flexible-two-link")
    rigid = robot.with_rigid_links()
    assert rigid.nv == 2 and rigid.flexible_links == [] and rigid.mass == pytest.approx(robot.mass)
    assert arm(2).nv == 6
    q = robot.neutral()
    q[:2] = 0.3, -0.7
    np.testing.assert_allclose(robot.fk(q, "tip"), rigid.fk(q[:2], "tip"), atol=1e-14)
    np.testing.assert_allclose(robot.mass_matrix(q)[:2, :2], rigid.mass_matrix(q[:2]), atol=1e-10)


@pytest.mark.parametrize("name", ["flexible-two-link", "flexible-3r", "spinning-beam"])
def test_flexible_robots_can_be_pickled(name):
    robot = ulna.load(name)
    copy = pickle.loads(pickle.dumps(robot))
    assert copy.hash() == robot.hash() and copy.coordinates == robot.coordinates
    q, v, a = states(robot)
    np.testing.assert_array_equal(copy.inverse_dynamics(q, v, a), robot.inverse_dynamics(q, v, a))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda r: r.elastic_modes(level="exakt"), ["level", "exakt", "exact"]),
        (lambda r: r.inverse_dynamics(r.neutral(), level="x"), ["level"]),
        (lambda r: r.inverse_dynamics(r.neutral(), level="exact", method="kane"), ["method", "level"]),
        (lambda r: r.deflection(np.zeros(3)), ["q", "(3,)", "(10,)"]),
        (lambda r: r.curve(r.neutral(), "tip"), ["body", "tip"]),
        (lambda r: r.elastic_modes(locked=["elbo"]), ["elbo", "elbow"]),
        (lambda r: ulna.load("puma560").deflection(np.zeros(6)), ["puma560", "flexible"]),
        (lambda r: ulna.load("puma560").inverse_dynamics(np.zeros(6), level="exact"), ["level"]),
        (lambda r: r.influence_coefficients(r.neutral()), ["flexible"]),
        (lambda r: r.with_bending_modes(0), ["modes"]),
    ],
)
def test_errors_of_flexible_robots(call, words):
    with pytest.raises(ulna.InputError) as caught:
        call(ulna.load("flexible-two-link"))
    for word in words:
        assert word in str(caught.value)


def test_beams_in_code_are_those_of_the_file():
    built = ulna.RobotBuilder("flexible-two-link", gravity=(0, 0, 0), description="Padilla's planar arm with two flexible links")
    for name, start, EI, mass, bodies in (
        ("inboard", 0.0762, 114.0, 1.33937, [("start", 20, -0.0762, 0.01), ("end", 14, 0.0762, 0.03)]),
        ("outboard", 0.0127, 14.0, 0.669685, [("end", 2, 0.0508, 0.01)]),
    ):
        attached = [{"at": at, "mass": m, "centre": np.array([x, 0, 0]), "inertia": [i, i, i]} for at, m, x, i in bodies]
        built.body(name).beam(
            name, from_=np.array([start, 0, 0]), length=0.9144, EI=EI, mass_per_length=mass, attached=attached,
            flexible={"modes": {"bending_y": 4, "bending_z": 0}, "damping": 0.01},
        )  # fmt: skip
    built.joint("shoulder", "revolute", "world", "inboard")
    built.joint("elbow", "revolute", "inboard", "outboard", at=(1.0668, 0, 0)).frame("tip", "outboard", (0.9779, 0, 0))
    assert built.build().hash() == ulna.load("flexible-two-link").hash()


@pytest.mark.parametrize(
    "keys, word",
    [
        ({"length": 1.0, "EI": 1.0, "mass_per_length": 1.0, "flexible": {"modes": {"bending": 2}}}, "bending"),
        ({"length": 1.0, "material": "stel", "section": {"round": 0.1}}, "steel"),
        ({"material": "steel", "section": {"round": 0.1}}, "length"),
        ({"length": 1.0, "material": "steel", "section": {"round": -0.1}}, "beam"),
        ({"length": 1.0, "material": "steel", "section": object()}, "beam"),
    ],
)
def test_wrong_beams_are_refused(keys, word):
    builder = ulna.RobotBuilder("r").body("b")
    with pytest.raises(ulna.InputError) as caught:
        builder.beam("b", **keys).joint("j", "revolute", "world", "b").build()
    assert word in str(caught.value)
    with pytest.raises(ulna.InputError, match="there is no body 'x'"):
        builder.beam("x", length=1.0)


def test_a_drive_that_gives():
    builder = ulna.RobotBuilder("r").body("arm", 1.0, centre=(0, 0, -1))
    builder.joint("j", "revolute", "world", "arm", axis=(1, 0, 0), rotor_inertia=1e-3, gear_ratio=10)
    robot = builder.elastic_transmission("j", 500.0, damping=0.1).build()
    assert robot.speeds == ["j", "j.twist"]
    with pytest.raises(ulna.InputError, match="stiffness"):
        ulna.load("puma560").builder().elastic_drive("joint1", -1.0)


@pytest.mark.parametrize("count", [0, 31])
def test_the_number_of_modes_has_limits(count):
    with pytest.raises(ulna.InputError, match=f"modes: {count} found; expected 1 to 30"):
        ulna.load("spinning-beam").with_bending_modes(count)


@pytest.mark.parametrize("points", [-1, 0, 1, 10**9])
def test_a_curve_has_a_sensible_number_of_points(points):
    robot = ulna.load("flexible-two-link")
    with pytest.raises(ulna.InputError, match="points"):
        robot.curve(0.01 * np.ones(robot.nq), robot.flexible_links[0].body, points=points)
