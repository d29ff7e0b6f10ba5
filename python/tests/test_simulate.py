"""Experiments: drives, controllers, events, interruption, runs."""

import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from conftest import ROOT, flyer

import ulna


def pendulum(damping=0.0):
    builder = ulna.RobotBuilder("pendulum").body("bob", 1.0, centre=(0, 0, -1))
    return builder.joint("hinge", "revolute", "world", "bob", axis=(1, 0, 0), damping=damping).build()


def test_a_pendulum_keeps_its_energy():
    run = ulna.simulate(pendulum(), 5.0, q=[1.0], interval=0.05, rtol=1e-10)
    assert run.t.shape == (101,) and run.q.shape == (101, 1) and run["tau"].shape == (101, 1)
    total = run["energy.total"]
    assert np.ptp(total) < 1e-7 and run.summary["complete"]
    np.testing.assert_allclose(run["energy"][:, 0], run["energy.kinetic"])
    assert run.channels[0] == "q.hinge" and run.units["q.hinge"] == "rad" and "tau" in run and "a" not in run


def test_a_python_controller_does_what_the_built_in_one_does(puma):
    goal = np.array([0.3, 0.5, -0.4, 0.2, 0.7, -0.1])
    law = lambda t, q, v: 200 * (goal - q) - 40 * v
    mine = ulna.Experiment(puma, 0.3).control(law).integrator(rtol=1e-9)
    built_in = ulna.Experiment(puma, 0.3).control("pd", kp=200, kd=40)
    for joint, angle in zip(puma.joints, goal):
        built_in.move(joint.name, float(angle))
    built_in.start(np.zeros(6)).integrator(rtol=1e-9)
    np.testing.assert_allclose(ulna.simulate(mine).q, ulna.simulate(built_in).q, atol=1e-7)


def test_a_sampled_controller_may_remember():
    robot, times = ulna.load("intelledex605"), []

    def law(t, q, v, q_ref, v_ref, a_ref):
        times.append(t)
        return robot.inverse_dynamics(q, v, a_ref + 100 * (q_ref - q) + 20 * (v_ref - v))

    e = ulna.Experiment(robot, 0.2).move("all", "0.2*cycloid(t/0.2)").control(law, rate=1000, reference=True)
    run = ulna.simulate(e.record(["q", "reference"]))
    assert np.abs(run.q - run["reference"]).max() < 1e-3  # efforts are held for a millisecond
    np.testing.assert_allclose(np.diff(times), 1e-3, atol=1e-9)


def test_forcing_functions_in_python():
    robot = pendulum(damping=0.2)
    torque = lambda t: 3 * np.sin(2 * t)
    runs = [
        ulna.simulate(robot, 2.0, efforts={"hinge": x}, rtol=1e-10)
        for x in (torque, "3*sin(2*t)", 3 * ulna.motions.formula("sin(2*t)"))
    ]
    for run in runs[1:]:
        np.testing.assert_allclose(run.q, runs[0].q, atol=1e-9)
    pushed = [
        ulna.simulate(ulna.Experiment(robot, 1.0).wrench("bob", force=f, point=(0, 0, -1)))
        for f in (lambda t: (0, 2 * t, 0), (0, "2*t", lambda t: 0.0))
    ]
    np.testing.assert_allclose(pushed[0].q, pushed[1].q, atol=1e-9)
    assert abs(pushed[0].q[-1, 0]) > 0.01


def test_motions_in_python_need_their_derivatives():
    robot = pendulum()
    run = ulna.simulate(robot, 1.0, motions={"hinge": lambda t: (np.sin(t), np.cos(t), -np.sin(t))})
    np.testing.assert_allclose(run.q[:, 0], np.sin(run.t), atol=1e-12)
    np.testing.assert_allclose(run.tau, robot.inverse_dynamics(run.q, run.v, -run.q), atol=1e-9)
    with pytest.raises(ulna.InputError, match="rate, acceleration"):
        ulna.simulate(robot, 1.0, motions={"hinge": lambda t: np.sin(t).item()})


