"""What is said of wrong arguments; signatures and documents of everything public."""

import inspect

import numpy as np
import pytest
from fuzz_api import TEXT

import ulna


@pytest.fixture(scope="module")
def arm():
    return ulna.loads(TEXT)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda arm: arm.modes(count="six"), "modes(): count must be an int, not str ('six')"),
        (lambda arm: ulna.Experiment(arm, "long"), "Experiment(): duration must be a number, not str ('long')"),
        (lambda arm: ulna.Experiment(arm), "Experiment() missing required argument: 'duration'"),
        (lambda arm: arm.ik(np.eye(4), frme="hand"), "ik() got an unexpected keyword argument 'frme'"),
        (lambda arm: arm.random(1, 2, 3), "random() takes at most 1 positional argument (3 given)"),
        (lambda arm: ulna.Robot.neutral(3), "neutral() must be called on an ulna.Robot, not on int (3)"),
        (lambda arm: ulna.motions.constant(None), "constant(): value must be a number, not None"),
        (lambda arm: ulna.lqr(1), "lqr() missing required argument: 'B'"),
        (lambda arm: arm.random(2**70), "random(): size is out of range"),
        (lambda arm: ulna.Robot(), "ulna.Robot cannot be created by calling its class"),
        (lambda arm: ulna.Run(arm, "t[s]", np.zeros((1, 1)), ""), "titles must be a list of texts, not 't[s]'"),
        (lambda arm: ulna.Run(arm, ["t[s]"], np.zeros((1, 1)), None), "summary must be a text (JSON), not NoneType"),
        (lambda arm: ulna.write_fmu(arm, "x.fmu"), "write_fmu(): experiment must be an ulna.Experiment or a path, not Robot"),
        (lambda arm: ulna.write_fmu(ulna.Experiment(arm, 1.0), None), "write_fmu(): file must be a path, not NoneType"),
        (lambda arm: ulna.write_fmu(ulna.Experiment(arm, 1.0), "x.fmu", inputs=5), "write_fmu(): inputs must be a name or a list of names, not 5"),
        (lambda arm: ulna.write_fmu(ulna.Experiment(arm, 1.0), "x.fmu", outputs=["q", 1]), "write_fmu(): outputs must be a name or a list of names, not ['q', 1]"),
        (lambda arm: ulna.write_fmu(ulna.Experiment(arm, 1.0), "x.fmu", kind=None), "write_fmu(): kind must be a text, not NoneType"),
    ],
)
def test_wrong_arguments_are_told_in_a_sentence(arm, call, words):
    with pytest.raises(TypeError) as caught:
        call(arm)
    assert words in str(caught.value)
    assert "incompatible" not in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda arm: ulna.Run(arm, [], np.zeros((0, 0)), ""), "titles: found none; expected t[s] among them"),
        (lambda arm: ulna.Run(arm, ["x"], np.zeros((1, 1)), ""), "titles: found x; expected t[s] among them"),
        (lambda arm: ulna.Run(arm, ["t[s]", "x"], np.zeros((3, 1)), ""), "values: has shape (3, 1); expected (N, 2), a column for each title"),
        (lambda arm: ulna.write_fmu(ulna.Experiment(arm, 1.0), "x.fmu", fmi=7), "fmi: 7 found; expected 2 or 3"),
    ],
)
def test_arguments_that_do_not_fit_are_input_errors(arm, call, words):
    with pytest.raises(ulna.InputError) as caught:
        call(arm)
    assert words in str(caught.value)


def public_members():
    results = [kind for kind in vars(ulna.results).values() if isinstance(kind, type) and kind.__module__.startswith("ulna.")]
    for cls in (ulna.Robot, ulna.RobotBuilder, ulna.Dynamics, ulna.Platform, ulna.Motion, ulna.PoseMotion, ulna.Trajectory, ulna.Experiment, ulna.CompiledFunction, ulna.Run, ulna.Sweep, ulna.Optimum, *results):
        for name in dir(cls):
            if not name.startswith("_"):
                yield cls, name


@pytest.mark.parametrize("cls, name", public_members(), ids=lambda x: getattr(x, "__name__", x))
def test_every_member_has_a_signature_and_a_document(cls, name):
    member = inspect.getattr_static(cls, name)
    if not callable(getattr(cls, name)) and not inspect.isdatadescriptor(member):
        return  # the default of a field, which the document of the class names
    assert (member.__doc__ or getattr(cls, name).__doc__ or "").strip(), "no document"
    if callable(getattr(cls, name)) and not isinstance(member, property):
        parameters = inspect.signature(getattr(cls, name)).parameters
        assert "args" not in parameters


def public_functions():
    for module in (ulna, ulna.motions, ulna.homogeneous):
        for name in module.__all__:
            if callable(getattr(module, name)):
                yield pytest.param(getattr(module, name), id=f"{module.__name__}.{name}")
    for name in ("plot_run", "plot_motion", "plot_robot"):
        yield pytest.param(getattr(ulna.plot, name), id=f"ulna.plot.{name}")


@pytest.mark.parametrize("function", public_functions())
def test_every_function_and_class_has_a_signature_and_a_document(function):
    assert (function.__doc__ or "").strip()
    others_make_it = (Exception, ulna.Robot, ulna.Platform, ulna.Motion, ulna.PoseMotion, ulna.Trajectory, ulna.CompiledFunction)
    if isinstance(function, type) and issubclass(function, others_make_it):
        return
    assert "args" not in inspect.signature(function).parameters


@pytest.mark.parametrize("name", ["__call__", "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__neg__"])
def test_operators_of_motions_have_signatures_and_documents(name):
    member = getattr(ulna.Motion, name)
    assert member.__doc__.strip() and list(inspect.signature(member).parameters)[0] == "self"


def test_functions_and_classes_have_signatures():
    assert list(inspect.signature(ulna.Experiment).parameters) == ["robot", "duration", "q", "v", "name"]
    assert inspect.signature(ulna.load).parameters["gravity"].default is None
    assert inspect.signature(ulna.motions.fastest).parameters["rate"].default == np.inf
