# # First steps with an arm
# The Puma 560: where it reaches, what its motors must do, how it falls when they let go.

import numpy as np

import ulna

robot = ulna.load("puma560")
print(robot)

# ## Kinematics
# States are arrays; the tip is meant when no frame is named. A batch is an array with one state per
# row, and everything takes batches.

q = np.array([0.0, 0.8, -0.4, 0.0, 0.5, 0.0])
print("wrist at", robot.fk(q)[:3, 3])

along = np.linspace(q, q + 0.5, 1000)
positions = robot.fk(along)[:, :3, 3]
print("path of", np.linalg.norm(np.diff(positions, axis=0), axis=1).sum(), "m")

target = robot.fk(q)
for solution in robot.ik_closed_form(target):
    print("the same pose by", np.round(solution, 4))
    assert np.allclose(robot.fk(solution), target, atol=1e-9)

# ## Dynamics
# Five formulations of inverse dynamics, one answer.

v, a = np.full(6, 0.5), np.full(6, 1.0)
for method in ("newton-euler", "newton-euler-compact", "newton-euler-4x4", "lagrange-4x4", "kane"):
    print(f"{method:22}", robot.inverse_dynamics(q, v, a, method=method).round(6))

tau = robot.inverse_dynamics(q, v, a)
assert np.allclose(robot.forward_dynamics(q, v, tau), a, atol=1e-9)
assert np.allclose(robot.mass_matrix(q) @ a + robot.bias(q, v), tau)

# ## A motion under control
# The reference is a formula with exact derivatives; the controller is a Python function.


def law(t, q, v, q_ref, v_ref, a_ref):
    return robot.inverse_dynamics(q, v, a_ref + 400 * (q_ref - q) + 40 * (v_ref - v))


experiment = ulna.Experiment(robot, 1.0, name="reach")
experiment.move("all", "0.6*cycloid(t)").control(law, rate=1000, reference=True)
experiment.record(["q", "v", "tau", "reference", "energy"])
run = ulna.simulate(experiment)
print("largest error", np.abs(run.q - run["reference"]).max(), "rad")
assert np.abs(run.q - run["reference"]).max() < 0.02  # joints without load stick at first

# In a notebook, `run` shows the robot moving and `run.plot()` its time plots.

run.plot(["q", "tau"])