@pytest.mark.parametrize(
    "law, error, word",
    [
        (lambda t, q, v: 1 / 0, ZeroDivisionError, "zero"),
        (lambda t, q, v: np.zeros(3), ulna.InputError, "(3,)"),
        (lambda t, q, v: None, ulna.InputError, "controller"),
        (lambda t, q, v: np.nan, ulna.ComputationError, "nan"),
        (lambda t: 0.0, TypeError, "positional"),
    ],
)
def test_errors_of_a_controller_come_through(law, error, word):
    with pytest.raises(error, match=word.replace("(", r"\(").replace(")", r"\)")):
        ulna.simulate(pendulum(), 1.0, controller=law)


@pytest.mark.parametrize("method", ["sundials-bdf", "sundials-erk", "dop853", "semi-implicit"])
def test_errors_come_through_every_integrator(method):
    def law(t, q, v):
        if t > 0.5:
            raise KeyError("stop")
        return 0.0

    e = ulna.Experiment(pendulum(), 1.0).control(law).integrator(method, step=1e-3)
    with pytest.raises(KeyError, match="stop"):
        ulna.simulate(e)


def test_events_end_a_run():
    e = ulna.Experiment(pendulum(), 10.0, q=[0.5]).stop_when("q.hinge", below=0.0, name="bottom")
    e.stop_when("v.hinge", below=-0.2, go_on=True)
    run = ulna.simulate(e)
    assert run.summary["reason"] == "event 'bottom'" and abs(run.q[-1, 0]) < 1e-8
    assert {event["name"] for event in run.summary["events"]} == {"bottom", "v.hinge"}


def test_locked_joints_limits_and_friction(puma):
    first = puma.joints[0].name
    for effort, moves in ((5.0, False), (50.0, True)):  # friction holds against the first
        e = ulna.Experiment(puma, 0.2).lock([j.name for j in puma.joints[1:]]).effort(first, effort)
        run = ulna.simulate(e)
        assert np.ptp(run.q[:, 1:]) == 0 and (run.q[-1, 0] > 0.01) == moves
    builder = ulna.RobotBuilder("stop").body("b", 1.0)
    robot = builder.joint("slide", "prismatic", "world", "b", axis=(0, 0, 1), lower=-1).build()
    run = ulna.simulate(ulna.Experiment(robot, 3.0).feel_limits(restitution=0.5))
    assert run.q.min() > -1 - 1e-9 and run.q[-1, 0] < -0.9


def test_experiment_files(tmp_path):
    e = ulna.Experiment.read(ROOT / "examples" / "intelledex605.yaml")
    assert e.robot.name == "intelledex605" and e.duration == 2.0
    run = ulna.simulate(e, output=tmp_path / "run")
    again = ulna.load_run(tmp_path / "run")
    np.testing.assert_array_equal(again.values, run.values)
    assert again.titles == run.titles and again.summary["model_hash"] == run.summary["model_hash"]
    torques = ulna.simulate(e.inverse())
    np.testing.assert_allclose(torques.tau, torques.robot.inverse_dynamics(torques.q, torques.v, torques["a"]) if "a" in torques else torques.tau)
    shorter = ulna.simulate(ROOT / "examples" / "intelledex605.yaml", 0.1, record=["q"])
    assert shorter.t[-1] == pytest.approx(0.1) and "tau" not in shorter
    with pytest.raises(ulna.InputError, match="experiment"):
        ulna.Experiment.loads("robot: puma560")
    with pytest.raises(ulna.InputError):
        ulna.simulate(tmp_path / "missing.yaml")


