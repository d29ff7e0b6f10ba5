# # Closed loops
# A four-bar linkage: assembled, moved, and driven by one motor.

import numpy as np

import ulna

robot = ulna.load("four-bar")
print(robot)

# Where the loop closes: near a start, or all ways for a given crank angle.

crank = robot.coordinates[0]
for q in robot.assemble({crank: 5.236}, all=True):
    print("assembled at", q.round(4), "gap", robot.closure(q).gap)

mobility = robot.mobility(robot.assemble({crank: 5.236}))
print("degrees of freedom", mobility.dof, "while counting joints says", mobility.gruebler)

# ## The motor's torque over a turn
# With the crank's speed given, all other speeds and accelerations follow from the loop.

torques = []
q = robot.assemble({crank: 5.236})
for angle in np.linspace(5.236, 5.236 + 0.4, 50):
    start = q.copy()
    start[0] = angle
    q = robot.assemble(start, held=[crank])
    q, v, a = robot.complete(q, {crank: 3.0}, {crank: 0.0})
    torques.append(robot.inverse_dynamics(q, v, a, actuated=[crank])[0])
print("torque from", min(torques), "to", max(torques), "N m")

# Forward dynamics gives the accelerations back, by multipliers and by independent coordinates.

tau = robot.inverse_dynamics(q, v, a, actuated=[crank])
for method in ("multipliers", "embedding"):
    assert np.allclose(robot.forward_dynamics(q, v, tau, method=method), a, atol=1e-8)

# ## Made in code
# The same kind of linkage from bodies and joints; the joint that closes the cycle becomes the loop.

builder = ulna.RobotBuilder("my four-bar", gravity=(0, -9.81, 0))
lengths = {"crank": 0.2, "coupler": 0.5, "rocker": 0.4}
for name, length in lengths.items():
    builder.body(name, 1.0, centre=(length / 2, 0, 0), inertia=(0, length**2 / 12, length**2 / 12))
builder.joint("motor", "revolute", "world", "crank")
builder.joint("a", "revolute", "crank", "coupler", at=(0.2, 0, 0))
builder.joint("b", "revolute", "world", "rocker", at=(0.5, 0, 0))
builder.joint("c", "revolute", "coupler", "rocker", at=(0.5, 0, 0), child_at=(-0.4, 0, 0), cut=True)
mine = builder.build()
q, v, a = mine.complete({"motor": 1.0}, {"motor": 2.0})
print(mine.loops, "closed to", mine.closure(q).gap)
assert mine.mobility(q).dof == 1
