# # Identification
# Which inertial parameters can be told from measured torques, and what they are.

import numpy as np

import ulna

robot = ulna.load("puma560")
base = robot.base_parameters()
print(len(robot.parameters()), "parameters, of which efforts tell", len(base), "combinations")

# A motion that excites all of them, efforts measured along it with noise, and the estimate.

motion = robot.excitation(samples=400, candidates=5)
rng = np.random.default_rng(1)
measured = robot.inverse_dynamics(motion.q, motion.v, motion.a) + 0.05 * rng.standard_normal(motion.q.shape)
found = robot.identify(motion.q, motion.v, motion.a, measured)
found  # a table in a notebook, print(found) elsewhere

# The truth lies within a few standard deviations, and another motion is predicted to within the noise.

off = np.abs(found.estimate - base.values) / found.deviations
print("largest error in standard deviations", off.max())
assert off.max() < 5

q = robot.random(200, seed=3)
v, a = rng.uniform(-1, 1, (2, 200, robot.nv))
Y = robot.regressor(q, v, a)[:, :, base.columns]
prediction = Y @ (found.estimate - base.values)
print("error of predicted efforts", np.abs(prediction).max(), "N m")
assert np.abs(prediction).max() < 0.5