def test_a_run_built_in_code_can_be_written(tmp_path, puma):
    run = ulna.simulate(puma, 0.1, output=tmp_path / "out")
    assert (tmp_path / "out" / "run.csv").exists()
    run.to_csv(tmp_path / "x.csv")
    for wrong in (1, True, None, 2.5):  # a number is not a file that is open already
        with pytest.raises(TypeError, match="path"):
            run.to_csv(wrong)
    back = np.loadtxt(tmp_path / "x.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(back, run.values)


def test_an_interrupted_run_goes_on(tmp_path):
    whole = ulna.simulate(pendulum(), 1.0, q=[1.0], interval=0.01)

    def experiment(fails):
        def push(t, q, v):
            if fails and t > 0.5:
                raise KeyboardInterrupt
            return 0.0

        return ulna.Experiment(pendulum(), 1.0, q=[1.0]).control(push).record(interval=0.01)

    with pytest.raises(KeyboardInterrupt):
        ulna.simulate(experiment(True), output=tmp_path / "run")
    assert (tmp_path / "run.partial").is_dir() and not (tmp_path / "run").exists()
    run = ulna.simulate(experiment(False), output=tmp_path / "run", resume=True)
    assert len(run) == 101
    np.testing.assert_allclose(run.q, whole.q, atol=1e-7)


def test_a_free_base_keeps_its_momentum():
    builder = flyer().builder()
    builder.gravity = (0, 0, 0)
    robot = builder.build()
    v = np.random.default_rng(0).uniform(-1, 1, robot.nv)
    run = ulna.simulate(robot, 0.5, q=robot.random(seed=1), v=v, record=["momentum", "energy"], rtol=1e-10)
    assert np.ptp(run["momentum"], axis=0).max() < 1e-7


def test_wrong_experiments_say_so(puma):
    e = ulna.Experiment(puma, 1.0)
    for call, word in [
        (lambda: e.move("jont1", "t"), "jont1"),
        (lambda: e.control("pdd"), "pdd"),
        (lambda: e.control("pd", kp=[1, 2]), "kp"),
        (lambda: e.integrator("dorman-prince"), "dormand-prince"),
        (lambda: e.stop_when("q.joint1"), "above"),
        (lambda: e.start(q=[1.0]), "(1,)"),
        (lambda: e.effort("all", [1.0, 2.0]), "list of 1"),
        (lambda: ulna.simulate(puma, -1.0), ""),
        (lambda: ulna.simulate(puma, 1.0, record=["qq"]), "qq"),
    ]:
        with pytest.raises(ulna.InputError) as caught:
            call()
        assert word in str(caught.value)
    with pytest.raises(TypeError):
        ulna.simulate(puma)
    with pytest.raises(TypeError):
        ulna.simulate(e, q=np.zeros(6))
    with pytest.raises(ulna.InputError, match="nothing"):
        ulna.simulate(puma, 0.01)["nothing"]


LONG_RUNS = {
    "simulation": "ulna.simulate(robot, 1e5, q=[0.1] * 6, interval=1e4)",
    "controller": "ulna.simulate(robot, 1e5, controller=lambda t, q, v: 30 * np.sin(t * np.arange(6)) - q, interval=1e4)",
    "verify": "robot.verify(states=10_000_000)",
}


@pytest.mark.parametrize("what", LONG_RUNS)
def test_ctrl_c_stops_it(what):
    code = f"""
        import signal
        import numpy as np, ulna
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
        robot = ulna.load("intelledex605")
        print("ready", flush=True)
        try:
            {LONG_RUNS[what]}
        except KeyboardInterrupt:
            print("stopped", flush=True)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    out, _ = process.communicate(timeout=30)
    assert out == "stopped\n" and process.returncode == 0
    assert time.monotonic() - begin < 10  # some ten times a second; a busy machine takes longer


def test_channels_may_be_one_text(puma):
    assert ulna.simulate(puma, 0.02, record="tau").channels == [f"tau.{j.name}" for j in puma.joints]
    run = ulna.simulate(ulna.Experiment(puma, 0.02).record("q, energy"))
    assert "q" in run and "energy" in run and "tau" not in run


def test_names_of_channels_may_hold_brackets():
    builder = ulna.RobotBuilder("r").body("b", 1.0, centre=(0, 0, -1))
    names = ["arm[0]", "arm[1]"]
    builder.joint(names[0], "revolute", "world", "b", axis=(1, 0, 0))
    builder.body("c", 1.0, centre=(0, 0, -1)).joint(names[1], "revolute", "b", "c", axis=(1, 0, 0))
    run = ulna.simulate(builder.build(), 0.05)
    assert run.q.shape[1] == 2 and run.units["q.arm[1]"] == "rad" and len(run["q.arm[0]"]) == len(run)


def test_runs_are_asked_by_name(puma):
    run = ulna.simulate(puma, 0.02)
    assert list(run) == ["t", *run.channels]
    with pytest.raises(TypeError, match="name of a channel"):
        run[0]
    with pytest.raises(ulna.InputError, match="output"):
        ulna.simulate(puma, 0.02, resume=True)


def test_functions_of_time_give_one_number(puma):
    experiment = ulna.Experiment(puma, 0.02).effort("joint1", lambda t: np.array([7.0, 8, 9]))
    with pytest.raises(ulna.InputError, match=r"effort: the function gives an array of shape \(3,\); expected a number"):
        ulna.simulate(experiment)


def test_numbers_of_every_precision_are_numbers():
    robot = pendulum()
    right = ulna.simulate(robot, 0.1, efforts={"hinge": 3.0}).q
    for three in (np.float32(3), np.array(3.0), np.array([3]), 3, lambda t: np.float32(3), lambda t: [3]):
        np.testing.assert_array_equal(ulna.simulate(robot, 0.1, efforts={"hinge": three}).q, right)
    force = np.array([0, 2, 1], np.float32)
    run = lambda f: ulna.simulate(ulna.Experiment(robot, 0.1).wrench("bob", force=f)).q
    np.testing.assert_array_equal(run(force), run([0.0, 2.0, 1.0]))


def test_a_force_is_asked_once_an_evaluation():
    """A function of three numbers is not called three times: the same run with a function for one of them tells. Before the
    run each component is looked at for jumps, which is why they are not equal."""
    calls = {"whole": 0, "part": 0}

    def whole(t):
        calls["whole"] += 1
        return [0.0, np.sin(t), 1.0]

    def part(t):
        calls["part"] += 1
        return np.sin(t)

    a = ulna.simulate(ulna.Experiment(pendulum(), 0.5).wrench("bob", force=whole))
    b = ulna.simulate(ulna.Experiment(pendulum(), 0.5).wrench("bob", force=[0.0, part, 1.0]))
    np.testing.assert_array_equal(a.q, b.q)
    assert calls["whole"] < 2 * calls["part"]


def test_a_long_batch_can_be_stopped(tmp_path):
    script = tmp_path / "long.py"
    script.write_text(
        textwrap.dedent(
            """
            import signal
            import numpy as np, ulna
            signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
            robot = ulna.load("puma560")
            q = np.tile(np.full(6, 0.3), (3_000_000, 1))
            print("go", flush=True)
            try:
                robot.inverse_dynamics(q, method="lagrange-4x4")
            except KeyboardInterrupt:
                print("stopped", flush=True)
            """
        )
    )
    process = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "go\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    assert process.communicate(timeout=60)[0] == "stopped\n"
    assert time.monotonic() - begin < 10  # all of it takes half a minute and more


def test_a_law_that_chatters_for_ever_ends_the_run_with_its_reason():
    """Pushed back as soon as it goes: friction holds the wheel and lets it go without end."""
    builder = ulna.RobotBuilder("wheel")
    builder.body("rim", mass=1.0, inertia=(0.1, 0.1, 0.1))
    builder.joint("hub", "revolute", "world", "rim", axis=(0, 0, 1), friction=1.0)
    law = lambda t, q, v: [5.0 if v[0] <= 0 else -5.0]
    run = ulna.simulate(ulna.Experiment(builder.build(), duration=1.0).control(law))
    assert not run.summary["complete"]
    for word in ("wheel", "stick, slip", "expected", "try"):
        assert word in run.summary["reason"]
    assert len(run.t) == 1  # the start is kept


def test_a_run_tells_of_motors_bearings_and_limits():
    rod = ulna.loads(
        """
ulna: 1
name: rod
gravity: [0, -9.81, 0]
bodies: [{name: rod, mass: 2, centre: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}]
joints: [{name: hinge, type: revolute, parent: world, child: rod, limits: {lower: -1, upper: 7, velocity: 2, effort: 5}}]
"""
    )
    run = ulna.simulate(ulna.Experiment(rod, 2.0).move("hinge", "pi*t").record(["q", "reaction"], interval=0.01))
    weight, w = 2 * 9.81, np.pi
    motor, bearing, outside = (run.summary[key][0] for key in ("motors", "bearings", "outside_limits"))
    assert motor["peak_effort"] == pytest.approx(weight / 2, rel=1e-9)
    assert motor["peak_power"] == pytest.approx(weight / 2 * w, rel=1e-9)
    # At the bottom, after 1.5 s, the weight and the centrifugal force add up.
    assert bearing["peak_force"] == pytest.approx(weight + 2 * w**2 / 2, rel=1e-9)
    assert bearing["peak_force_t"] == pytest.approx(1.5)
    force = np.linalg.norm([run[f"reaction.hinge.{axis}"] for axis in ("fx", "fy", "fz")], axis=0)
    assert force.max() == pytest.approx(bearing["peak_force"], rel=1e-6)
    assert outside["speed"] == pytest.approx(2.0)
    with pytest.raises(ulna.InputError, match="reactoin"):
        ulna.simulate(ulna.Experiment(rod, 0.1).record(["reactoin"]))


def test_an_experiment_made_in_python_becomes_a_source_fmu(tmp_path):
    e = ulna.Experiment(ulna.load("planar-3r"), 1.0)
    made = ulna.write_fmu(e, tmp_path / "arm.fmu", outputs=["q"])
    assert made["kind"] == "source" and made["model_exchange"]
    assert [name.partition(".")[0] for name in made["inputs"]] == ["tau"] * 3
    assert "sources/robot_along.c" in made["files"]
    e.control("pd", kp=50, kd=5)
    controlled = ulna.write_fmu(e, tmp_path / "controlled.fmu", fmi=3)
    assert {"controllers.0.kp", "controllers.0.kd"} <= set(controlled["parameters"])
    e.move("joint1", "sin(t)")
    with pytest.raises(ulna.InputError, match="function of time"):
        ulna.write_fmu(e, tmp_path / "moved.fmu")


def test_runs_are_written_as_hdf5(puma, tmp_path):
    run = ulna.simulate(puma, 0.05, q=[0.1] * 6, interval=0.01)
    file, direct = tmp_path / "run.h5", tmp_path / "direct.hdf5"
    try:
        run.to_hdf5(file)
    except ulna.ComputationError as error:
        if "without HDF5" in str(error):
            pytest.skip("Ulna was built without HDF5")
        raise
    other = ulna.simulate(puma, 0.05, q=[0.1] * 6, interval=0.01, output=direct)
    assert other.directory == str(direct) and sorted(p.name for p in tmp_path.iterdir()) == ["direct.hdf5", "run.h5"]
    for path in (file, direct):
        data = path.read_bytes()
        assert data.startswith(b"\x89HDF\r\n\x1a\n") and b"q.joint1" in data and b"energy.total" in data
        assert run["q.joint1"].tobytes() in data and run["tau.joint2"].tobytes() in data  # contiguous, as they are in memory
    for wrong in (1, None):
        with pytest.raises(TypeError, match="path"):
            run.to_hdf5(wrong)
    with pytest.raises(ulna.InputError, match="none"):
        run.to_hdf5(tmp_path / "none" / "run.h5")
    h5py = pytest.importorskip("h5py")
    with h5py.File(file) as read:
        assert {name for name in read if name != "ulna"} == set(run)
        for name, values in run.items():
            np.testing.assert_array_equal(read[name], values)
            assert read[name].attrs["unit"] in (run.units[name], run.units[name].encode())
