"""Sensors, actuators, control laws and events from Python; linear systems in discrete time."""

import numpy as np
import pytest

import ulna


def arm() -> ulna.Experiment:
    robot = ulna.load("puma560")
    return ulna.Experiment(robot, 0.5)


def test_a_function_decides_what_an_event_does():
    seen = []

    def decide(t, q, v):
        seen.append((t, q.copy()))
        return [{"release": "part"}, "record"] if len(seen) == 1 else "stop"

    body = ulna.load("puma560").bodies[-1]
    e = arm().add(
        events=[
            {"name": "pick", "at": 0.1, "do": [{"pick": {"name": "part", "body": body, "mass": 2.0}}]},
            {"name": "ask", "after": "pick", "delay": 0.1, "do": decide},
            {"name": "again", "after": "ask", "delay": 0.1, "do": [decide]},
        ]
    )
    run = ulna.simulate(e)
    assert [name for name, _ in [(x["name"], x["t"]) for x in run.summary["events"]]] == ["pick", "ask", "again"]
    assert seen[0][0] == pytest.approx(0.2)
    assert run.summary["t"] == pytest.approx(0.3)
    assert run.summary["reason"] == "event 'again'"


def test_a_motor_and_an_encoder_stand_between_controller_and_joint():
    e = arm().start(q=np.zeros(6))
    e.move("all", "0.2*poly345(t/0.5)")
    e.add(
        sensors=[{"encoder": "all", "rate": 1000, "counts": 4096, "noise": 1e-4, "seed": 3}],
        actuators={"all": {"kind": "dc", "resistance": 1.0, "torque_constant": 0.1, "gear": {"ratio": 100}}},
        controllers=[{"law": "computed-torque", "kp": 400, "kd": 40, "rate": 1000, "sensors": "all", "delay": 1e-3}],
    )
    e.record("q,sensor,actuator")
    run = ulna.simulate(e)
    assert len(run.summary["sizing"]) == 6
    assert run.summary["sizing"][1]["peak_current"] > 0
    first = ulna.simulate(e)
    joint = ulna.load("puma560").speeds[0]
    assert np.array_equal(run[f"sensor.{joint}.q"], first[f"sensor.{joint}.q"])


def test_wrong_parts_name_the_nearest():
    with pytest.raises(ulna.InputError, match="sensors"):
        arm().add(sensor=[])
    with pytest.raises(ulna.InputError, match="adaptive"):
        arm().add(controllers=[{"law": "adaptve", "kd": 1}])


def test_linear_systems_in_discrete_time():
    A, B = np.array([[0.0, 1], [-4, -0.4]]), np.array([[0.0], [1]])
    Ad, Bd = ulna.discretize(A, B, 0.1)
    w, V = np.linalg.eig(A)
    assert np.allclose(Ad, (V @ np.diag(np.exp(0.1 * w)) @ np.linalg.inv(V)).real)
    assert np.allclose(Bd, np.linalg.solve(A, (Ad - np.eye(2)) @ B))
    Wc, Wo, hankel = ulna.gramians(A, B, np.eye(2))
    assert np.allclose(A @ Wc + Wc @ A.T + B @ B.T, 0)
    assert np.allclose(A.T @ Wo + Wo @ A + np.eye(2), 0)
    assert hankel[0] >= hankel[1] > 0
    H = ulna.frequency_response(A, B, np.array([[1.0, 0]]), np.zeros((1, 1)), [1.0])
    assert H.shape == (1, 1, 1) and np.isclose(H[0, 0, 0], 1 / (4 - 1 + 0.4j))
    K, P = ulna.dlqr(Ad, Bd, np.eye(2), np.eye(1))
    assert np.all(np.abs(np.linalg.eigvals(Ad - Bd @ K)) < 1)
    L, S = ulna.kalman(Ad, np.array([[1.0, 0]]), 0.1 * np.eye(2), np.eye(1))
    assert L.shape == (2, 1) and np.allclose(S, S.T)


def test_actuators_and_outputs_are_chosen():
    robot = ulna.load("puma560")
    names = robot.speeds
    part = robot.linearize(np.zeros(6), actuators=[names[1]], outputs=[f"q.{names[2]}", f"v.{names[0]}"])
    whole = robot.linearize(np.zeros(6))
    assert np.array_equal(part.B[:, 0], whole.B[:, 1])
    assert part.C.shape == (2, 12) and part.C[0, 2] == 1 and part.C[1, 6] == 1


@pytest.mark.parametrize("joints", ["joint2", ["joint2"], ("joint2",), np.array(["joint2"])])
def test_a_controller_names_one_joint_or_several(joints):
    def steps(e):
        return ulna.simulate(e.start(q=[0.3] * 6, v=[0.5] * 6).integrator("rk4", step=1e-3)).values

    pd = {"law": "pd", "kp": 50.0, "kd": 5.0}
    expected = steps(arm().control("pd", "joint2", kp=50.0, kd=5.0))
    np.testing.assert_array_equal(steps(arm().add(controllers=[{**pd, "joints": joints}])), expected)
    assert not np.array_equal(steps(arm().add(controllers=[{**pd, "joints": "all"}])), expected)


def test_joints_of_a_controller_are_names():
    for joints in ([5], [None], 5, [["joint1"]]):
        with pytest.raises(TypeError, match="joints"):
            arm().add(controllers=[{"law": "pd", "kp": 1.0, "joints": joints}])
    with pytest.raises(ulna.InputError, match="joint77"):
        arm().add(controllers=[{"law": "pd", "kp": 1.0, "joints": ["joint77"]}])
