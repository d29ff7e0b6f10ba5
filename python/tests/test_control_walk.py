"""Actuators x sensors x control laws x robots x sampling: every combination runs, or is refused in a sentence that says why.

The suite takes every ULNA_WALK-th of 29,000 combinations (97 by default); ULNA_WALK=1 takes all, in some ten minutes.
"""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest

import ulna

FLOATING = """
ulna: 1
name: floating
gravity: [0, 0, 0]
bodies:
  - {name: base, mass: 5, inertia: [0.2, 0.2, 0.3]}
  - {name: upper, mass: 1, centre: [0.2, 0, 0], inertia: [0.001, 0.02, 0.02]}
  - {name: fore, mass: 0.5, centre: [0.15, 0, 0], inertia: [0.001, 0.01, 0.01]}
joints:
  - {name: base, type: free, parent: world, child: base}
  - {name: shoulder, type: revolute, parent: base, child: upper, at: [0.2, 0, 0], axis: [0, 1, 0]}
  - {name: elbow, type: revolute, parent: upper, child: fore, at: [0.4, 0, 0], axis: [0, 0, 1]}
frames: [{name: tip, body: fore, at: [0.3, 0, 0]}]
"""
MIXED = """
ulna: 1
name: mixed
bodies:
  - {name: a, mass: 3, inertia: [0.05, 0.06, 0.07]}
  - {name: b, mass: 2, centre: [0.1, 0, 0], inertia: [0.02, 0.03, 0.03]}
  - {name: c, mass: 1, centre: [0.1, 0, 0], inertia: [0.02, 0.03, 0.03]}
  - {name: d, mass: 1, centre: [0.1, 0, 0.05], inertia: [0.02, 0.03, 0.03]}
joints:
  - {name: slide, type: prismatic, parent: world, child: a, axis: [1, 0, 0]}
  - {name: ball, type: spherical, parent: a, child: b, at: [0, 0, 0.2]}
  - {name: drum, type: cylindrical, parent: b, child: c, at: [0.2, 0, 0], axis: [0, 0, 1]}
  - {name: screw, type: screw, parent: c, child: d, at: [0.2, 0, 0], axis: [0, 1, 0], pitch: 0.05}
frames: [{name: tip, body: d, at: [0.1, 0, 0]}]
"""

# The robot, its controlled joints, its start, a frame, a body, the size of its efforts, a joint that closes a loop.
ROBOTS = {
    "tree": ("planar-3r", ["joint1", "joint2", "joint3"], {"joint1": 0.3, "joint2": 0.5}, "tip", "link3", 0.3, None),
    "mixed": (MIXED, ["slide", "ball", "drum", "screw"], {"slide": 0.1}, "tip", "d", 1.0, None),
    "loop": ("five-bar", ["left", "right"], {"left": 2.2, "right": 0.9}, "tool", "left_forearm", 2.0, "tool"),
    "platform": ("planar-3rrr", ["leg1", "leg2", "leg3"], {}, "platform", "platform", 2.0, "leg1_end"),
    "flexible": ("flexible-two-link", ["shoulder", "elbow"], {"elbow": 0.3}, "tip", "outboard", 20.0, None),
    "flexible loop": ("flexible-four-bar", ["crank"], {"crank": 0.9}, "coupler_point", "coupler", 0.5, "closing"),
    "floating": (FLOATING, ["shoulder", "elbow"], {"shoulder": 0.3, "elbow": 0.5}, "tip", "fore", 2.0, None),
    "floating base": (FLOATING, ["base", "shoulder", "elbow"], {"elbow": 0.5}, "tip", "fore", 2.0, None),
}

MODES = {"continuous": {}, "sampled": {"rate": 500}, "delayed": {"rate": 500, "delay": 2e-3}, "other model": {"model": {"inertial": 0.8, "rigid": True}}}

# Why a combination may be refused.
REASONS = [
    "does not bend",
    "there is no encoder and no tachometer",
    "the controller is continuous; expected rate",
    "expected a joint with one degree of freedom",
    "angles and lengths",
    "angles or lengths",
    "model: {rigid: true}",
    "not linear in the parameters",
    "no stabilising solution",
]


def laws(frame, size):
    gains = {"kp": 20 * size, "kd": 2 * size}
    lqr = {"law": "state-feedback", "lqr": {"q": 100, "v": 1, "effort": 1 / size}}
    space = {"law": "operational-space", "frame": frame, "kp": 100, "kd": 20, "joint_kp": 50, "joint_kd": 10}
    return {
        "pd": {"law": "pd", **gains},
        "pid": {"law": "pid", **gains, "ki": 20 * size},
        "gravity": {"law": "pd", **gains, "gravity": True},
        "computed torque": {"law": "computed-torque", "kp": 400, "kd": 40, "ki": 100},
        "feed-forward": {"law": "feed-forward", **gains},
        "lqr": lqr,
        "kalman": {**lqr, "kalman": {"effort": 0.1 * size, "measurement": 1e-3}},
        "impedance": {
            "law": "impedance",
            "frame": frame,
            "stiffness": {"position": 50 * size, "rotation": size},
            "damping": {"position": 5 * size, "rotation": 0.1 * size},
            "joint_damping": 0.1 * size,
        },
        "operational space": {**space, "position_only": True},
        "operational space with turns": space,
        "adaptive": {"law": "adaptive", "lambda": 5, "kd": 2 * size, "learning": 0.1},
    }


