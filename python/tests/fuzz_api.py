#!/usr/bin/env python3
"""Every method of the Python package with arguments of every wrong kind: none may take the interpreter down or hang it.

    PYTHONPATH=build/release/python python3 python/tests/fuzz_api.py [--seconds 1800] [--seed 1] [--list] [--verbose]

A child process makes the calls and tells the parent about each before it makes it. When the child dies, or takes longer than
--patience over one call, the parent prints that call and goes on with the next seed; the exit status is then 1. Half of the calls are
right ones (valid_calls.py, valid_changes.py) with one or two arguments spoiled, so that they get past the first checks; in every fourth
child another thread makes right calls on the same objects meanwhile. Messages that show
the insides of the bindings (types of C++, "incompatible function arguments") count as failures as well, and so do calls that
take nan for a number (may_be_nan in valid_changes.py names those that may be). Calls that compute for
long because they were asked to (a million starts) are ended by an alarm, as Ctrl-C would.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings

from valid_calls import spoiled, valid_calls
from valid_changes import may_be_nan, name_of, valid_changes

TEXT = """
ulna: 1
name: arm
bodies:
  - {name: upper, mass: 2, centre: [0.2, 0, 0], inertia: [0.01, 0.03, 0.03]}
  - {name: lower, mass: 1, centre: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}
joints:
  - {name: joint1, type: revolute, parent: world, child: upper, axis: [0, 1, 0], damping: 0.1, limits: {lower: -3, upper: 3, velocity: 3, effort: 50}}
  - {name: joint2, type: revolute, parent: upper, child: lower, at: {position: [0.4, 0, 0]}, axis: [0, 1, 0], limits: {lower: -3, upper: 3, velocity: 3, effort: 30}}
frames:
  - {name: hand, body: lower, at: {position: [0.4, 0, 0]}}
