"""Robots and states for the tests."""

import json
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from hypothesis import settings

import ulna

matplotlib.use("Agg")
settings.register_profile("ulna", max_examples=25, deadline=None, derandomize=True)
settings.load_profile("ulna")

ROOT = Path(__file__).resolve().parents[2]
TREES = ["intelledex605", "puma560", "stanford", "scara", "t3r3", "planar-3r", "flyer"]


def flyer() -> ulna.Robot:
    """A free base with an arm on a ball joint: quaternions, damping, a spring, a rotor."""
    builder = ulna.RobotBuilder("flyer", gravity=(0.3, -0.2, -9.81))
    builder.body("base", 3.0, centre=(0.1, 0, 0.02), inertia=(0.2, 0.3, 0.25))
    builder.body("arm", 1.2, centre=(0, 0, 0.3), inertia=(0.05, 0.06, 0.02, 0.002, -0.001, 0.003))
    builder.body("fore", 0.7, centre=(0.2, 0.01, 0), inertia=(0.004, 0.02, 0.02))
    builder.joint("float", "free", "world", "base")
    builder.joint("ball", "spherical", "base", "arm", at=(0.2, 0, 0.1), damping=0.3)
    builder.joint(
        "elbow", "revolute", "arm", "fore", at=ulna.pose((0, 0, 0.6), rpy=(0.2, 0.1, 0)), axis=(0, 1, 1),
        damping=0.1, stiffness=2.0, rest=0.3, rotor_inertia=1e-4, gear_ratio=50,
    )
    return builder.build()


def robot_named(name: str) -> ulna.Robot:
    return flyer() if name == "flyer" else ulna.load(name)


@pytest.fixture(params=TREES)
def tree(request):
    return robot_named(request.param)


@pytest.fixture
def puma():
    return ulna.load("puma560")


@pytest.fixture
def states():
    """states(robot, N) -> q, v, a of shapes (N, nq), (N, nv), (N, nv)."""

    def make(robot, count, seed=1):
        rng = np.random.default_rng(seed)
        v, a = rng.uniform(-1, 1, (2, count, robot.nv))
        return robot.random(count, seed=seed), v, a

    return make


@pytest.fixture
def published():
    return lambda name: json.loads((ROOT / "tests" / "data" / f"{name}.json").read_text())