def actuators(size):
    motor = {"resistance": 1.0, "torque_constant": 0.1, "voltage_limit": 1000}
    loop = {"inductance": 1e-3, "bandwidth": 2000}
    gear = {"ratio": 10, "efficiency": 0.8}
    teeth = {**gear, "stiffness": 1e3 * size, "damping": size, "inertia": 1e-4, "play": 1e-3}
    oil = {"supply": 1e7, "volume": 2e-5 * size, "rod_volume": 1.6e-5 * size, "flow": 1e-4 * size, "flow_pressure": 3.5e6, "valve_time": 5e-3, "gain": 5}
    return {
        "none": None,
        "limited": {"kind": "limited", "stall": 20 * size, "no_load": 20, "peak": 10 * size},
        "dc": {"kind": "dc", **motor, "gear": gear},
        "current loop": {"kind": "dc", **motor, **loop, "current_limit": 1e3, "gear": gear},
        "brushless": {"kind": "brushless", **motor, **loop, "pole_pairs": 4, "gear": gear},
        "play": {"kind": "dc", **motor, "gear": teeth},
        "voltage": {"kind": "dc", **motor, "command": "voltage", "gear": gear},
        "hydraulic": {"kind": "hydraulic", "area": 1e-5 * size, "rod_area": 0.8e-5 * size, **oil},
    }


def sensors(frame, body, joint, closing, size):
    """Sensors, and what a controller has of them."""
    seen = {"sensors": "all"}

    def fed(channel):
        return {"feedback": [{"channel": channel, "kp": 1e-4 * size}]}

    table = {
        "none": ([], {}),
        "encoders": ([{"encoder": "all", "rate": 1000}], seen),
        "steps": ([{"encoder": joint, "rate": 1000, "resolution": 1e-4}], seen),
        "late noise": ([{"encoder": "all", "rate": 1000, "noise": 1e-5, "bias": 1e-4, "delay": 2e-3, "seed": 3}], seen),
        "tachometer": ([{"encoder": joint, "rate": 1000}, {"name": "tacho", "tachometer": joint, "rate": 500, "noise": 1e-4}], seen),
        "force-torque": ([{"name": "wrist", "force-torque": joint, "rate": 1000, "noise": 1e-3}], fed("sensor.wrist.fx")),
        "imu": ([{"name": "hand", "imu": frame, "rate": 200, "bias": [0.01, 0, 0, 0, 0, 0.1]}], fed("sensor.hand.wz")),
        "strain": ([{"name": "gauge", "strain": body, "at": 0.1, "offset": [0, 0.005, 0], "rate": 1000}], fed("sensor.gauge.strain")),
        "channel": ([{"name": "see", "channel": "energy.kinetic", "rate": 1000}], fed("sensor.see.value")),
        "seen by none": ([{"name": "see", "channel": "energy.kinetic", "rate": 1000}], seen),
    }
    if closing:
        table["closing"] = ([{"name": "last", "encoder": closing, "rate": 1000}, {"encoder": "all", "rate": 1000}], seen)
    return table


def outcome(robot, joints, start, law, actuator, sensed):
    e = ulna.Experiment(robot, 0.02).start(q=start) if start else ulna.Experiment(robot, 0.02)
    e.integrator("automatic", rtol=1e-5, most_steps=20_000)
    try:
        if sensed:
            e.add(sensors=sensed)
        if actuator:
            e.add(actuators={joint: actuator for joint in joints})
        e.add(controllers=[{**law, "joints": joints}])
        e.record("q,tau,energy" + (",sensor" if sensed else "") + (",actuator" if actuator else ""), interval=0.01)
        run = ulna.simulate(e)
    except ulna.InputError as error:
        lines = [line for line in str(error).splitlines() if line]
        return "refused" if lines and all(any(reason in line for reason in REASONS) for line in lines) else f"refused: {error}"
    except ulna.ComputationError as error:
        return f"failed: {error}"
    final = np.array(run.summary["final"]["q"] + run.summary["final"]["v"])
    return "ran" if np.all(np.isfinite(final)) else f"ran to {final}"


@pytest.mark.parametrize("name", ROBOTS)
def test_every_combination_runs_or_is_refused_with_its_reason(name):
    model, joints, start, frame, body, size, closing = ROBOTS[name]
    robot = ulna.loads(model) if model.startswith("\n") else ulna.load(model)
    parts = laws(frame, size), actuators(size), sensors(frame, body, joints[-1], closing, size), MODES
    step = int(os.environ.get("ULNA_WALK", "97"))
    counts = {"ran": 0, "refused": 0}
    for number, choice in enumerate(itertools.product(*(part.items() for part in parts))):
        if number % step:
            continue
        (law, l), (actuator, a), (sensor, (sensed, given)), (mode, m) = choice
        told = outcome(robot, joints, start, {**l, **given, **m}, a, sensed)
        assert told in counts, f"{law}, {actuator}, {sensor}, {mode}: {told}"
        counts[told] += 1
    assert counts["ran"] > 0
