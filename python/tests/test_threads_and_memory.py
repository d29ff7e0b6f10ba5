"""Threads, reference counts, pickling."""

import gc
import os
import pickle
import sys
import threading

import numpy as np
import pytest
from conftest import TREES, robot_named

import ulna


def expect_same_in_threads(work, count):
    alone, found = work(), [None] * count
    crew = [threading.Thread(target=lambda k=k: found.__setitem__(k, work())) for k in range(count)]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    for result in found:
        for mine, expected in zip(result, alone):
            np.testing.assert_array_equal(mine, expected)


def test_two_threads_on_one_robot_give_the_same_as_one(tree, states):
    q, v, a = states(tree, 3000)

    def work():
        single = [tree.inverse_dynamics(q[k], v[k], a[k]) for k in range(200)]
        return (
            np.array(single), tree.inverse_dynamics(q, v, a), tree.forward_dynamics(q, v, a),
            tree.mass_matrix(q), tree.jacobian(q), tree.inverse_dynamics_derivatives(q, v, a).dtau_dq,
            tree.regressor(q[:500], v[:500], a[:500]), tree.inverse_dynamics(q[:300], v[:300], a[:300], method="kane"),
        )  # fmt: skip

    expect_same_in_threads(work, 4)


def test_the_number_of_threads_does_not_matter(puma, states):
    q, v, a = states(puma, 5000)
    try:
        ulna.set_threads(1)
        one = puma.forward_dynamics(q, v, a), puma.inverse_dynamics(q, v, a)
        ulna.set_threads(7)
        assert ulna.threads() == 7
        seven = puma.forward_dynamics(q, v, a), puma.inverse_dynamics(q, v, a)
    finally:
        ulna.set_threads(0)
    for x, y in zip(one, seven):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)  # packs begin at other states


def test_python_runs_while_a_batch_is_computed(puma, states):
    q, v, a = states(puma, 200_000)
    counted = 0
    done = threading.Event()

    def batch():
        puma.forward_dynamics(q, v, a)
        done.set()

    thread = threading.Thread(target=batch)
    thread.start()
    while not done.is_set():
        counted += 1
    thread.join()
    assert counted > 1000  # with Python's lock held it would be one or two


def calls_of(robot):
    q, v, a = robot.random(seed=1), np.zeros(robot.nv), np.ones(robot.nv)
    batch = robot.random(3, seed=1)
    return [
        lambda: robot.fk(q),
        lambda: robot.fk([0.1] * robot.nq if robot.nq == robot.nv else list(q), frame=robot.tip),
        lambda: robot.jacobian(q, robot.tip, expressed_in=robot.tip, point=(0, 0, 1)),
        lambda: robot.inverse_dynamics(q, v, a),
        lambda: robot.inverse_dynamics(q, v, a, method="kane", wrenches={robot.bodies[1]: (0, 0, 1)}),
        lambda: robot.inverse_dynamics(batch, v, a),
        lambda: robot.forward_dynamics(q, v=v, tau=a),
        lambda: robot.mass_matrix(batch),
        lambda: robot.energy(q, v),
        lambda: robot.inverse_dynamics_derivatives(q, v, a),
        lambda: robot.regressor(q, v, a),
        lambda: robot.poses(q),
        lambda: robot.reactions(q, v, a),
        lambda: robot.joints,
        lambda: _refused(lambda: robot.gravity(np.zeros(99))),
        lambda: _refused(lambda: robot.gravity(q, nonsense=1), TypeError),
    ]


def _refused(call, error=ulna.InputError):
    with pytest.raises(error):
        call()


def rss() -> int:
    if "ULNA_SANITIZED" in os.environ:
        return 0  # the address sanitizer keeps what was freed; references and blocks are counted all the same
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("name", ["puma560", "flyer"])
def test_no_leak_over_ten_thousand_calls(name):
    robot = robot_named(name)
    for call in calls_of(robot):
        count = 10_000 if call() is not None else 1000  # errors are slow
        for _ in range(300):
            call()
        gc.collect()
        references, memory, blocks = sys.getrefcount(robot), rss(), sys.getallocatedblocks()
        for _ in range(count):
            call()
        gc.collect()
        assert sys.getrefcount(robot) == references
        assert abs(sys.getallocatedblocks() - blocks) < 200  # a leak would be thousands
        assert rss() - memory < 3_000_000  # a leaked result of 48 bytes in 10,000 calls is 1 MB or more


