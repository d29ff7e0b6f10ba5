"""Robots as elastic frames, against the tables of a thesis on finite elements for manipulators."""

import re

import numpy as np
import pytest

import ulna

L2, L3 = 1.016, 1.5113


def posture(x, y, z):
    """The elbow-up posture of the thesis for a position of the tip."""
    r = np.hypot(x, y)
    t3 = -np.arccos((r * r + z * z - L2 * L2 - L3 * L3) / (2 * L2 * L3))
    return np.array([np.arctan2(y, x), np.arctan2(z, r) - np.arctan2(L3 * np.sin(t3), L2 + L3 * np.cos(t3)), t3])


REFERENCE = posture(2, 0.25, 0.5)


def arm(text=lambda t: t):
    return ulna.loads(text(ulna.load("t3r3-frame").to_yaml()))


def test_condensation_agrees_with_independent_code(published):
    data = published("fe_manipulators")["condensation"]
    robot = ulna.load("t3r3-frame")
    full = robot.modes(REFERENCE, locked="all", count=8)
    assert full.freedoms == 66
    np.testing.assert_allclose(full.frequencies_hz[: len(data["full"])], data["full"][:8], rtol=1e-8)
    for row in data["table"]:
        for method, key in (("guyan", "guyan_sequential"), ("craig-bampton", "cms_tip_interface")):
            found = robot.condense(REFERENCE, method=method, keep=row["dof"], locked="all", interface="tip")
            np.testing.assert_allclose(found.frequencies_hz[:6], row[key][:6], rtol=1e-8)
            assert found.T.shape == (66, row["dof"]) and found.K.shape == (row["dof"],) * 2
    better = robot.condense(REFERENCE, method="irs", keep=13, locked="all")
    plain = robot.condense(REFERENCE, method="guyan", keep=13, locked="all")
    assert np.abs(better.errors).max() < 0.3 * np.abs(plain.errors).max()
    assert "error %" in str(plain) and len(plain.masters) == 13


def test_reduced_matrices_are_those_of_the_reduction():
    robot = ulna.load("t3r3-frame")
    full = robot.structure_matrices(REFERENCE, locked="all")
    assert full.M.shape == (66, 66) and len(full.names) == 66
    found = robot.condense(REFERENCE, keep=20, locked="all")
    np.testing.assert_allclose(found.T.T @ full.M @ found.T, found.M, atol=1e-8 * np.abs(found.M).max())
    np.testing.assert_allclose(found.T.T @ full.K @ found.T, found.K, atol=1e-8 * np.abs(found.K).max())
    omega = np.sqrt(np.linalg.eigvals(np.linalg.solve(full.M, full.K)).real.clip(0))
    np.testing.assert_allclose(np.sort(omega)[:6], robot.modes(REFERENCE, locked="all").frequencies, rtol=1e-6)


@pytest.mark.parametrize("lumped", [False, True])
def test_every_mesh_agrees_with_independent_code(published, lumped):
    for row in published("fe_manipulators")["meshes"]:
        if row["lumped"] != lumped or row["mesh"] != [5, 1, 5]:
            continue
        found = ulna.load("t3r3-frame").modes(REFERENCE, locked="all", count=10, mass="lumped" if lumped else "consistent")
        np.testing.assert_allclose(found.frequencies_hz, row["f"][:10], rtol=1e-8)


def test_table_of_gripper_masses(published):
    robot = ulna.load("t3r3-frame")
    for row in published("fe_manipulators")["gripper_mass"]:
        text = robot.to_yaml()
        start = text.index("payloads:")
        changed = text[:start] + re.sub(r"mass: [0-9.]+", f"mass: {row['mass']}", text[start:], count=1)
        found = ulna.loads(changed).modes(REFERENCE, locked="all").frequencies_hz
        np.testing.assert_allclose(found[: len(row["f"])], row["f"], rtol=3e-4)  # printed


