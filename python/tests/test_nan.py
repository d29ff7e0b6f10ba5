"""nan in every number of every right call: refused, or one of the numbers that valid_changes.py lists with the reason."""

import numpy as np
import pytest
from fuzz_api import TEXT
from valid_calls import valid_calls
from valid_changes import may_be_nan, name_of, valid_changes

import ulna

NAN = float("nan")


def with_nan(value):
    """The value with nan in one of its numbers, for each of them (arrays: the first and the last)."""
    if isinstance(value, bool):
        return
    if isinstance(value, float):
        yield NAN
    elif isinstance(value, np.ndarray) and value.dtype.kind in "fc" and value.size:
        for at in {0, value.size - 1}:
            changed = value.copy()
            changed.flat[at] = NAN
            yield changed
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from ({**value, key: one} for one in with_nan(part))
    elif type(value) in (list, tuple):
        for at, part in enumerate(value):
            yield from (type(value)([*value[:at], one, *value[at + 1 :]]) for one in with_nan(part))


def calls():
    arm = ulna.loads(TEXT)
    return valid_calls(arm) + valid_changes(arm)


@pytest.mark.filterwarnings("ignore")
def test_no_parameter_may_be_nan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    taken, looked_at = [], 0
    for function, keywords in calls():
        for key, value in keywords.items():
            if may_be_nan(function, key):
                continue
            for changed in with_nan(value):
                looked_at += 1
                try:
                    function(**{**keywords, key: changed})
                except (ValueError, TypeError, ulna.ComputationError):
                    continue
                taken.append(f"{name_of(function)}({key}={changed})")
    assert looked_at > 400
    assert not taken


def test_what_is_nan_is_said():
    arm = ulna.loads(TEXT)
    for call, words in [
        (lambda: arm.builder().edit_frame("hand", at=(0, NAN, 0)), "at: holds a number that is not finite"),
        (lambda: ulna.motions.line((0, 0, 0), (NAN, 0, 0), 1.0), "end: "),
        (lambda: ulna.motions.line((0, 0, 0), (1.0, 0, 0), NAN), "time: is nan"),
        (lambda: ulna.motions.screw(np.eye(4), (0, 0, np.inf), 1.0), "end: "),
        (lambda: ulna.Dynamics(ulna.load("four-bar"), weights=[NAN]), "weights: "),
        (lambda: ulna.load("stewart-6-6").platform().check(np.eye(4), ball_angle=NAN), "ball_angle: is nan"),
        (lambda: ulna.load("puma560").ik_closed_form((NAN, 0, 0)), "target: "),
        (lambda: ulna.load("four-bar").assemble(tolerance=np.inf), "tolerance: "),
        (lambda: ulna.Experiment(arm, 0.1).contact("hand", radius=np.float32(NAN)), "radius: is nan"),
        (lambda: ulna.Experiment(arm, 0.1).integrator(rtol=np.array(NAN)), "rtol: is nan"),
    ]:
        with pytest.raises(ulna.InputError) as caught:
            call()
        assert words in str(caught.value)


def test_targets_that_are_no_numbers_are_not_found():
    robot = ulna.load("puma560")
    targets = np.stack([robot.fk([0.1, -0.5, 0.3, 0.4, 0.5, 0.6])] * 3)
    targets[1, 0, 3] = NAN
    found = robot.ik(targets, on_failure="nan")
    assert found.found.tolist() == [True, False, True] and np.isnan(found.q[1]).all()
    assert not robot.ik(targets[1], on_failure="nan").found
    for wrong in (targets, targets[1], targets[1, :3, 3]):
        with pytest.raises(ulna.InputError, match="on_failure"):
            robot.ik(wrong)


def test_operators_with_nan_answer_as_others_do():
    arm = ulna.loads(TEXT)
    assert arm != NAN and ulna.Experiment(arm, 0.1) != NAN
    with pytest.raises(ulna.InputError):
        ulna.motions.constant(1.0) * NAN


# ---- results are equal by what they hold -----------------------------------------------------------


def test_results_that_hold_arrays_can_be_compared():
    robot = ulna.load("flexible-two-link")
    link = robot.flexible_links[0]
    assert link == robot.flexible_links[0] and robot.flexible_links == robot.flexible_links
    assert link != robot.flexible_links[1] and not link != robot.flexible_links[0]
    assert link != 1 and link == tuple(link)
    q = np.zeros((2, robot.nq))
    for ask in (robot.energy, robot.elastic_modes, robot.linearize, robot.forward_dynamics):
        one, other = ask(q), ask(q)
        assert np.all(one == other)
    arm = ulna.loads(TEXT)
    derivatives = arm.inverse_dynamics_derivatives([0.1, 0.2])
    assert derivatives == arm.inverse_dynamics_derivatives([0.1, 0.2])
    assert derivatives != arm.inverse_dynamics_derivatives([0.1, 0.3])
    assert arm.inverse_dynamics_derivatives([NAN, 0.2]) == arm.inverse_dynamics_derivatives([NAN, 0.2])
