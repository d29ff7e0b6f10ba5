"""A 7R arm, swinging freely and under PD control, beside MuJoCo and Drake: error against time.

    PYTHONPATH=build/release/python python bench/peers/simulations.py [--json FILE] [--rounds 5] [--only ulna]

Every program integrates the same equations: M dv/dt + h = kp (goal - q) - kd v, with kp = kd = 0 for the free arm. The error is
the largest of the seven angles at the end against Ulna's dop853 at a relative tolerance of 1e-13, whose own is checked at 3e-14.
Peers that are not installed are left out (bench/peers/fetch_simulators.sh). Nothing of Python is in their loops.
"""

import argparse
import json
import pathlib
import re
import time

import numpy as np

FILE = pathlib.Path(__file__).parents[1] / "python" / "arm7.urdf"
URDF = FILE.read_text()
START = np.array([0.3, -0.5, 0.4, 0.6, -0.2, 0.5, 0.1])
GOAL = np.array([0.0, 0.4, -0.2, 0.3, 0.1, -0.4, 0.2])
DURATION = 1.0
STIFFNESS = np.array([120.0, 120, 60, 40, 15, 6, 1])  # to the last joint by its inertia
GAINS = {"free": (0 * STIFFNESS, 0 * STIFFNESS), "controlled": (STIFFNESS, STIFFNESS / 10)}


def best(rounds, run):
    """The result and the least time of several rounds."""
    result, least = None, np.inf
    for _ in range(rounds):
        begin = time.perf_counter()
        result = run()
        least = min(least, time.perf_counter() - begin)
    return result, least


def ulna_run(task, method, rtol):
    import ulna

    e = ulna.Experiment(ulna.load(FILE), DURATION, q=START)
    kp, kd = GAINS[task]
    if kp.any():
        for name, goal in zip(e.robot.speeds, GOAL):
            e.move(name, float(goal))
        e.control("pd", kp=kp, kd=kd)
    e.integrator(method, rtol=rtol).record("energy.kinetic", interval=DURATION)
    run = ulna.simulate(e)
    return np.array(run.summary["final"]["q"]), run.summary["wall_seconds"]


def of_ulna(task, rounds):
    for method, rtol in [("dormand-prince", 1e-4), ("dormand-prince", 1e-6), ("dop853", 1e-8), ("dop853", 1e-10), ("dop853", 1e-12)]:
        runs = [ulna_run(task, method, rtol) for _ in range(rounds)]
        yield f"{method}, rtol {rtol:g}", runs[0][0], min(seconds for _, seconds in runs)


def mujoco_model(task, step, method):
    import mujoco

    spec = re.sub(r"<robot name=\"arm7\">", '<robot name="arm7"><mujoco><compiler balanceinertia="false" fusestatic="false"/></mujoco>', URDF)
    model = mujoco.MjModel.from_xml_string(spec)
    model.jnt_limited[:] = 0
    model.opt.timestep = step
    model.opt.integrator = {"Euler": 0, "RK4": 1, "implicitfast": 3}[method]
    model.opt.gravity[:] = [0, 0, -9.81]
    kp, kd = GAINS[task]
    model.jnt_stiffness[:] = kp  # a spring to the goal and a damper are this controller
    model.qpos_spring[:] = GOAL
    model.dof_damping[:] = kd
    return model


def of_mujoco(task, rounds):
    import mujoco

    for method, step in [("Euler", 1e-3), ("implicitfast", 1e-3), ("RK4", 1e-2), ("RK4", 2e-3), ("RK4", 5e-4), ("RK4", 1e-4)]:
        model = mujoco_model(task, step, method)
        count = round(DURATION / step)

        def run():
            data = mujoco.MjData(model)
            data.qpos[:] = START
            mujoco.mj_step(model, data, nstep=count)
            return data.qpos.copy()

        q, seconds = best(rounds, run)
        yield f"{method}, {step * 1e3:g} ms", q, seconds


def of_drake(task, rounds):
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator
    from pydrake.systems.controllers import PidController
    from pydrake.systems.framework import DiagramBuilder
    from pydrake.systems.primitives import ConstantVectorSource

    kp, kd = GAINS[task]
    builder = DiagramBuilder()
    plant = builder.AddSystem(MultibodyPlant(0.0))
    Parser(plant).AddModelsFromString(re.sub(r"<limit[^>]*/>", '<limit effort="1e9" velocity="1e9" lower="-1e9" upper="1e9"/>', URDF), "urdf")
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    if kp.any():
        for k in range(1, 8):
            plant.AddJointActuator(f"a{k}", plant.GetJointByName(f"j{k}"))
    plant.Finalize()
    if kp.any():
        pid = builder.AddSystem(PidController(kp, np.zeros(7), kd))
        goal = builder.AddSystem(ConstantVectorSource(np.concatenate([GOAL, np.zeros(7)])))
        builder.Connect(plant.get_state_output_port(), pid.get_input_port_estimated_state())
        builder.Connect(goal.get_output_port(), pid.get_input_port_desired_state())
        builder.Connect(pid.get_output_port_control(), plant.get_actuation_input_port())
    diagram = builder.Build()
    for scheme, accuracy in [("runge_kutta3", 1e-3), ("runge_kutta3", 1e-6), ("runge_kutta5", 1e-6), ("runge_kutta5", 1e-9)]:

        def run():
            simulator = Simulator(diagram)
            ResetIntegratorFromFlags(simulator, scheme, 0.1)
            integrator = simulator.get_mutable_integrator()
            integrator.set_target_accuracy(accuracy)
            context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
            plant.SetPositions(context, START)
            plant.SetVelocities(context, np.zeros(7))
            simulator.Initialize()
            begin = time.perf_counter()
            simulator.AdvanceTo(DURATION)
            return plant.GetPositions(context).copy(), time.perf_counter() - begin

        runs = [run() for _ in range(rounds)]
        yield f"{scheme}, accuracy {accuracy:g}", runs[0][0], min(seconds for _, seconds in runs)


def version_of(name):
    if name == "ulna":
        import ulna

        return ulna.__version__
    if name == "mujoco":
        import mujoco

        return mujoco.__version__
    import importlib.metadata

    return importlib.metadata.version("drake")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="write the results here")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help="one program: ulna, mujoco or drake")
    options = parser.parse_args()
    programs = {"ulna": of_ulna, "mujoco": of_mujoco, "drake": of_drake}
    rows = []
    for task in GAINS:
        reference, _ = ulna_run(task, "dop853", 1e-13)
        check, _ = ulna_run(task, "dop853", 3e-14)
        print(f"\n{task} 7R arm, {DURATION:g} s; the reference is certain to {np.abs(reference - check).max():.1e} rad")
        print(f"{'':46s}{'error, rad':>12s}{'time, ms':>12s}")
        for name, measure in programs.items():
            if options.only and options.only != name:
                continue
            try:
                title = f"{name} {version_of(name)}"
            except ImportError:
                print(f"{name}: not installed")
                continue
            for how, q, seconds in measure(task, options.rounds):
                error = float(np.abs(q - reference).max())
                print(f"{title + ' ' + how:46s}{error:12.2e}{1e3 * seconds:12.3f}")
                rows.append({"task": task, "program": title, "how": how, "error": error, "seconds": seconds})
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