def test_modes_in_motion(published):
    data = published("fe_manipulators")["gyroscopic"]
    robot = ulna.load("t3r3-frame")
    q = published("fe_manipulators")["link_motion"]["q"]
    still = robot.modes(q, locked="all")
    moving = robot.modes(q, data["qd"], locked="all", terms=["gyroscopic", "centrifugal"])
    assert moving.damping_ratio is not None and moving.quadrature.shape == moving.shapes.shape
    assert still.damping_ratio is None and still.strain.shape[0] == 6
    # The motion changes the frequencies by parts in 1e5, downwards in the first.
    assert 0 < still.frequencies[0] - moving.frequencies[0] < 1e-3 * still.frequencies[0]
    with pytest.raises(ulna.InputError, match="terms"):
        robot.modes(q, terms="gyro")


def test_batches_and_modes_followed():
    robot = ulna.load("t3r3-frame")
    q = np.tile(REFERENCE, (5, 1))
    q[:, 2] = np.linspace(-1.2, 1.2, 5)
    batch = robot.modes(q, locked="all", count=4)
    assert batch.frequencies.shape == (5, 4) and batch.shapes.shape == (5, 4, len(batch.node_names), 3)
    np.testing.assert_allclose(batch.frequencies[3], robot.modes(q[3], locked="all", count=4).frequencies, rtol=1e-10)
    along = robot.modes_along(q, locked="all", count=4)
    np.testing.assert_allclose(np.sort(along.frequencies, axis=1), batch.frequencies, rtol=1e-8)
    assert along.assurance.shape == (5, 4) and (along.assurance[0] == 1).all()


def test_joints_locked_free_and_elastic():
    robot = ulna.load("t3r3-frame")
    free = robot.modes(REFERENCE, count=6)
    assert free.rigid_body_modes == 3 and np.all(free.frequencies[:3] == 0)
    soft = robot.modes(REFERENCE, elastic={"joint1": 1e4, "joint2": (1e4, 10.0), "joint3": 1e4}, count=6)
    locked = robot.modes(REFERENCE, locked="all", count=6)
    assert np.all(soft.frequencies > 0) and np.all(soft.frequencies <= locked.frequencies * (1 + 1e-9))
    one = robot.modes(REFERENCE, locked=["joint1", "joint2"], count=3)
    assert one.rigid_body_modes == 1
    shares = locked.strain.sum(axis=1)
    np.testing.assert_allclose(shares, 1, atol=1e-9)
    assert "Hz" in str(locked) and "upper" in str(locked)


