"""Integrators x features x robots: every combination gives the motion of a reference run, or is refused in a sentence that says why.

The suite takes every ULNA_WALK-th of 630 combinations (17 by default); ULNA_WALK=1 takes all, in some two minutes.
"""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest
from test_control_walk import FLOATING, MIXED

import ulna

# The robot, two of its joints, its start, a frame, a body, the size of efforts, how long a run takes.
ROBOTS = {
    "tree": ("planar-3r", ["joint1", "joint2"], {"joint1": 0.3, "joint2": 0.5}, "tip", "link3", 1.0, 0.4),
    "mixed": (MIXED, ["slide", "screw"], {"slide": 0.1}, "tip", "d", 3.0, 0.4),
    "floating": (FLOATING, ["shoulder", "elbow"], {"shoulder": 0.3, "elbow": 0.5}, "tip", "fore", 1.0, 0.4),
    "loop": ("five-bar", ["left", "right"], {"left": 2.2, "right": 0.9}, "tool", "left_forearm", 0.5, 0.4),
    "platform": ("planar-3rrr", ["leg1", "leg2"], {}, "platform", "platform", 1.0, 0.4),
    "flexible": ("flexible-two-link", ["shoulder", "elbow"], {"elbow": 0.3}, "tip", "outboard", 40.0, 0.1),
    "flexible loop": ("flexible-four-bar", ["crank"], {"crank": 0.9}, "coupler_point", "coupler", 0.3, 0.05),
}


class Task:
    """A robot whose first joint is pushed, so that all of them move."""

    def __init__(self, name):
        model, self.joints, self.start, self.frame, self.body, self.size, self.duration = ROBOTS[name]
        self.robot = ulna.loads(model) if model.startswith("\n") else ulna.load(model)

    def experiment(self, robot=None, push=True):
        e = ulna.Experiment(robot or self.robot, self.duration)
        if self.start:
            e.start(q=self.start)
        if push:
            e.effort(self.joints[0], f"{self.size} + {0.5 * self.size}*sin(20*t)")
        return e.record(["q", "v", "energy", f"frame.{self.frame}", f"twist.{self.frame}"], interval=self.duration / 20)

    def free_run(self):
        if not hasattr(self, "run"):
            self.run = ulna.simulate(self.experiment().integrator("automatic", rtol=1e-8))
        return self.run

    def with_joint(self, **changes):
        return self.robot.replace(joints={self.joints[0]: changes})

    def way(self):
        """The first joint in the free run: where it begins, and where it ends."""
        q = self.free_run()[f"q.{self.joints[0]}"]
        return q[0], q[-1]


def free(task):
    return task.experiment()


def stops(task):
    first, last = task.way()
    at = first + 0.6 * (last - first)
    limits = {"upper": at, "lower": -10} if last > first else {"lower": at, "upper": 10}
    return task.experiment(task.with_joint(**limits)).feel_limits(restitution=0.5)


def contact(task):
    run = task.free_run()
    place = np.column_stack([run[f"frame.{task.frame}.{x}"] for x in "xyz"])
    motion = place[-1] - place[0]
    n = -motion / np.linalg.norm(motion)
    return task.experiment().contact(task.frame, plane_point=place[0] + 0.6 * motion, normal=n, restitution=0.3, friction=0.3)


def friction(task):
    return task.experiment(task.with_joint(friction=0.6 * task.size))


def events(task):
    first, last = task.way()
    middle = 0.5 * (first + last)
    crosses = {"above": middle} if last > first else {"below": middle}
    e = task.experiment()
    return e.add(
        events=[
            {"name": "half", "when": f"q.{task.joints[0]}", **crosses, "once": True, "do": {"pick": {"name": "part", "body": task.body, "mass": 0.1}}},
            {"name": "later", "after": "half", "delay": 0.1 * task.duration, "do": {"release": "part"}},
        ]
    )


def sampled(task):
    """A controller with a delay, which sees an encoder with noise."""
    rate = 40 / task.duration
    encoder = {"encoder": task.joints[0], "rate": rate, "noise": 1e-4, "bias": 1e-3}
    law = {"law": "pd", "kp": 2 * task.size, "kd": 0.1 * task.size, "rate": rate, "delay": 1 / rate, "sensors": "all"}
    e = task.experiment(push=False).move(task.joints[0], f"{task.way()[0]:.15g} + 0.1*sin({3 / task.duration}*t)^2")
    return e.add(sensors=[encoder], controllers=[{**law, "joints": task.joints[:1]}])


def prescribed(task):
    first, _ = task.way()
    T = task.duration
    return task.experiment(push=False).move(task.joints[0], f"{first:.15g} + 0.1*sin({3 / T}*t)^2")


def motor(task):
    motor = {"kind": "dc", "resistance": 1.0, "inductance": 1e-3, "torque_constant": 0.1, "voltage_limit": 1000, "bandwidth": 500, "gear": {"ratio": 10}}
    return task.experiment().add(actuators={task.joints[0]: motor})


def play(task):
    first, last = task.way()
    spring = {"stiffness": 20 * task.size / max(abs(last - first), 0.01), "rest": 0.5 * (first + last), "backlash": 0.2 * abs(last - first)}
    return task.experiment(task.with_joint(**spring))


FEATURES = [free, stops, contact, friction, events, sampled, prescribed, motor, play]
METHODS = ["automatic", "dormand-prince", "dop853", "radau5", "sundials-erk", "sundials-bdf", "ida", "rk4", "semi-implicit", "symplectic"]
STEPS = {"rk4": 1e-4, "semi-implicit": 1e-4, "symplectic": 2e-4}

# Of coordinates, and of speeds by the largest: at rtol 1e-7 and these steps, with what impacts and vibrations make of it.
BOUNDS = {"sundials-bdf": 3e-4, "rk4": 1e-4, "semi-implicit": 5e-2, "symplectic": 1e-4}

# Why a combination may be refused.
REASONS = ["ida is for loops", "symplectic is for rigid trees that nothing holds"]


def final(e):
    run = ulna.simulate(e)
    assert run.summary["complete"], run.summary["reason"]
    return np.array(run.summary["final"]["q"]), np.array(run.summary["final"]["v"])


def outcome(e, method, reference):
    try:
        e.integrator(method, step=STEPS[method]) if method in STEPS else e.integrator(method, rtol=1e-7, atol=1e-9)
        q, v = final(e)
    except ulna.InputError as error:
        lines = [line for line in str(error).splitlines() if line]
        return "refused" if all(any(reason in line for reason in REASONS) for line in lines) else f"refused: {error}"
    except (ulna.ComputationError, AssertionError) as error:
        return f"failed: {error}"
    speed = 1 + np.abs(reference[1]).max()
    off = max(np.abs(q - reference[0]).max(), np.abs(v - reference[1]).max() / speed)
    return "agrees" if off <= BOUNDS.get(method, 2e-5) else f"off by {off:.2g}"


@pytest.mark.parametrize("name", ROBOTS)
def test_every_integrator_gives_the_same_motion_or_says_why_not(name):
    task, references = Task(name), {}
    first, step = 90 * list(ROBOTS).index(name), int(os.environ.get("ULNA_WALK", "17"))
    for number, (feature, method) in enumerate(itertools.product(FEATURES, METHODS), first):
        if number % step:
            continue
        if feature not in references:
            references[feature] = final(feature(task).integrator("dop853", rtol=1e-10, atol=1e-12))
        told = outcome(feature(task), method, references[feature])
        assert told in ("agrees", "refused"), f"{feature.__name__}, {method}: {told}"
