# # A Stewart platform
# NASA's Dynamic Docking Test System, as Lim, Freeman and Tesar described it in 1989: a platform of 2250 kg on six legs.
# In the file it is an ordinary robot with loops; `robot.platform()` is the same in closed form.

import numpy as np

import ulna

robot = ulna.load("ddts")
platform = robot.platform()
print(platform, "legs", ", ".join(platform.legs))
print("degrees of freedom by counting and by rank:", robot.mobility().dof)

# ## Lengths from poses, poses from lengths
# A batch of poses gives a row of lengths each. The other way a general platform has up to forty answers; along a motion the
# one before is the start of the next.


def turned_up(t):
    """Climbs by a metre in two seconds and turns by -60 degrees."""
    pose = ulna.pose(axis=(1, 0, 0), angle=float(turn(t))) @ platform.home
    pose[:3, 3] = (3 + climb(t), 0, 0)
    return pose


climb = ulna.motions.program("poly345", 0.0, 1.0, 2.0)
turn = ulna.motions.program("poly345", 0.0, -np.pi / 3, 2.0)
t = np.linspace(0, 2, 201)
poses = np.array([turned_up(x) for x in t])
zero = np.zeros_like(t)
twists = np.stack([turn.rate(t), zero, zero, climb.rate(t), zero, zero], axis=1)
accelerations = np.stack([turn.acceleration(t), zero, zero, climb.acceleration(t), zero, zero], axis=1)
legs = platform.inverse(poses, twists, accelerations)
print("lengths from", legs.q.min(), "to", legs.q.max(), "m; fastest", np.abs(legs.v).max(), "m/s")
assert np.allclose(platform.direct(legs.q), poses, atol=1e-8)

# ## Forces
# With the masses of the legs, by Newton and Euler in closed form. The same from the robot with loops, and from influence
# coefficients: forces = I L'' + L' P L' + gravity, in the lengths of the legs alone.

forces = platform.inverse_dynamics(poses, twists, accelerations)
print("largest force", np.abs(forces).max(), "N")

k = 80
q = platform.posture(poses[k])
v, a = platform.posture_rates(q, twists[k], accelerations[k])
through_loops = robot.inverse_dynamics(q, v, a, actuated=platform.actuated)
places = [robot.speeds.index(name) for name in platform.actuated]
assert np.allclose(through_loops[places], forces[k], rtol=1e-6)

coefficients = robot.influence_coefficients(q)
print("effective inertia of each leg", np.diag(coefficients.I).round(1), "kg")
assert np.allclose(coefficients.efforts(legs.v[k], legs.a[k]), forces[k], rtol=1e-6)

# ## How well it is held
# The condition of the rows says how far the platform is from giving way, and along which screw it would.

condition = platform.singularity(poses).condition
print("condition from", condition.min().round(2), "to", condition.max().round(2))
print("stiffness along x with 1e7 N/m in each leg:", platform.stiffness(platform.home, 1e7)[3, 3], "N/m")

# Where it can stand: a slice through the workspace, strokes and legs that touch considered.

slice_ = platform.workspace(("y", -1.5, 1.5, 31), ("z", -1.5, 1.5, 31))
print(f"{100 * slice_.share:.0f} % of the slice can be reached, {slice_.area:.2f} m^2")