def test_statics_and_response():
    robot = ulna.load("t3r3-frame")
    none = robot.static_deflection(REFERENCE, gravity=False, frame="tip")
    np.testing.assert_allclose(none.motion, 0, atol=1e-15)
    force = robot.static_deflection(REFERENCE, gravity=False, frame="tip", forces={"tip": (0, 0, -100)})
    np.testing.assert_allclose(force.motion, force.compliance @ [0, 0, -100, 0, 0, 0], rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(force.compliance, force.compliance.T, atol=1e-12)
    under = robot.static_deflection(np.stack([REFERENCE] * 2))
    assert under.motion.shape == (2, 6) and under.motion[0, 2] < 0 and under.members.shape[2:] == (2, 6)
    # Far below the first frequency the response is the compliance.
    h = robot.frequency_response("tip.z", "tip.z", [0.01, 20.0], REFERENCE, locked="all")
    assert h.dtype == complex and h[0].real == pytest.approx(force.compliance[2, 2], rel=1e-4)
    with pytest.raises(ulna.ComputationError):
        robot.static_deflection(REFERENCE, locked=None)


def cantilever():
    return ulna.loads("""
ulna: 1
name: arm
bodies:
  - {name: arm, beam: {from: [0, 0, 0], to: [2, 0, 0], material: steel, section: {round: 40 mm}, elements: 4}}
joints:
  - {name: base, type: revolute, parent: world, child: arm, axis: [0, 1, 0]}
frames:
  - {name: tip, body: arm, at: [2, 0, 0]}
""")


def test_bushings_of_sliding_joints():
    def telescope(bushings):
        tube = {"material": "steel", "elements": 6}
        builder = ulna.RobotBuilder("telescope").body("outer").body("inner")
        builder.beam("outer", to=[1, 0, 0], section={"tube": {"outer": 0.06, "inner": 0.05}}, **tube)
        builder.beam("inner", from_=[-0.9, 0, 0], to=[0, 0, 0], section={"tube": {"outer": 0.048, "inner": 0.04}}, **tube)
        builder.joint("root", "fixed", "world", "outer")
        builder.joint("slide", "prismatic", "outer", "inner", at=[1, 0, 0], axis=[1, 0, 0])
        return builder.bushings("slide", bushings).build()

    def first(bushings):
        return telescope(bushings).modes([0.4], locked="all", count=1).frequencies[0]

    clamped, stiff = first([{"at": 0}]), first([{"at": 0, "stiffness": 1e12, "tilting": 1e12}])
    assert stiff == pytest.approx(clamped, rel=1e-5)
    soft = first([{"at": 0, "stiffness": 1e5, "tilting": 1e3}])
    assert soft < 0.9 * clamped
    assert "bushings" in telescope([{"at": 0, "stiffness": "rigid"}]).to_yaml()
    with pytest.raises(ulna.InputError, match="slide"):
        ulna.RobotBuilder("x").bushings("slide", [])


def test_stresses_load_factors_and_direction_cosines():
    robot = cantilever()
    bent = robot.static_deflection([0.0], gravity=False, forces={"tip": (0, 0, -50)})
    section = np.pi * 0.04**3 / 32
    assert bent.beams == ["arm"]
    np.testing.assert_allclose(bent.von_mises, [100 / section], rtol=1e-6)
    np.testing.assert_allclose(bent.stations, [0], atol=1e-12)
    # A moment about the beam and a force across it: sqrt(M^2 + 0.75 T^2)/W.
    both = robot.static_deflection([0.0], gravity=False, forces={"tip": (80, 0, 0, 0, 0, -50)})
    np.testing.assert_allclose(both.von_mises, [np.sqrt(100**2 + 0.75 * 80**2) / section], rtol=1e-3)
    batch = robot.static_deflection(np.zeros((3, 1)))
    assert batch.von_mises.shape == (3, 1)
    euler = np.pi**2 * 2e11 * np.pi / 64 * 0.04**4 / 16
    factor = robot.load_factors([0.0], gravity=False, forces={"tip": (-1, 0, 0)})
    np.testing.assert_allclose(factor, [euler], rtol=1e-4)
    assert np.isnan(robot.load_factors([0.0], gravity=False, forces={"tip": (1, 0, 0)})).all()
    for method in ("cross-product", "euler-angles", "orthogonality", "angle", "plane"):
        axes = robot.direction_cosines([0.3], method=method)["arm"]
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
        np.testing.assert_allclose(axes[0], [np.cos(0.3), 0, -np.sin(0.3)], atol=1e-12)
    with pytest.raises(ulna.InputError):
        robot.direction_cosines([0.3], method="planes")


def test_structures_of_robots_with_loops():
    builder = ulna.load("four-bar").builder()
    robot = builder.build()
    found = robot.modes()  # rigid links: one mode, that of the mechanism
    assert found.frequencies.shape[-1] >= 1 and found.frequencies[0] == 0


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda r: r.modes(np.zeros(4)), ["q", "(4,)", "(3,) or (N, 3)"]),
        (lambda r: r.modes(locked=["joint9"]), ["joint9"]),
        (lambda r: r.modes(elastic={"joint1": (1, 2, 3)}), ["elastic"]),
        (lambda r: r.modes(theory="bernoulli"), ["theory", "euler-bernoulli"]),
        (lambda r: r.modes(count=0), ["count"]),
        (lambda r: r.condense(method="gyan"), ["method", "guyan"]),
        (lambda r: r.condense(keep=0), ["keep"]),
        (lambda r: r.static_deflection(forces={"tip": (1, 2)}), ["forces"]),
        (lambda r: r.frequency_response("tip.q", "tip.z", [1.0]), ["tip.q"]),
        (lambda r: r.modes_along(np.zeros(3)), ["q", "(3,)", "(N, 3)"]),
    ],
)
def test_errors_of_structures(call, words):
    with pytest.raises(ulna.InputError) as caught:
        call(ulna.load("t3r3-frame"))
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("name", ["flexible-two-link", "spinning-beam"])
def test_beams_of_one_plane_need_freedoms_of_one_plane(name):
    robot = ulna.load(name)
    with pytest.raises(ulna.InputError, match="freedoms"):
        robot.modes()
    found = robot.modes(freedoms="v,rz", count=3)
    again = robot.modes(freedoms=["v", "rz"], count=3)
    np.testing.assert_array_equal(found.frequencies, again.frequencies)
    assert found.freedoms == len(robot.structure_matrices(freedoms="v,rz").names)
    assert robot.condense(freedoms="v,rz", count=2).frequencies.shape == (2,)
    assert robot.static_deflection(freedoms="v,rz").motion.shape == (6,)
    with pytest.raises(ulna.InputError, match="freedoms: 'x' is not available"):
        robot.modes(freedoms="v,x")


