"""Linear systems, equilibria, parameters, identification, generated code."""

import shutil
import subprocess
import sys

import numpy as np
import pytest

import ulna


def pendulum(damping=0.0):
    builder = ulna.RobotBuilder("pendulum").body("bob", 1.0, centre=(0, 0, -1))
    return builder.joint("hinge", "revolute", "world", "bob", axis=(1, 0, 0), damping=damping).build()


def test_a_pendulum_near_rest():
    system = pendulum().linearize([0.0])
    np.testing.assert_allclose(system.A, [[0, 1], [-9.81, 0]], atol=1e-13)
    np.testing.assert_allclose(np.sort(system.poles.imag), [-np.sqrt(9.81), np.sqrt(9.81)], rtol=1e-12)
    upright = pendulum().equilibrium([3.0])
    assert upright.q[0] == pytest.approx(np.pi) and not upright.stable
    assert pendulum().equilibrium([0.3]).stable
    with pytest.raises(ulna.ComputationError):
        pendulum().equilibrium([0.3], tau=[50.0])


def test_regulators_stabilise():
    system = pendulum().linearize([np.pi])
    K, P = ulna.lqr(system.A, system.B, np.eye(2), np.eye(1))
    assert np.linalg.eigvals(system.A - system.B @ K).real.max() < 0
    np.testing.assert_allclose(P, P.T)
    K = ulna.place_poles(system.A, system.B, [-2 + 1j, -2 - 1j])
    np.testing.assert_allclose(np.sort_complex(np.linalg.eigvals(system.A - system.B @ K)), [-2 - 1j, -2 + 1j])
    for call in (lambda: ulna.lqr(np.eye(3), np.ones((2, 1)), 1, 1), lambda: ulna.place_poles(np.eye(2), np.ones((2, 1)), [1])):
        with pytest.raises(ulna.InputError):
            call()


def test_base_parameters_by_both_routes(puma):
    rank, grouping = puma.base_parameters(), puma.base_parameters(method="grouping")
    assert len(rank) == len(grouping) == 36  # known for this arm
    rng = np.random.default_rng(0)
    q, v, a = puma.random(seed=1), *rng.uniform(-1, 1, (2, 6))
    Y = puma.regressor(q, v, a)
    p = np.array(list(puma.parameters().values()))
    np.testing.assert_allclose(Y[:, rank.columns] @ rank.values, Y @ p, atol=1e-10)
    assert "base parameter" in str(rank)


def test_identification_finds_what_the_efforts_tell(puma):
    motion = puma.excitation(samples=200, candidates=3)
    assert motion.q.shape == (200, 6)
    noise = 0.01 * np.random.default_rng(0).standard_normal(motion.q.shape)
    tau = puma.regressor(motion.q, motion.v, motion.a) @ np.array(list(puma.parameters().values()))
    tau += puma.inverse_dynamics(motion.q, motion.v, motion.a) - tau  # rotors and friction as the model has them
    found = puma.identify(motion.q, motion.v, motion.a, tau + noise)
    off = np.abs(found.estimate - found.base.values) / found.deviations
    assert off.max() < 5 and found.noise == pytest.approx(np.full(6, 0.01), rel=0.3)
    with pytest.raises(ulna.InputError, match=r"tau.*\(N, 6\)"):
        puma.identify(motion.q, motion.v, motion.a, tau[:, :3])


def test_generated_python_code_gives_the_same(puma, tmp_path):
    code = puma.generate("inverse", "python")
    paths = code.write(tmp_path)
    assert code.operations["mul"] > 100 and {p.name for p in paths} == set(code.files)
    namespace = {}
    exec(next(text for name, text in code.files.items() if "test" not in name), namespace)
    test = next(p for p in paths if "test" in p.name)
    assert subprocess.run([sys.executable, test.name], cwd=tmp_path, capture_output=True).returncode == 0


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
@pytest.mark.parametrize("function", ["inverse", "forward-kinematics", "jacobian", "mass", "forward", "energy"])
def test_compiled_functions_take_batches(puma, function, states, tmp_path, monkeypatch):
    if function not in ulna.function_names():
        pytest.skip(f"{function} is not generated")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    f = puma.compile(function)
    assert f.compiled and not f.warning and not f.from_cache
    q, v, a = states(puma, 1500)
    given = {"q": q, "v": v, "a": a, "tau": a}
    batch = f(*(given[name] for name in f.inputs))
    one = f(*(given[name][3] for name in f.inputs))
    first = lambda x: x[0] if isinstance(x, tuple) else x
    np.testing.assert_allclose(first(batch)[3], first(one), rtol=1e-12, atol=1e-12)  # other sines in packs
    if function == "inverse":
        np.testing.assert_allclose(batch, puma.inverse_dynamics(q, v, a), rtol=1e-9, atol=1e-9)
    with pytest.raises(ulna.InputError, match="q"):
        f(*(np.zeros(5) for _ in f.inputs))
    with pytest.raises(TypeError):
        f()
    assert puma.compile(function).from_cache
