#!/usr/bin/env python3
"""Every call of the package that may take long, and how soon Ctrl-C ends it.

    PYTHONPATH=build/release/python python3 python/tests/long_calls.py [NAMES...]

A child process makes the calls one after the other; each gets SIGINT after 0.2 s of its processor time. A line per call: the
processor time and the time by the clock until KeyboardInterrupt was raised. Exit status 1 where a call took longer than
`allowed()`, did not raise, or ended before the signal. test_never_crashes.py makes them too.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import ulna

ROOT = Path(__file__).resolve().parents[2]
ENOUGH = 0.2  # s of processor time before the signal

PUMA = "r = ulna.load('puma560')"
PENDULUM = "r = ulna.RobotBuilder('p').body('rod', 1.0, centre=(0, 0, 0.5), inertia=(0.1, 0.1, 0.1)).joint('hinge', 'revolute', 'world', 'rod', axis=(0, 1.0, 0)).build(); x = np.zeros((20_000_000, 1))"
STATES = PUMA + "; x = np.random.default_rng(1).uniform(-1, 1, (1_000_000, 6)); y = np.repeat(x, 4, 0)"
CLOSED = "r = ulna.load('five-bar'); x = np.repeat(r.assemble()[None], 1_000_000, 0)"
HEXAPOD = "p = ulna.load('stewart-6-6').platform(); x = np.repeat(p.home[None], 3_000_000, 0)"
FLEXIBLE = "r = ulna.load('flexible-two-link'); x = np.zeros((4_000_000, r.nq))"
FRAME = "r = ulna.load('t3r3-frame'); q = np.zeros(3)"
PATH = PUMA + "; path = ulna.motions.joints([ulna.motions.program('poly345', 0, 1, 1.0)] * 6)"
MATRIX = "A = np.random.default_rng(1).normal(size=({0}, {0}))"
STUDY = "study = {'study': 1, 'robot': 'puma560', 'parameters': [{'name': 'm', 'path': 'bodies.link2.mass', 'uniform': {'from': 1, 'to': 2}}], 'sampling': {'count': 10**6}, 'run': {'linearize': {'q': [0.1] * 6}}, 'measures': {'x': 'm'}}"
TIMES = "t = np.linspace(0, 1000, 2_000_000); x = np.sin(t)"

# What is made before the call; the call.
CALLS = {
    # ---- functions of states ----
    "fk": (PENDULUM, "r.fk(x)"),
    "poses": (STATES, "r.poses(y)"),
    "velocity": (STATES, "r.velocity(y, y)"),
    "jacobian_rate": (STATES, "r.jacobian_rate(y, y)"),
    "inverse_dynamics": (PENDULUM, "r.inverse_dynamics(x, x, x)"),
    "forward_dynamics": (PENDULUM, "r.forward_dynamics(x)"),
    "inverse_dynamics_derivatives": (STATES, "r.inverse_dynamics_derivatives(x, x, x)"),
    "forward_dynamics_derivatives": (STATES, "r.forward_dynamics_derivatives(x, x, x)"),
    "compiled function": (STATES + "; f = r.compile('forward_dynamics_derivatives')", "f(x, x, x)"),
    "function without a compiler": (STATES + "; f = r.compile('forward_dynamics_derivatives', compiler='no-such', cache=False)", "f(x, x, x)"),
    "kane": (STATES, "r.kane(x, x, x)"),
    "matrices": (STATES, "r.matrices(x[:100_000], x[:100_000], x[:100_000])"),
    "lagrange_coefficients": (STATES, "r.lagrange_coefficients(x[:400_000])"),
    "influence_coefficients": (STATES, "r.influence_coefficients(x[:400_000])"),
    "linearize": (STATES, "r.linearize(x[:400_000])"),
    "reactions": (STATES, "r.reactions(x, x, x)"),
    "regressor": (STATES, "r.regressor(x[:400_000], x[:400_000], x[:400_000])"),
    "regressor_condition": (STATES, "r.regressor_condition(x, x, x)"),
    "identify": (STATES, "r.identify(x, x, x, x)"),
    "joint_rates": (STATES, "r.joint_rates(x, np.ones((1_000_000, 6)))"),
    "integrate": (STATES, "r.integrate(y, y)"),
    "random": (PUMA, "r.random(50_000_000)"),
    "ik": (PUMA, "r.ik((9, 9, 9), restarts=10_000_000)"),
    "ik of a batch": (PUMA, "r.ik([(9, 9, 9)] * 64, restarts=10_000_000, on_failure='nan')"),
    "ik of the last of a batch": (PUMA, "r.ik([r.fk([0.1] * 6)[:3, 3]] * 8 + [(9, 9, 9)], restarts=100_000_000, on_failure='nan')"),
    "verify": (PUMA, "r.verify(states=10_000_000)"),
    "excitation": (PUMA, "r.excitation(candidates=10_000_000)"),
    "excitation of many samples": (PUMA, "r.excitation(candidates=1, samples=3_000_000)"),
    # ---- loops ----
    "assemble": ("r = ulna.load('five-bar')", "r.assemble(all=True, restarts=10_000_000)"),
    "assemble a batch": (CLOSED, "r.assemble(x + 0.01)"),
    "closure": (CLOSED, "r.closure(x)"),
    "complete": (CLOSED, "r.complete(x)"),
    "mobility": (CLOSED, "r.mobility(x)"),
    "independent_map": (CLOSED, "r.independent_map(x)"),
    "loop_efforts": (CLOSED, "r.loop_efforts(x)"),
    "linearize loops": (CLOSED, "r.linearize(x[:100_000])"),
    "inverse_dynamics of loops": (CLOSED, "r.inverse_dynamics(x)"),
    "forward_dynamics of loops": (CLOSED, "r.forward_dynamics(x)"),
    "influence_coefficients of loops": (CLOSED, "r.influence_coefficients(x)"),
    # ---- parallel robots ----
    "drives": (HEXAPOD, "p.drives(x)"),
    "workspace": (HEXAPOD, "p.workspace(('x', -1, 1, 3000), ('y', -1, 1, 3000))"),
    "workspace by loops": ("p = ulna.load('ddts').platform(body='platform')", "p.workspace(('x', 2.9, 3.1, 3000), ('y', -0.1, 0.1, 3000))"),
    "direct": (HEXAPOD + "; d = np.repeat(p.drives(p.home)[None], 2_000_000, 0)", "p.direct(d)"),
    "direct_all": ("p = ulna.load('stewart-6-6').platform()", "p.direct_all(p.drives(p.home), starts=10_000_000)"),
    "direct_all by loops": ("p = ulna.load('four-bar').platform()", "p.direct_all(p.drives(p.home), starts=10_000_000)"),
    "nearest_singularity": (HEXAPOD, "p.nearest_singularity(x)"),
    "quality": (HEXAPOD, "p.quality(x)"),
    "stiffness": (HEXAPOD, "p.stiffness(x, 1e8)"),
    "check": (HEXAPOD, "p.check(x)"),
    "platform inverse_dynamics": (HEXAPOD, "p.inverse_dynamics(x)"),
    "platform equations": (HEXAPOD, "p.equations(x)"),
    "leg_map": (HEXAPOD, "p.leg_map(x[:1_000_000])"),
    "platform_path": ("", f"ulna.Experiment.read({str(ROOT / 'examples/ddts.yaml')!r}).platform_path(interval=1e-5)"),
    # ---- motions and experiments ----
    "spline": (TIMES, "ulna.motions.spline(t, x)"),
    "quintic spline": (TIMES, "ulna.motions.spline(t[:1_000_000], x[:1_000_000], 'quintic')"),
    "table": (TIMES, "ulna.motions.table(t, x, interpolation='cubic')"),
    "efforts of a table": (TIMES + "; e = ulna.Experiment(ulna.load('puma560'), 1.0)", "e.efforts(t, {'joint1': x}, interpolation='cubic')"),
    "motion": ("m = ulna.motions.formula('sin(cos(t))*t')", "m(np.zeros(20_000_000))"),
    "trajectory": (PATH, "path.at(np.linspace(0, 1, 20_000_000))"),
    "minimum_time": (PATH, "r.minimum_time(path, rates=np.ones(6), efforts=np.full(6, 500.0), intervals=1_000_000)"),
    "timing": (PUMA, "ulna.Experiment(r, 1.0).move('all', '0.3*cycloid(t)').timing(rates=np.ones(6), efforts=np.full(6, 500.0), intervals=1_000_000)"),
    "fastest_scale": (PATH, "r.fastest_scale(path, rates=[1.0] * 6, efforts=[99.0] * 6, samples=10_000_000)"),
    "motion of an experiment": (PUMA + "; e = ulna.Experiment(r, 1.0).move('all', '0.3*cycloid(t)')", "e.motion(np.linspace(0, 1, 1_000_000))"),
    "linearize along": (PUMA + "; e = ulna.Experiment(r, 1.0).move('all', '0.3*cycloid(t)')", "e.linearize(np.linspace(0, 1, 300_000))"),
    "follow": (PUMA, "r.follow(ulna.motions.circle(r.fk([0.1, -1, 0.5, 0.3, 0.5, 0.2]), r.fk([0.1, -1, 0.5, 0.3, 0.5, 0.2])[:3, 3] + [0, 0, 0.01], (1.0, 0, 0), 1e5, 1e5), start=[0.1, -1, 0.5, 0.3, 0.5, 0.2], within_velocity_limits=False)"),
    "decoupling": (PUMA, "ulna.decoupling(ulna.Experiment(r, 1.0).move('all', 't'), samples=50_000_000)"),
    "fidelity": ("", "ulna.fidelity(ulna.Experiment(ulna.load('flexible-two-link'), 1e5).move('elbow', 'sin(t)'))"),
    "simulate": (PUMA, "ulna.simulate(r, 1e6, q=[0.1] * 6, interval=1.0)"),
    "simulate with a law in Python": (PUMA, "ulna.simulate(ulna.Experiment(r, 1e5).control(lambda t, q, v: 1000 * np.sin(99 * t) - q))"),
    "simulate exact links": ("", "ulna.simulate(ulna.Experiment(ulna.load('flexible-two-link').with_geometrically_exact_links(elements=40), 10.0))"),
    "sweep": (STUDY, "ulna.sweep(study)"),
    "sweep by one thread": (STUDY, "ulna.sweep(study, threads=1)"),
    "optimize": (STUDY, "ulna.optimize(study, least='x', starts=1_000_000)"),
    "synthesize": ("", f"ulna.synthesize(ulna.load({str(ROOT / 'examples/flame-cutting/torch.yaml')!r}), {str(ROOT / 'examples/flame-cutting/task.yaml')!r}, restarts=10**7, wanted=1000)"),
    "generate, thorough": (PUMA, "r.generate('inverse', thorough=100.0)"),
    # ---- flexible links and structures ----
    "inverse_dynamics of flexible links": (FLEXIBLE, "r.inverse_dynamics(x[:1_000_000], level='consistent')"),
    "elastic_equations": (FLEXIBLE, "r.elastic_equations(x[:200_000])"),
    "elastic_modes": (FLEXIBLE, "r.elastic_modes(x[:200_000])"),
    "deflection": (FLEXIBLE, "r.deflection(x)"),
    "section_moments": (FLEXIBLE, "r.section_moments(x)"),
    "curve": (FLEXIBLE, "r.curve(x[0], 'inboard', points=1_000_000)"),
    "stability_surface": (FLEXIBLE, "r.stability_surface(spin=np.linspace(0.1, 3, 200_000), axial=np.linspace(-0.5, 0.5, 100))"),
    "modes_along": (FRAME, "r.modes_along(np.zeros((100_000, 3)), locked='all')"),
    "modes_map": (FRAME, "r.modes_map({r.coordinates[1]: np.linspace(0, 1, 3000), r.coordinates[2]: np.linspace(0, 1, 3000)})"),
    "transient_response": (FRAME, "r.transient_response(f'{r.tip}.z', f'{r.tip}.z', np.linspace(0, 100, 4_000_000), q, locked='all')"),
    # ---- matrices and signals ----
    "lqr": (MATRIX.format(700), "ulna.lqr(A, np.eye(700), np.eye(700), np.eye(700))"),
    "dlqr": (MATRIX.format(600), "ulna.dlqr(A / 30, np.eye(600), np.eye(600), np.eye(600))"),
    "kalman": (MATRIX.format(600), "ulna.kalman(A / 30, np.eye(600), np.eye(600), np.eye(600))"),
    "gramians": (MATRIX.format(900), "ulna.gramians(A - 70 * np.eye(900), np.eye(900), np.eye(900))"),
    "discretize": (MATRIX.format(1500), "ulna.discretize(A, np.eye(1500), 0.1)"),
    "place_poles": (MATRIX.format(250), "ulna.place_poles(A, A[:, :5], -np.arange(1, 251.0))"),
    "frequency_response": ("A = -np.eye(40)", "ulna.frequency_response(A, np.ones((40, 2)), np.ones((2, 40)), np.zeros((2, 2)), np.linspace(1, 9, 1_000_000))"),
    "low_passed": ("", "ulna.low_passed(np.zeros((2_000_000, 20)), 1.0, 1000.0)"),
    "measured_motion": (PUMA + "; t = np.linspace(0, 1000, 500_000)", "ulna.measured_motion(r, t, np.sin(np.repeat(t[:, None], 6, 1)))"),
    # ---- files ----
    "loads": ("text = 'ulna: 1\\nname: long\\nbodies:\\n' + ''.join(f'  - {{name: b{k}, mass: 1, inertia: [1, 1, 1]}}\\n' for k in range(50_000)) + 'joints:\\n' + ''.join(f'  - {{name: j{k}, type: revolute, parent: {f\"b{k-1}\" if k else \"world\"}, child: b{k}, axis: [0, 0, 1]}}\\n' for k in range(50_000))", "ulna.loads(text)"),
    "experiment": ("text = 'experiment: 1\\nrobot: puma560\\nduration: 1\\ndrives:\\n  joint1: {motion: {table: {t: ' + str(list(range(200_000))) + ', q: ' + str([0] * 200_000) + '}}}\\n'", "ulna.Experiment.loads(text)"),
}  # fmt: skip

# What works on in a thread that was left to itself would disturb the measurement of the next call.
ALONE = {"lqr", "dlqr", "kalman", "gramians", "discretize", "place_poles", "spline", "quintic spline", "table", "efforts of a table", "loads", "experiment"}

CHILD = """
import signal, sys
import numpy as np
import ulna, warnings
sys.path.insert(0, sys.argv[1])
from long_calls import CALLS