def calls_of_other_kinds():
    """(robot, calls, how many): loops, platforms, flexible links, structures."""
    loops = ulna.load("five-bar")
    at = loops.assemble()
    yield loops, [
        lambda: loops.closure(at), lambda: loops.complete(at, np.ones(loops.nv)), lambda: loops.inverse_dynamics(at),
        lambda: loops.forward_dynamics(at), lambda: loops.independent_map(at), lambda: loops.loop_efforts(np.stack([at] * 2)),
        lambda: loops.reactions(at), lambda: loops.influence_coefficients(at),
        lambda: _refused(lambda: loops.closure(np.zeros(99))),
    ], 10_000  # fmt: skip
    robot = ulna.load("stewart-6-6")
    platform = robot.platform()
    home = platform.home
    lengths = platform.drives(home)
    yield robot, [
        lambda: platform.drives(home), lambda: platform.inverse(np.stack([home] * 3), np.ones(6)), lambda: platform.direct(lengths),
        lambda: platform.singularity(home), lambda: platform.inverse_dynamics(home), lambda: platform.forward_dynamics(home),
        lambda: platform.check(home), lambda: platform.leg_map(home), lambda: robot.platform(),
        lambda: _refused(lambda: platform.drives(np.eye(3))),
    ], 10_000  # fmt: skip
    flexible = ulna.load("flexible-two-link")
    bent = np.full(flexible.nq, 0.01)
    yield flexible, [
        lambda: flexible.inverse_dynamics(bent), lambda: flexible.inverse_dynamics(bent, level="consistent"),
        lambda: flexible.forward_dynamics(bent, level="ruthless"), lambda: flexible.deflection(bent), lambda: flexible.curve(bent, "inboard", points=3),
        lambda: flexible.elastic_energy(bent), lambda: flexible.flexible_links, lambda: flexible.elastic_equations(bent),
    ], 10_000  # fmt: skip
    frame = ulna.load("t3r3-frame")
    q = frame.neutral()
    yield frame, [
        lambda: frame.modes(q, locked="all"), lambda: frame.condense(q, locked="all"), lambda: frame.static_deflection(q),
        lambda: frame.structure_matrices(q), lambda: flexible.elastic_modes(bent), lambda: frame.modes(q, q, locked="all", count=2),
    ], 100  # fmt: skip


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_no_leak_in_loops_platforms_flexible_links_and_structures():
    for robot, calls, many in calls_of_other_kinds():
        for call in calls:
            count = many if call() is not None else 1000
            for _ in range(min(300, count)):
                call()
            gc.collect()
            references, memory, blocks = sys.getrefcount(robot), rss(), sys.getallocatedblocks()
            for _ in range(count):
                call()
            gc.collect()
            assert sys.getrefcount(robot) == references
            assert abs(sys.getallocatedblocks() - blocks) < 200
            assert rss() - memory < 4_000_000


def test_threads_on_robots_of_other_kinds():
    platform = ulna.load("stewart-6-6").platform()
    loops, flexible, frame = ulna.load("five-bar"), ulna.load("flexible-two-link"), ulna.load("t3r3-frame")
    poses = np.stack([platform.home] * 800)
    poses[:, 2, 3] += np.linspace(0, 0.02, 800)
    closed = np.stack([loops.assemble()] * 300)
    bent = np.random.default_rng(0).uniform(-0.01, 0.01, (300, flexible.nq))

    def work():
        coefficients = loops.influence_coefficients(closed[:40])
        return (
            platform.drives(poses), platform.inverse_dynamics(poses), platform.direct(platform.drives(poses[:50])), loops.inverse_dynamics(closed),
            coefficients.P, flexible.inverse_dynamics(bent), flexible.inverse_dynamics(bent, level="consistent"),
            frame.modes(np.linspace([0, 0.5, -0.5], [0, 1, -1], 4), locked="all").frequencies,
        )  # fmt: skip

    expect_same_in_threads(work, 3)


def test_arguments_keep_their_reference_counts(puma):
    q, v = np.zeros(6), np.zeros((4, 6))
    before = sys.getrefcount(q), sys.getrefcount(v)
    for _ in range(100):
        puma.inverse_dynamics(q, v, v)
        puma.fk(q)
    assert (sys.getrefcount(q), sys.getrefcount(v)) == before


@pytest.mark.parametrize("name", TREES + ["four-bar", "palletiser"])
def test_robots_can_be_pickled(name):
    robot = robot_named(name)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        copy = pickle.loads(pickle.dumps(robot, protocol))
        assert copy.hash() == robot.hash() and copy.name == robot.name
        assert copy.coordinates == robot.coordinates and copy.loops == robot.loops
    if not robot.loops:
        q = robot.random(seed=5)
        np.testing.assert_array_equal(copy.gravity(q), robot.gravity(q))


def test_runs_can_be_pickled(puma):
    run = ulna.simulate(puma, 0.1, q=[0.1] * 6)
    copy = pickle.loads(pickle.dumps(run))
    np.testing.assert_array_equal(copy.values, run.values)
    np.testing.assert_array_equal(copy["energy.total"], run["energy.total"])
    assert copy.summary == run.summary and copy.robot.hash() == run.robot.hash()


def test_a_robot_may_go_before_what_was_made_of_it(puma, states):
    q, v, a = states(puma, 3)
    tau = puma.inverse_dynamics(q, v, a)
    function = puma.compile("inverse")
    experiment = ulna.Experiment(puma, 0.05)
    del puma
    gc.collect()
    np.testing.assert_allclose(function(q, v, a), tau, rtol=1e-9, atol=1e-9)
    assert len(ulna.simulate(experiment)) > 10


def test_pickles_keep_what_the_reader_said():
    urdf = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><safety_controller/></joint></robot>"""
    robot = ulna.loads(urdf)
    assert any("safety_controller" in note for note in robot.import_report["ignored"])
    copy = pickle.loads(pickle.dumps(robot))
    assert copy.import_report == robot.import_report
    assert not any("pickled" in text for text in copy.warnings)