"""

PRIVATE = ("incompatible function arguments", "incompatible constructor arguments", "std::", "Eigen::", "pybind11::", "pybind11_object", "Unable to cast", "SystemError")


class Refusing:
    """Whatever it is asked for, it raises."""

    def refuse(self, *_args, **_keywords):
        raise ValueError("asked")

    __array__ = __float__ = __index__ = __len__ = __iter__ = __getitem__ = __call__ = __str__ = __eq__ = __bool__ = refuse
    __hash__ = object.__hash__


def without_end():
    """A list and a dict that hold themselves, and lists in lists."""
    own, deep = [], []
    own.append(own)
    for _ in range(3000):
        deep = [deep]
    return [own, {"joint1": own}, deep, {"joints": {"a": deep}}]


def stock():
    """(objects, odd values): what methods are called on, and with."""
    import numpy as np

    import ulna

    arm = ulna.loads(TEXT)
    robots = [arm, ulna.load("four-bar"), ulna.load("flexible-two-link"), ulna.load("t3r3-frame"), ulna.load("puma560")]
    platform = ulna.load("stewart-6-6").platform()
    by_loops = robots[1].platform()
    t = np.linspace(0, 2, 100)
    log = ulna.measured_motion(arm, t, 0.3 * np.column_stack([np.sin(3 * t), np.cos(5 * t)]), tau=np.column_stack([t, t]))
    trajectory = ulna.motions.joints(["0.3*cycloid(t)", "0.2*cycloid(t)"])
    objects = robots + [
        platform,
        by_loops,
        log,
        ulna.motions.constant(1.0),
        ulna.motions.formula("t"),
        ulna.motions.line((0.1, 0, 0), (0.2, 0, 0), 1.0),
        trajectory,
        ulna.Dynamics(arm),
        ulna.Dynamics(robots[1]),
        ulna.RobotBuilder("r").body("b", 1.0),
        arm.builder(),
        ulna.Experiment(arm, 0.01),
        ulna.simulate(arm, 0.02, q=[0.1, 0.2]),
        ulna.Wrench("upper"),
        ulna.sweep({"study": 1, "robot": "t3r3-frame", "parameters": [{"name": "m", "path": "payloads.gripper.mass", "list": [1, 2]}], "run": {"modes": {"locked": "all", "count": 1}}, "measures": {"f": "frequency.1"}}),
        ulna.Run(None, ["t[s]"], np.zeros((1, 1)), ""),
    ]
    functions = [getattr(ulna, name) for name in ulna.__all__ if callable(getattr(ulna, name))]
    functions += [getattr(ulna.motions, name) for name in ulna.motions.__all__]
    functions += [getattr(ulna.homogeneous, name) for name in dir(ulna.homogeneous) if not name.startswith("_")]
    functions += [getattr(ulna.plot, name) for name in ("plot_run", "plot_motion", "plot_robot")]
    functions = [f for f in functions if callable(f) and f is not ulna.set_threads]
    nan, inf = float("nan"), float("inf")
    huge = 10**12
    odd = [
        None, "", "typo", "joint1", "upper", "hand", "all", "world", "sin(t)", "a" * 5000, "\x00", "é", b"x", b"",
        0, 1, -1, 2, 3, 7, 10**6, huge, -huge, 2**31, 2**63, 2**200, 2.5, -0.0, 1e-300, 1e308, nan, inf, -inf, 1j, True, False,
        [], (), {}, [[]], [None], ["joint1"], ["typo", "joint1"], [1, 2], [0.1, 0.2], (0.1, "x"), {"joint1": 1.0}, {"typo": 1.0},
        {"joint1": nan}, {1: 2}, {"hand": (0, 0, 1)}, {"hand": np.zeros((3, 6))}, {"joint1": [0.1, 0.2], "joint2": [0, 1]}, {"law": "pd"},
        np.zeros(0), np.zeros((0, 2)), np.zeros((0, 6)), np.zeros(2), np.zeros(4), np.zeros(6), np.zeros((2, 2)), np.zeros((3, 2)), np.zeros((1, 2)),
        np.zeros((2, 4)), np.zeros((3, 6)), np.zeros((3, 3, 3)), np.eye(3), np.eye(4), np.eye(6), np.stack([np.eye(4)] * 2),
        np.full(2, nan), np.full((2, 2), inf), np.full(6, 1e308), np.array(1.0), np.array("a"), np.array([object()]), np.zeros(2, complex),
        np.zeros((2, 2), order="F"), np.zeros(8)[::4], np.arange(2), np.float32(1), np.int64(3), np.bool_(True), np.ma.masked_array([1.0, 2.0], [True, False]),
        lambda *a: None, lambda *a: [0.0, 0.0], lambda *a: 1 / 0, lambda *a, **k: "x", print, object(), slice(1), Ellipsis, NotImplemented, ulna.Robot, ulna, range(3), set(), iter([1]),
        "\ud800", Refusing(), [Refusing()], {"joint1": Refusing()}, *without_end(),
    ]  # fmt: skip
    odd += objects
    return objects, functions, odd


def members_of(thing):
    """Names of what a class offers: methods, properties, operators."""
    special = {"__call__", "__len__", "__add__", "__sub__", "__mul__", "__neg__", "__eq__", "__hash__", "__repr__", "__str__", "__getitem__",
               "__contains__", "__iter__", "__copy__", "__deepcopy__", "__reduce__", "_repr_html_", "__setstate__", "__init__"}  # fmt: skip
    return [name for name in dir(type(thing)) if not name.startswith("_") or name in special]


def parameters_of(function):
    try:
        return [p for p in inspect.signature(function).parameters if p not in ("self", "args", "kwargs", "options")]
    except (TypeError, ValueError):
        return []


def short(value):
    try:
        text = repr(type(value)) if callable(value) else repr(value)
    except Exception:  # noqa: BLE001: an object that an earlier call has spoiled
        text = object.__repr__(value)
    return text if len(text) < 120 else text[:117] + "..."


class Child:
    """Makes calls until it is told to stop."""

    def __init__(self, seed, report):
        self.random = random.Random(seed)
        self.report = report
        self.objects, self.functions, self.odd = stock()
        self.valid = valid_calls(self.objects[0]) + valid_changes(self.objects[0])
        if seed % 4 == 0:
            threading.Thread(target=self.right_calls, args=(seed,), daemon=True).start()

    def right_calls(self, seed):
        """The neighbour: matplotlib is not made for it."""
        choice = random.Random(-seed)
        calls = [(function, keywords) for function, keywords in self.valid if "plot" not in getattr(function, "__name__", "")]
        while True:
            function, keywords = choice.choice(calls)
            try:
                function(**keywords)
            except Exception:  # noqa: BLE001, S110: of an object that the other thread has spoiled
                pass

    def nearly_right_call(self):
        function, keywords = self.random.choice(self.valid)
        keywords = dict(keywords)
        for key in self.random.sample(list(keywords), self.random.choice([0, 1, 1, 1, 2]) % (len(keywords) + 1)):
            keywords[key] = spoiled(keywords[key], self.random, self.odd)
        words = [f"{k}={short(v)}" for k, v in keywords.items()]
        text = f"{name_of(function)}({', '.join(words)})"

        def thunk():
            function(**keywords)
            taken = [k for k, v in keywords.items() if isinstance(v, float) and v != v and not may_be_nan(function, k)]
            if taken:
                self.report({"told": text, "message": f"takes nan for {', '.join(taken)}"})

        return text, thunk

    def call(self):
        """(what, thunk) of one random call."""
        if self.random.random() < 0.5:
            return self.nearly_right_call()
        if self.random.random() < 0.2:
            function = self.random.choice(self.functions)
            name = getattr(function, "__name__", str(function))
            target = None
        else:
            target = self.random.choice(self.objects)
            name = self.random.choice(members_of(target))
            function = getattr(type(target), name)
            if isinstance(function, property):
                return f"{type(target).__name__}.{name}", lambda: self.touch(target, name)
            if not callable(function):
                return None
        wanted = parameters_of(function)
        args = [self.random.choice(self.odd) for _ in range(self.random.choice([0, 1, 1, 2, 2, 3, 4, 7]))]
        keywords = {}
        for key in wanted[len(args):]:
            if self.random.random() < 0.3:
                keywords[key] = self.random.choice(self.odd)
        if self.random.random() < 0.05:
            keywords["nonsense"] = 1
        if target is not None:
            args.insert(0, target if self.random.random() < 0.97 else self.random.choice(self.odd))
        words = [short(a) for a in args] + [f"{k}={short(v)}" for k, v in keywords.items()]
        owner = type(target).__name__ + "." if target is not None else ""
        return f"{owner}{name}({', '.join(words)})", lambda: function(*args, **keywords)

    def touch(self, target, name):
        if self.random.random() < 0.5:
            setattr(target, name, self.random.choice(self.odd))
        return getattr(target, name)

    def answer(self, text, thunk, limit):
        signal.setitimer(signal.ITIMER_REAL, limit)
        try:
            thunk()
        except (Exception, SystemExit) as error:  # noqa: BLE001: any error is an answer
            message = f"{type(error).__name__}: {error}"
            if any(word in message for word in PRIVATE):
                self.report({"told": text, "message": message[:300]})
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def run(self, end, limit):
        made = 0
        while time.monotonic() < end:
            found = self.call()
            if found is None:
                continue
            text, thunk = found
            self.report({"call": text})
            try:
                self.answer(text, thunk, limit)
            except Stopped:  # also while an error is told
                pass
            made += 1
        self.report({"made": made})


class Stopped(BaseException):
    """The alarm: a call that was asked for too much."""


def child(seed, seconds, limit):
    """The inside: reports go to the file descriptor that the parent reads."""
    out = os.fdopen(int(os.environ["ULNA_FUZZ_REPORT"]), "w", buffering=1)

    def alarm(*_):
        raise Stopped

    signal.signal(signal.SIGALRM, alarm)
    warnings.simplefilter("ignore")
    os.chdir(tempfile.mkdtemp(prefix="ulna-fuzz-"))  # some calls write files
    sys.stdout = open(os.devnull, "w")
    end = time.monotonic() + seconds

    def report(entry):
        out.write(json.dumps(entry) + "\n")

    Child(seed, report).run(end, limit)


def processor_time(pid):
    """Seconds that a process has used: on a loaded machine the clock says little. The clock where there is no /proc."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def one_run(seed, seconds, limit, patience, verbose):
    """(calls made, problems) of one child."""
    read, write = os.pipe()
    environment = dict(os.environ, ULNA_FUZZ_REPORT=str(write), MPLBACKEND="Agg", PYTHONFAULTHANDLER="1", HOME=tempfile.mkdtemp(prefix="ulna-fuzz-home-"))
    process = subprocess.Popen(
        [sys.executable, __file__, "--child", "--seed", str(seed), "--seconds", str(seconds), "--limit", str(limit)],
        pass_fds=[write], env=environment, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    pending, last, made, problems = b"", "(start)", 0, []
    used, begin = 0.0, time.monotonic()  # of the call that was told last
    while True:
        ready, _, _ = select.select([read], [], [], patience / 10)
        if not ready and processor_time(process.pid) - used < patience and time.monotonic() - begin < 20 * patience:
            continue
        if not ready:
            problems.append(f"hangs: {last}")
            process.kill()
            break
        chunk = os.read(read, 1 << 16)
        if not chunk:
            break
        used, begin = processor_time(process.pid), time.monotonic()
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            entry = json.loads(line)
            last = entry.get("call", last)
            made = entry.get("made", made + ("call" in entry))
            if verbose and "call" in entry:
                print(entry["call"], flush=True)
            if "told" in entry:
                problems.append(f"tells of its insides, or takes nan: {entry['told']}\n    {entry['message']}")
    os.close(read)
    errors = process.communicate()[1].decode(errors="replace")
    if process.returncode not in (0, -signal.SIGKILL):
        problems.append(f"dies (status {process.returncode}): {last}\n    {errors[-1500:]}")
    return made, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=2.0, help="seconds after which a call gets the alarm")
    parser.add_argument("--patience", type=float, default=30.0, help="seconds of processor time after which a call that ignores it hangs")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.seed, options.seconds, options.limit)
        return 0
    begin, made, problems, seed = time.monotonic(), 0, [], options.seed
    while (left := options.seconds - (time.monotonic() - begin)) > 0.5:
        count, found = one_run(seed, min(left, 120), options.limit, options.patience, options.verbose)
        made, seed = made + count, seed + 1
        for problem in found:
            if problem not in problems:
                problems.append(problem)
                print(problem, flush=True)
    print(f"{made} calls in {time.monotonic() - begin:.0f} s, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
