"""Threads, reference counts, pickling."""

import gc
import pickle
import sys
import threading

import numpy as np
import pytest
from conftest import TREES, robot_named

import ulna


def test_two_threads_on_one_robot_give_the_same_as_one(tree, states):
    q, v, a = states(tree, 3000)

    def work():
        single = [tree.inverse_dynamics(q[k], v[k], a[k]) for k in range(200)]
        return (
            np.array(single), tree.inverse_dynamics(q, v, a), tree.forward_dynamics(q, v, a),
            tree.mass_matrix(q), tree.jacobian(q), tree.inverse_dynamics_derivatives(q, v, a).dtau_dq,
            tree.regressor(q[:500], v[:500], a[:500]), tree.inverse_dynamics(q[:300], v[:300], a[:300], method="kane"),
        )  # fmt: skip

    alone = work()
    found = [None] * 4
    crew = [threading.Thread(target=lambda k=k: found.__setitem__(k, work())) for k in range(4)]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    for result in found:
        for mine, expected in zip(result, alone):
            np.testing.assert_array_equal(mine, expected)


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
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
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
