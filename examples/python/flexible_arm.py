# # A flexible arm, and why stiffening matters
# A beam that turns is pulled straight by its own inertia: it gets stiffer. Equations that are linearised too early lose that
# term, keep a softening one that it should balance, and predict that the beam flies apart. Padilla's thesis (1989) showed it on
# an arm with two flexible links.

import numpy as np

import ulna

robot = ulna.load("flexible-two-link")
print(robot)
for link in robot.flexible_links:
    print(link.body, "bends in", ", ".join(link.modes), "with", (link.frequencies / (2 * np.pi)).round(2), "Hz by itself")

# ## Frequencies over the posture
# With the joints locked, as the elbow folds.

q = np.zeros((5, robot.nq))
q[:, 1] = np.linspace(0, np.pi, 5)
found = robot.elastic_modes(q, locked="all")
for angle, row in zip(q[:, 1], found.frequencies):
    print(f"elbow {np.degrees(angle):5.0f} deg:", row[:4].round(2), "rad/s")

# ## Stiffening
# A beam of unit length, mass and stiffness on a hinge, made in code. In a steady spin its frequency rises at the levels of
# fidelity that know the stiffening; at the inconsistent one it falls to zero when the spin meets the frequency.

builder = ulna.RobotBuilder("beam", gravity=(0, 0, 0)).body("beam")
builder.beam("beam", length=1.0, EI=1.0, mass_per_length=1.0, flexible={"modes": {"bending_y": 2, "bending_z": 0}})
beam = builder.joint("hinge", "revolute", "world", "beam").build()
still = beam.elastic_modes(locked="all").frequencies[0]
for level in ("exact", "consistent", "inconsistent", "ruthless"):
    row = []
    for spin in (0.0, 0.5, 0.9, 1.1):
        v = np.zeros(beam.nv)
        v[0] = spin * still
        row.append(beam.elastic_modes(None, v, locked="all", level=level).frequencies[0] / still)
    print(f"{level:14} frequency over that at rest, spinning at 0, 0.5, 0.9, 1.1 of it:", np.round(row, 3))
    assert (row[-1] > 1) == (level in ("exact", "consistent")) or level == "ruthless"

# ## The same in time: a spin-up
# The outboard link alone bends while the elbow takes 15 s to reach 6 rad/s.


def spin_up(level):
    arm = robot.with_bending_modes(2).with_rigid_links(["inboard"])
    experiment = ulna.Experiment(arm, 15.0, name=f"spin-up, {level}").elastic(level)
    experiment.lock("shoulder").move("elbow", ulna.motions.spin_up(6.0, 15.0))
    return experiment.record(["q", "v", "deflection.outboard"], interval=0.1).integrator(rtol=1e-7)


right = ulna.simulate(spin_up("exact"))
wrong = ulna.simulate(spin_up("inconsistent"))
tip = right["deflection.outboard.y"]
print(f"exact: the tip lags by {1000 * -tip.min():.1f} mm at {right.t[tip.argmin()]:.1f} s and ends at {1000 * tip[-1]:.2f} mm")
print(f"inconsistent: given up at {wrong.t[-1]:.1f} s, the tip {1000 * np.abs(wrong['deflection.outboard.y']).max():.0f} mm off")
assert wrong.t[-1] < right.t[-1]

# ## What a posture looks like
# Deflections of the ends, moments at the roots, and the bent axis as points in the world.

bent = robot.neutral()
bent[robot.flexible_links[1].q.start] = 0.02
print("end of the outboard link:", robot.deflection(bent)["outboard"].round(4))
print("moments at its root:", robot.section_moments(bent)["outboard"].round(3))
line = robot.curve(bent, "outboard")
print("from", line[0].round(4), "to", line[-1].round(4))

figure = right.plot(["deflection.outboard"])
