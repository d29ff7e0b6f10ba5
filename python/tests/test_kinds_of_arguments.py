"""Numbers come in many forms: every one that holds the same numbers gives the same result; results survive pickle and copy."""

import array
import copy
import functools
import pickle

import numpy as np
import pytest
from fuzz_api import TEXT
from valid_calls import valid_calls

import ulna


class Own(np.ndarray):
    """A class of arrays as libraries have them."""


def strided(x):
    return np.repeat(x, 2, axis=-1)[..., ::2]


def backwards(x):
    return np.ascontiguousarray(x[..., ::-1])[..., ::-1]


def unaligned(x):
    room = np.zeros(x.nbytes + 1, np.uint8)
    out = room[1:].view(float).reshape(x.shape)
    out[...] = x
    return out


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


FORMS = {
    "list": lambda x: x.tolist(),
    "tuple": lambda x: tuple(x.tolist()),
    "strided": strided,
    "backwards": backwards,
    "unaligned": unaligned,
    "fortran": np.asfortranarray,
    "read-only": read_only,
    "big-endian": lambda x: x.astype(">f8"),
    "long double": lambda x: x.astype(np.longdouble),
    "a subclass": lambda x: x.view(Own),
    "masked, nothing hidden": lambda x: np.ma.masked_array(x, mask=np.zeros(x.shape, bool)),
    "memoryview": lambda x: memoryview(np.ascontiguousarray(x)),
    "array.array": lambda x: array.array("d", x) if x.ndim == 1 else x.tolist(),
    "scalars of NumPy": lambda x: [np.float64(item) for item in x] if x.ndim == 1 else x.tolist(),
}


def in_form(value, form):
    """Arrays of numbers in an argument, in another form."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.ndim in (1, 2) and value.size:
        return form(value)
    return value


@functools.lru_cache(maxsize=1)
def calls():
    return [(f, k) for f, k in valid_calls(ulna.loads(TEXT)) if "out" not in k]


def called(function, keywords):
    try:
        return function(**keywords)
    except ulna.ComputationError as error:
        return str(error)


def flat(result):
    """Every number in a result."""
    if isinstance(result, dict):
        return [x for part in result.values() for x in flat(part)]
    if isinstance(result, (tuple, list)):
        return [x for part in result for x in flat(part)]
    if isinstance(result, np.ndarray) or np.isscalar(result) and not isinstance(result, str):
        return [np.asarray(result)]
    return flat(vars(result)) if hasattr(result, "__dataclass_fields__") else []


WITHOUT_CLOCK = {"simulate"}  # a run tells how long it took


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_of_an_array_gives_the_same(form):
    compared = 0
    for function, keywords in calls():
        other = {key: in_form(value, form) for key, value in keywords.items()}
        if all(other[key] is keywords[key] for key in keywords) or isinstance(getattr(function, "__self__", None), (ulna.Experiment, ulna.RobotBuilder)):
            continue
        for mine, right in zip(flat(called(function, other)), flat(called(function, keywords))):
            np.testing.assert_array_equal(mine, right, err_msg=str(function))
            compared += 1
    assert compared > 100


def test_tables_of_pandas_are_arrays():
    pandas = pytest.importorskip("pandas")
    puma = ulna.load("puma560")
    q = puma.random(5, seed=1)
    frame = pandas.DataFrame(q, columns=puma.coordinates)
    np.testing.assert_array_equal(puma.gravity(frame), puma.gravity(q))
    np.testing.assert_array_equal(puma.gravity(frame.iloc[2]), puma.gravity(q[2]))
    np.testing.assert_array_equal(puma.gravity(pandas.Series(q[3])), puma.gravity(q[3]))
    np.testing.assert_array_equal(puma.gravity(dict(frame.iloc[1])), puma.gravity(q[1]))
    with pytest.raises(ulna.InputError, match="q"):
        puma.gravity(pandas.Series(["a"] * 6))


def test_scalars_of_every_kind_are_numbers():
    puma = ulna.load("puma560")
    assert puma.random(np.int8(3), seed=np.uint64(1)).shape == (3, 6)
    for one in (1, np.int64(1), np.float32(1), np.float64(1), np.array(1.0), np.longdouble(1), True):
        assert ulna.motions.constant(one)(0.0) == 1 and ulna.motions.formula("t")(one) == 1
    q, small = np.full(6, 0.5), np.full(6, 0.5, np.float16)  # 0.5 is exact in each
    np.testing.assert_array_equal(puma.gravity(q), puma.gravity(small))
    np.testing.assert_array_equal(puma.gravity(np.zeros(6)), puma.gravity(np.zeros(6, bool)))
    assert puma.fk(q, np.str_("link6")).shape == (4, 4)
    with pytest.raises(TypeError, match="size"):
        puma.random(2.5)
    with pytest.raises(TypeError, match="size"):
        puma.random(np.float64(2))


# ---- results -----------------------------------------------------------------------------------------


def same(x, y):
    a, b = flat(x), flat(y)
    return len(a) == len(b) and all(np.array_equal(p, r, equal_nan=p.dtype.kind in "fc") for p, r in zip(a, b))


def test_results_are_pickled_copied_and_shown():
    kinds = set()
    for function, keywords in calls():
        result = called(function, keywords)
        if type(result) in kinds:
            continue
        kinds.add(type(result))
        for other in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):
            assert type(other) is type(result) and same(other, result), type(result)
        assert len(repr(result)) < 100_000 and str(result)
        if hasattr(result, "_repr_html_"):
            assert result._repr_html_()
    assert len(kinds) > 25


@pytest.mark.parametrize("error", [lambda: ulna.loads("ulna: 1"), lambda: ulna.load("puma560").ik((9, 9, 9)), lambda: ulna.simulate(ulna.load("puma560"), 0.01)["zz"]])
def test_errors_are_pickled_with_what_they_tell(error):
    """As multiprocessing does with errors of its workers."""
    with pytest.raises((ulna.InputError, ulna.ComputationError)) as caught:
        error()
    mine = caught.value
    other = pickle.loads(pickle.dumps(mine))
    assert type(other) is type(mine) and str(other) == str(mine)
    if isinstance(mine, ulna.ComputationError):
        assert other.measure == mine.measure or np.isnan(mine.measure)
    else:
        assert other.problems == mine.problems
