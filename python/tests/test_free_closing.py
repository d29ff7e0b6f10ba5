"""Loops that hold nothing (closed by a free joint) are legal robots."""

import numpy as np
import pytest
import ulna

TEXT = """
ulna: 1
name: held by nothing
bodies:
  - {name: a, mass: 1, inertia: [0.1, 0.1, 0.1], centre: [0.2, 0, 0]}
joints:
  - {name: j0, type: revolute, parent: world, child: a, axis: [0, 1, 0]}
"""
CLOSING = "  - {name: jc, type: free, parent: world, child: a, cut: true}\n"


@pytest.fixture
def robots(tmp_path):
    made = []
    for name, text in (("tree", TEXT), ("loop", TEXT + CLOSING)):
        file = tmp_path / f"{name}.yaml"
        file.write_text(text)
        made.append(ulna.load(str(file)))
    return made


def test_they_move_as_the_tree_does(robots):
    tree, loop = robots
    q, v, a = np.array([0.3]), np.array([1.0]), np.array([2.0])
    assert loop.forward_dynamics(q, v, a) == pytest.approx(tree.forward_dynamics(q, v, a))
    assert loop.inverse_dynamics(q, v, a) == pytest.approx(tree.inverse_dynamics(q, v, a))
    assert loop.mass_matrix(q, independent=True) == pytest.approx(tree.mass_matrix(q))
    assert loop.kane(q, v, a).tau == pytest.approx(tree.inverse_dynamics(q, v, a))


def test_their_dampers_act(tmp_path):
    tree, loop = tmp_path / "tree.yaml", tmp_path / "loop.yaml"
    tree.write_text(TEXT.replace("[0, 1, 0]}", "[0, 1, 0], damping: 0.3}"))
    loop.write_text(TEXT + CLOSING.replace("true}", "true, damping: 0.3}"))
    q, v, a = np.array([0.3]), np.array([1.0]), np.array([2.0])
    efforts = [ulna.load(str(file)).inverse_dynamics(q, v, a) for file in (tree, loop)]
    assert efforts[0] == pytest.approx(efforts[1])


def test_what_a_format_cannot_say_of_a_ball_is_listed(tmp_path):
    file = tmp_path / "ball.yaml"
    file.write_text(TEXT.replace("revolute", "spherical").replace(", axis: [0, 1, 0]}", ", damping: 0.3}"))
    losses = ulna.load(str(file)).write(str(tmp_path / "ball.sdf"))
    assert any("damping" in str(loss) for loss in losses)
