"""Structures without freedom, screws, massless legs, redundant loops and singular starts (tests/data/wild), by every function of a
robot: each answers with finite numbers or says why it cannot. tests/apps/wild_mechanisms_test.cpp does the same by commands."""

import numpy as np
import pytest
from conftest import ROOT
from valid_calls import of_states

import ulna

FILES = sorted((ROOT / "tests" / "data" / "wild").glob("*.yaml"))


@pytest.fixture(params=FILES, ids=lambda file: file.stem)
def wild(request):
    return ulna.load(request.param)


def start_of(robot):
    return robot.assemble() if robot.loops else robot.neutral()


def finite(result):
    if isinstance(result, dict):
        return all(finite(x) for x in result.values())
    if isinstance(result, (list, tuple)):
        return all(finite(x) for x in result)
    if isinstance(result, float):  # a condition number may be infinite
        return not np.isnan(result)
    return not isinstance(result, np.ndarray) or bool(np.isfinite(result).all())


def answers_or_says_why(function, **arguments):
    try:
        assert finite(function(**arguments))
    except (ulna.ComputationError, ValueError, KeyError, TypeError) as error:
        assert len(str(error)) > 10, repr(error)


def test_every_function_of_a_state_answers_or_says_why(wild):
    q = start_of(wild)
    for tree in (True, False):
        for function, arguments in of_states(wild, q, tree):
            answers_or_says_why(function, **arguments)


def test_every_other_function_answers_or_says_why(wild):
    q, tip = start_of(wild), "tool"
    for function, arguments in [
        (wild.mobility, {}),
        (wild.equilibrium, {"start": q}),
        (wild.modes, {"q": q}),
        (wild.modes, {"q": q, "locked": "all", "count": 2}),
        (wild.condense, {"q": q, "locked": "all", "count": 2}),
        (wild.static_deflection, {"q": q, "frame": tip, "forces": {tip: (0, 0, -10.0)}}),
        (lambda: bool(np.isinf(wild.load_factors(q)).any()), {}),  # nan: no load buckles it
        (wild.direction_cosines, {"q": q}),
        (wild.base_parameters, {}),
        (wild.parameters, {}),
        (wild.platform, {}),
        (wild.compile, {}),
        (wild.to_yaml, {}),
        (wild.view_html, {}),
        (wild.random, {"size": 3, "seed": 1}),
        (wild.regressor, {"q": q, "v": np.zeros(wild.nv), "a": np.zeros(wild.nv)}),
        (wild.reactions, {"q": q, "v": np.zeros(wild.nv), "a": np.zeros(wild.nv)}),
    ]:
        answers_or_says_why(function, **arguments)


def test_verify_finds_nothing_wrong(wild):
    assert wild.verify(states=3).ok


@pytest.mark.parametrize("method", ["automatic", "dop853", "radau5", "sundials-bdf", "ida"])
def test_runs_end_or_say_why(wild, method):
    experiment = ulna.Experiment(wild, 0.05)
    experiment.integrator(method=method)
    try:
        run = ulna.simulate(experiment)
    except (ulna.ComputationError, ValueError) as error:
        assert len(str(error)) > 10
        return
    assert np.isfinite(run.values).all()