warnings.simplefilter("ignore")
signal.signal(signal.SIGINT, signal.SIG_IGN)  # before a call is made ready and after it
for name in sys.argv[2:]:
    space = {"np": np, "ulna": ulna}
    before, call = CALLS[name]
    exec(before, space)
    code, told = compile(call, name, "eval"), "done"
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        print("go", flush=True)
        eval(code, space)
    except KeyboardInterrupt:
        told = "stopped"
    except Exception as error:
        told = f"failed: {type(error).__name__}: {error}".replace("\\n", " ")[:300]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print(told, flush=True)
    space.clear()
    sys.stdin.readline()
"""


def allowed():
    """Seconds of processor time: a tenth by the clock of every thread, and as much to raise and to print; generous, since caches and
    memory are shared with whatever runs beside."""
    return (10 if "ULNA_SANITIZED" in os.environ else 1) * (0.1 * ulna.threads() + 0.2)


def processor_time(pid):
    """Seconds that a process has used; the load of the machine does not count."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def told(child, seconds=None):
    """A line that the child wrote, without its end; None where none comes in that time, "" where it is gone."""
    if not select.select([child.stdout], [], [], seconds)[0]:
        return None
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(child.stdout.fileno(), 1)):
        line += byte
    return line.decode(errors="replace").strip()