def test_dampers_damp_at_rest_too():
    """One joint on a spring and a damper: the ratio is c / (2 sqrt(k I))."""
    robot = ulna.load("puma560")
    held = [j.name for j in robot.joints[1:]]
    q, k, c = np.zeros(6), 1e4, 5.0
    modes = robot.modes(q, locked=held, elastic={robot.joints[0].name: (k, c)}, damped=True, count=1)
    inertia = robot.structure_matrices(q, locked=held).M[0, 0]
    ratio = (c + robot.structure_matrices(q, locked=held).C[0, 0]) / (2 * np.sqrt(k * inertia))
    assert modes.damping_ratio[0] == pytest.approx(ratio, rel=1e-9) and ratio > 1e-3


def test_condense_without_saying_how_many():
    robot = ulna.load("puma560")
    assert robot.condense(np.zeros(6)).T.shape == (6, 6)
    frame = ulna.load("t3r3-frame")
    assert frame.condense(REFERENCE, locked="all").T.shape[1] == 12


@pytest.mark.parametrize("count", [0, -1, -2, -(10**6)])
def test_how_many_modes_are_wanted_is_a_number_above_zero(count):
    robot, q = ulna.load("t3r3-frame"), [0.1, 0.5, -0.5]
    for call in [
        lambda: robot.modes(q, locked="all", count=count),
        lambda: robot.modes_along([q, q], locked="all", count=count),
        lambda: robot.modes_sweep("joint2", [0.0, 0.5], q=q, locked="all", count=count),
        lambda: robot.modes_map({"joint2": [0.0, 0.5], "joint3": [0.0, 0.5]}, q=q, locked="all", count=count),
        lambda: robot.condense(q, locked="all", count=count),
        lambda: robot.load_factors(q, count=count),
    ]:
        with pytest.raises(ulna.InputError, match="count"):
            call()


def test_what_a_response_or_a_map_is_asked_for_makes_sense():
    robot, q = ulna.load("t3r3-frame"), [0.1, 0.5, -0.5]
    point = robot.bodies[-1] + ".z"
    for keywords in [{"count": -1}, {"damping": -0.1}, {"damping": np.nan}, {"frequencies": [np.nan]}, {"frequencies": [np.inf]}]:
        with pytest.raises(ulna.InputError, match=next(iter(keywords))):
            robot.frequency_response(**{"from_": point, "to": point, "frequencies": [1.0], "q": q, "locked": "all", **keywords})
    for values in ([], [np.nan], ["a"], [[]]):
        with pytest.raises(ulna.InputError, match="joint3"):
            robot.modes_map({"joint2": [0.0], "joint3": values}, q=q, locked="all")
