"""Friction at rest, rolling resistance and laws of impacts of experiments."""

import numpy as np
import pytest

import ulna

CRADLE = """
ulna: 1
name: cradle
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 1, inertia: [0.1, 0.1, 0.1]}
  - {name: b, mass: 1, inertia: [0.1, 0.1, 0.1]}
  - {name: c, mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  - {name: x, type: prismatic, parent: world, child: a, axis: [1, 0, 0]}
  - {name: y, type: prismatic, parent: world, child: b, axis: [1, 0, 0]}
  - {name: z, type: prismatic, parent: world, child: c, axis: [1, 0, 0]}
"""


@pytest.fixture
def cradle(tmp_path):
    (tmp_path / "cradle.yaml").write_text(CRADLE)
    return ulna.load(tmp_path / "cradle.yaml")


@pytest.mark.parametrize(
    "law, speeds", [("sequential", [0, 0, 1]), ("poisson", [-1 / 3, 2 / 3, 2 / 3])]
)
def test_cradle(cradle, law, speeds):
    e = ulna.Experiment(cradle, duration=1, q=[-0.5, 1, 2], v=[1, 0, 0])
    e.contact("b", plane="a", plane_point=[1, 0, 0], normal=[1, 0, 0], restitution=1)
    e.contact("c", plane="b", plane_point=[1, 0, 0], normal=[1, 0, 0], restitution=1)
    e.impacts(law)
    np.testing.assert_allclose(ulna.simulate(e).v[-1], speeds, atol=1e-12)


def test_unknown_law(cradle):
    with pytest.raises(ulna.InputError, match="sequential"):
        ulna.Experiment(cradle, duration=1).impacts("hertz")