def delays(names):
    """(name, how it ended, processor time and time by the clock after the signal) of calls that one child makes."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(Path(__file__).parent), *names],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ,
    )  # fmt: skip
    try:
        for name in names:
            if (line := told(child)) != "go":
                yield name, f"is not made: {line}", 0.0, 0.0
                return
            begin, ended = processor_time(child.pid), None
            while processor_time(child.pid) - begin < ENOUGH and ended is None:
                ended = told(child, 0.01)
            before, at = processor_time(child.pid), time.monotonic()
            if ended is None:
                child.send_signal(signal.SIGINT)
                ended = told(child, 60) or "hangs"
            yield name, ended, processor_time(child.pid) - before, time.monotonic() - at
            if ended in ("hangs", ""):
                return
            os.write(child.stdin.fileno(), b"\n")
        child.wait(60)
    finally:
        child.kill()
        child.wait()


def groups(names=None, size=12):
    """The calls in lists that one child makes."""
    wanted = list(CALLS) if names is None else names
    together = [name for name in wanted if name not in ALONE]
    return [together[k : k + size] for k in range(0, len(together), size)] + [[name] for name in wanted if name in ALONE]


def main():
    wrong = 0
    for group in groups(sys.argv[1:] or None):
        for name, ended, used, clock in delays(group):
            slow = ended != "stopped" or used > allowed()
            wrong += slow
            print(f"{name:36} {ended:10} after {used:.2f} s of processor time, {clock:.2f} s by the clock{'   <---' if slow else ''}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
