"""FMUs against `ulna simulate`, through the interface of the standard.

    fmu.py ULNA [--fmpy PYTHON]

Writes each experiment of the folder `experiments` as an FMU of FMI 2.0 and 3.0, loads the binary with
ctypes, and compares co-simulation, model exchange (with an integrator of this file), saved states,
directional derivatives, inputs and parameters with runs of `ulna simulate`. Nothing but Python's own
library is needed. With --fmpy, the package FMPy of that Python validates and simulates the same files.
"""

import argparse
import csv
import ctypes as C
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zipfile

HERE = pathlib.Path(__file__).parent
failures = []


def expect(condition, text):
    if not condition:
        failures.append(text)
        print("  FAILED", text)


def near(a, b, tolerance, text):
    worst = max((abs(x - y) for x, y in zip(a, b)), default=0.0)
    expect(len(a) == len(b) and worst <= tolerance, f"{text}: {worst:.3g} > {tolerance:g}")
    return worst


class Run:
    """A recorded run: columns by name."""

    def __init__(self, ulna, experiment, folder, changes=()):
        text = pathlib.Path(experiment).read_text()
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        copy = pathlib.Path(folder) / "changed.yaml"
        copy.write_text(text)
        for robot in HERE.glob("experiments/*-robot.yaml"):
            (pathlib.Path(folder) / robot.name).write_text(robot.read_text())
        out = pathlib.Path(folder) / "run"
        done = subprocess.run([ulna, "simulate", copy, "-o", out], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        with open(out / "run.csv") as file:
            rows = list(csv.reader(file))
        self.names = [name.partition("[")[0] for name in rows[0]]
        self.rows = [[float(x) for x in row] for row in rows[1:]]

    def row(self, k, names):
        return [self.rows[k][self.names.index(name)] for name in names]

    @property
    def t(self):
        return [row[0] for row in self.rows]


class Description:
    """modelDescription.xml, of either version."""

    def __init__(self, text):
        root = ET.fromstring(text)
        self.version = int(root.get("fmiVersion")[0])
        self.token = root.get("guid") or root.get("instantiationToken")
        exchange = root.find("ModelExchange")
        self.exchange = exchange is not None
        # What an importer reads there before it reports the end of a step.
        self.reports_steps = self.exchange and (
            exchange.get("completedIntegratorStepNotNeeded") != "true" if self.version == 2
            else exchange.get("needsCompletedIntegratorStep") == "true")
        self.identifier = root.find("CoSimulation").get("modelIdentifier")
        self.variables = []
        for element in root.find("ModelVariables"):
            inner = element[0] if self.version == 2 else element
            derivative = inner.get("derivative")
            if derivative is not None:
                derivative = int(derivative) - (1 if self.version == 2 else 0)
            self.variables.append(
                dict(name=element.get("name"), reference=int(element.get("valueReference")),
                     causality=element.get("causality"), start=inner.get("start"), derivative=derivative))
        self.indicators = (int(root.get("numberOfEventIndicators")) if self.version == 2
                           else len(root.findall("ModelStructure/EventIndicator")))
        names = [v["name"] for v in self.variables]
        assert len(set(names)) == len(names), "names are not unique"

    def of(self, causality):
        return [v for v in self.variables if v["causality"] == causality]

    @property
    def rates(self):
        return [v for v in self.variables if v["derivative"] is not None]

    @property
    def states(self):
        return [self.variables[v["derivative"]] for v in self.rates]


class EventInfo(C.Structure):
    _fields_ = [(name, C.c_int) for name in ("again", "ends", "nominals", "states", "known")] + [("next", C.c_double)]


LOG2 = C.CFUNCTYPE(None, C.c_void_p, C.c_char_p, C.c_int, C.c_char_p, C.c_char_p)
LOG3 = C.CFUNCTYPE(None, C.c_void_p, C.c_int, C.c_char_p, C.c_char_p)


class Callbacks(C.Structure):
    _fields_ = [("logger", LOG2), ("allocate", C.c_void_p), ("release", C.c_void_p),
                ("finished", C.c_void_p), ("environment", C.c_void_p)]


class Fmu:
    """One instance through the C interface of version 2 or 3."""

    def __init__(self, file, folder, exchange=False):
        folder = pathlib.Path(folder)
        with zipfile.ZipFile(file) as archive:
            assert archive.testzip() is None
            archive.extractall(folder)
        self.d = Description((folder / "modelDescription.xml").read_text())
        self.exchange = exchange
        binary = next(folder.glob(f"binaries/*/{self.d.identifier}.so"))
        self.library = C.CDLL(str(binary))
        self.messages = []
        resources = folder / "resources"
        if self.d.version == 2:
            self._log = LOG2(lambda env, name, status, category, message: self.messages.append(message))
            self._callbacks = Callbacks(self._log, None, None, None, None)
            make = self.library.fmi2Instantiate
            make.restype = C.c_void_p
            self.c = make(b"one", C.c_int(0 if exchange else 1), self.d.token.encode(),
                          resources.as_uri().encode(), C.byref(self._callbacks), C.c_int(0), C.c_int(1))
        else:
            self._log = LOG3(lambda env, status, category, message: self.messages.append(message))
            path = (str(resources) + "/").encode()
            if exchange:
                make = self.library.fmi3InstantiateModelExchange
                make.restype = C.c_void_p
                self.c = make(b"one", self.d.token.encode(), path, C.c_bool(False), C.c_bool(True), None, self._log)
            else:
                make = self.library.fmi3InstantiateCoSimulation
                make.restype = C.c_void_p
                self.c = make(b"one", self.d.token.encode(), path, C.c_bool(False), C.c_bool(True), C.c_bool(False),
                              C.c_bool(False), None, C.c_size_t(0), None, self._log, None)
        assert self.c, self.messages
        self.c = C.c_void_p(self.c)

    def call(self, name, *arguments):
        status = getattr(self.library, f"fmi{self.d.version}{name}")(self.c, *arguments)
        assert status <= 1, (name, status, self.messages)

    def initialise(self, parameters=None, inputs=None, stop=None):
        has = stop is not None
        if self.d.version == 2:
            self.call("SetupExperiment", C.c_int(0), C.c_double(0), C.c_double(0), C.c_int(has), C.c_double(stop or 0))
        self.set(parameters or {})
        if self.d.version == 2:
            self.call("EnterInitializationMode")
        else:
            self.call("EnterInitializationMode", C.c_bool(False), C.c_double(0), C.c_double(0), C.c_bool(has),
                      C.c_double(stop or 0))
        self.set(inputs or {})
        self.call("ExitInitializationMode")
        if self.d.version == 3 and not self.exchange:
            pass  # without event mode the unit is in step mode now

    def references(self, variables):
        return (C.c_uint32 * len(variables))(*[v["reference"] for v in variables])

    def get(self, variables):
        n, out = len(variables), (C.c_double * len(variables))()
        r = self.references(variables)
        if self.d.version == 2:
            self.call("GetReal", r, C.c_size_t(n), out)
        else:
            self.call("GetFloat64", r, C.c_size_t(n), out, C.c_size_t(n))
        return list(out)

    def set(self, values):
        known = {v["name"]: v for v in self.d.variables}
        n = len(values)
        r, x = self.references([known[k] for k in values]), (C.c_double * n)(*values.values())
        if self.d.version == 2:
            self.call("SetReal", r, C.c_size_t(n), x)
        else:
            self.call("SetFloat64", r, C.c_size_t(n), x, C.c_size_t(n))

    def step(self, t, h):
        if self.d.version == 2:
            self.call("DoStep", C.c_double(t), C.c_double(h), C.c_int(1))
        else:
            flags, last = [C.c_bool() for _ in range(3)], C.c_double()
            self.call("DoStep", C.c_double(t), C.c_double(h), C.c_bool(True), *map(C.byref, flags), C.byref(last))
            assert abs(last.value - t - h) < 1e-9

    # ---- model exchange
    def event(self):
        """(states changed, ends, next time or infinity)"""
        self.call("EnterEventMode")
        if self.d.version == 2:
            info = EventInfo()
            self.call("NewDiscreteStates", C.byref(info))
            result = info.states, info.ends, info.next if info.known else math.inf
        else:
            flags, next_time = [C.c_bool() for _ in range(5)], C.c_double()
            self.call("UpdateDiscreteStates", *map(C.byref, flags), C.byref(next_time))
            result = flags[3].value, flags[1].value, next_time.value if flags[4].value else math.inf
        self.call("EnterContinuousTimeMode")
        return result

    def states(self):
        n = len(self.d.rates)
        x = (C.c_double * n)()
        self.call("GetContinuousStates", x, C.c_size_t(n))
        return list(x)

    def rates(self, t, x):
        n = len(x)
        self.call("SetTime", C.c_double(t))
        self.call("SetContinuousStates", (C.c_double * n)(*x), C.c_size_t(n))
        out = (C.c_double * n)()
        self.call("GetDerivatives" if self.d.version == 2 else "GetContinuousStateDerivatives", out, C.c_size_t(n))
        return list(out)

    def indicators(self):
        n = self.d.indicators
        z = (C.c_double * max(n, 1))()
        self.call("GetEventIndicators", z, C.c_size_t(n))
        return list(z)[:n]

    def completed(self):
        kind = C.c_int if self.d.version == 2 else C.c_bool
        event, ends = kind(), kind()
        self.call("CompletedIntegratorStep", kind(1), C.byref(event), C.byref(ends))
        return bool(event.value)

    # ---- states
    def save(self):
        state = C.c_void_p()
        word = "state" if self.d.version == 2 else "State"
        self.call(f"GetFMU{word}", C.byref(state))
        size = C.c_size_t()
        self.call(f"SerializedFMU{word}Size", state, C.byref(size))
        data = (C.c_char * size.value)()
        self.call(f"SerializeFMU{word}", state, data, size)
        self.call(f"FreeFMU{word}", C.byref(state))
        return bytes(data)

    def restore(self, data):
        state = C.c_void_p()
        word = "state" if self.d.version == 2 else "State"
        de = "DeSerialize" if self.d.version == 2 else "Deserialize"
        self.call(f"{de}FMU{word}", data, C.c_size_t(len(data)), C.byref(state))
        self.call(f"SetFMU{word}", state)
        self.call(f"FreeFMU{word}", C.byref(state))

    def derivative(self, unknowns, knowns, seed):
        rows, columns = len(unknowns), len(knowns)
        out, x = (C.c_double * rows)(), (C.c_double * columns)(*seed)
        arguments = [self.references(unknowns), C.c_size_t(rows), self.references(knowns), C.c_size_t(columns), x]
        if self.d.version == 2:
            self.call("GetDirectionalDerivative", *arguments, out)
        else:
            self.call("GetDirectionalDerivative", *arguments, C.c_size_t(columns), out, C.c_size_t(rows))
        return list(out)

    def free(self):
        getattr(self.library, f"fmi{self.d.version}FreeInstance")(self.c)


def outputs_of(fmu):
    variables = fmu.d.of("output")
    return variables, [v["name"].removesuffix(".now") for v in variables]


def co_simulate(fmu, run, tolerance, title, restore=True):
    variables, names = outputs_of(fmu)
    worst = near(fmu.get(variables), run.row(0, names), tolerance, f"{title}, start")
    kept, times = None, run.t
    for k in range(1, len(times)):
        if restore and k == len(times) // 2:
            kept = fmu.save()
        fmu.step(times[k - 1], times[k] - times[k - 1])
        worst = max(worst, near(fmu.get(variables), run.row(k, names), tolerance, f"{title}, t = {times[k]}"))
    if kept:
        before = fmu.get(variables)
        fmu.restore(kept)
        for k in range(len(times) // 2, len(times)):
            fmu.step(times[k - 1], times[k] - times[k - 1])
        near(fmu.get(variables), before, 1e-12, f"{title}, from a saved state")
    return worst


def runge_kutta(fmu, t, x, h):
    def moved(d, s):
        return [a + s * b for a, b in zip(x, d)]

    k1 = fmu.rates(t, x)
    k2 = fmu.rates(t + h / 2, moved(k1, h / 2))
    k3 = fmu.rates(t + h / 2, moved(k2, h / 2))
    k4 = fmu.rates(t + h, moved(k3, h))
    return [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(x, k1, k2, k3, k4)]


def exchange(fmu, run, tolerance, title, h=1e-3):
    """The classical method with fixed steps, roots of indicators by bisection."""
    variables, names = outputs_of(fmu)
    _, ends, next_event = fmu.event()
    x, t, worst = fmu.states(), 0.0, 0.0
    times = run.t
    events = 0
    for k in range(1, len(times)):
        while t < times[k] - 1e-12:
            step = min(h, times[k] - t, max(next_event - t, 1e-12))
            fmu.rates(t, x)
            before = fmu.indicators()
            y = runge_kutta(fmu, t, x, step)
            fmu.rates(t + step, y)
            after = fmu.indicators()
            if any(a > 0 >= b for a, b in zip(before, after)):
                low, high = 0.0, step
                while high - low > 1e-10:
                    middle = (low + high) / 2
                    y = runge_kutta(fmu, t, x, middle)
                    fmu.rates(t + middle, y)
                    z = fmu.indicators()
                    low, high = (low, middle) if any(a > 0 >= b for a, b in zip(before, z)) else (middle, high)
                step = high
                y = runge_kutta(fmu, t, x, step)
                fmu.rates(t + step, y)
                due = True
                events += 1
            else:
                due = t + step >= next_event - 1e-12
            t, x = t + step, y
            wants = fmu.d.reports_steps and fmu.completed()
            at_record = abs(t - times[k]) < 1e-12
            if at_record:  # records show what is before the event
                worst = max(worst, near(fmu.get(variables), run.row(k, names), tolerance, f"{title}, t = {t:.4g}"))
            if due or wants:
                changed, ends, next_event = fmu.event()
                if changed:
                    x = fmu.states()
    return worst, events


def write(ulna, experiment, file, *more):
    done = subprocess.run([ulna, "fmu", HERE / "experiments" / experiment, "-o", file, "--json", *more],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def case(ulna, experiment, kind, tolerance, version, exchanged=True, more=(), changes=(), parameters=None,
         inputs=None, h=1e-3, exact=True, indicators=None):
    title = f"{experiment} FMI {version} {kind}{' changed' if changes else ''}"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "unit.fmu"
        made = write(ulna, experiment, file, "--fmi", str(version), *more)
        expect(made["kind"] == kind, f"{title}: {made['kind']}, {made.get('why_library')}")
        expect(made["model_exchange"] == exchanged, f"{title}: model exchange {made['model_exchange']}")
        run = Run(ulna, HERE / "experiments" / experiment, folder, changes)
        fmu = Fmu(file, pathlib.Path(folder) / "cs")
        expect(indicators is None or fmu.d.indicators == made["indicators"] == indicators,
               f"{title}: {fmu.d.indicators} indicators")
        # Loops are closed and friction is seen to hold there.
        expect(fmu.d.reports_steps == exchanged, f"{title}: reports of steps {fmu.d.reports_steps}")
        expect([v["name"] for v in fmu.d.of("input")] == made["inputs"], f"{title}: inputs of the description")
        fmu.initialise(parameters, inputs)
        worst = co_simulate(fmu, run, tolerance, title + " co-simulation", restore=exchanged)
        fmu.free()
        print(f"{title}: co-simulation {worst:.2g}", end="")
        if exchanged:
            fmu = Fmu(file, pathlib.Path(folder) / "me", exchange=True)
            fmu.initialise(parameters, inputs)
            worst, events = exchange(fmu, run, 100 * tolerance, title + " model exchange", h)
            print(f", model exchange {worst:.2g} with {events} state events", end="")
            check_derivatives(fmu, title)
            if kind == "source" and exact:
                check_exact_derivatives(fmu, title)
            fmu.free()
        print()


def check_exact_derivatives(fmu, title):
    """Of a source unit, exact to rounding:
    the derivative along the sum of two directions is the sum of both."""
    knowns, unknowns = fmu.d.states, fmu.d.rates + fmu.d.of("output")
    seeds = [[math.sin(1 + k + 3 * s) for k in range(len(knowns))] for s in range(2)]
    one, two = (fmu.derivative(unknowns, knowns, seed) for seed in seeds)
    both = fmu.derivative(unknowns, knowns, [a + b for a, b in zip(*seeds)])
    scale = 1 + max(map(abs, both))
    near([a / scale for a in both], [(a + b) / scale for a, b in zip(one, two)], 1e-13, f"{title}: linear derivatives")


def check_derivatives(fmu, title):
    """Along one input and the first two states, against differences of first order."""
    knowns = fmu.d.of("input")[:1] + fmu.d.states[:2]
    unknowns = fmu.d.rates
    x = fmu.states()
    base = fmu.rates(0.0, x)
    for known in knowns:
        exact = fmu.derivative(unknowns, [known], [1.0])
        here, e = fmu.get([known])[0], 1e-6
        fmu.set({known["name"]: here + e})
        forward = fmu.get(unknowns)
        fmu.set({known["name"]: here - e})
        backward = fmu.get(unknowns)
        fmu.set({known["name"]: here})
        rough = [(a - b) / (2 * e) for a, b in zip(forward, backward)]
        scale = 1 + max(map(abs, exact))
        near([a / scale for a in exact], [b / scale for b in rough], 1e-6, f"{title}: derivative by {known['name']}")
    near(fmu.rates(0.0, x), base, 1e-12, f"{title}: rates after derivatives")


def all_cases(ulna):
    for version in (2, 3):
        case(ulna, "arm.yaml", "source", 1e-7, version)
        case(ulna, "controlled.yaml", "source", 1e-6, version, h=2e-4)  # its limits are kinks
        case(ulna, "four-bar.yaml", "source", 1e-6, version)
        case(ulna, "stops.yaml", "library", 1e-6, version)
        # At the end joints rest against stops: derivatives by differences.
        case(ulna, "source-stops.yaml", "source", 1e-6, version, exact=False, indicators=3)
        case(ulna, "loop-stops.yaml", "source", 1e-6, version, exact=False, indicators=2)
        case(ulna, "sampled.yaml", "library", 1e-6, version)
        case(ulna, "events.yaml", "library", 1e-6, version, exchanged=False)
        case(ulna, "flexible.yaml", "library", 1e-6, version, h=2e-4)
        case(ulna, "platform.yaml", "library", 1e-6, version)
        case(ulna, "elements.yaml", "library", 1e-6, version)
        case(ulna, "sensed.yaml", "library", 1e-6, version)
        case(ulna, "sensed-loop.yaml", "library", 1e-6, version)
        case(ulna, "pick-and-place.yaml", "library", 1e-6, version, exchanged=False)
        case(ulna, "formulas.yaml", "library", 1e-6, version)
        case(ulna, "friction.yaml", "library", 1e-6, version)
    # The two kinds of one experiment, and what is changed by parameters and inputs.
    case(ulna, "arm.yaml", "library", 1e-7, 2, more=("--kind", "library"))
    case(ulna, "arm.yaml", "source", 1e-7, 2, changes=[("mass: 0.8 kg", "mass: 2.5 kg")],
         parameters={"payloads.tool.mass": 2.5})
    case(ulna, "arm.yaml", "library", 1e-7, 3, more=("--kind", "library"),
         changes=[("mass: 0.8 kg", "mass: 2.5 kg")], parameters={"payloads.tool.mass": 2.5})
    case(ulna, "controlled.yaml", "source", 1e-6, 3, h=2e-4, changes=[("kp: 300", "kp: 120")],
         parameters={"controllers.first.kp": 120})
    case(ulna, "stops.yaml", "library", 1e-6, 2, changes=[("push: 3", "push: 5")],
         parameters={"constants.push": 5})
    case(ulna, "arm.yaml", "source", 1e-7, 2, inputs={"tau.shoulder": -9.0},
         changes=[("integrator:", "drives: {shoulder: {effort: -9}}\nintegrator:")])


def outside_python(ulna):
    """This process has Python's symbols, which a unit must not need: a plain program loads it, too."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        host = folder / "host"
        subprocess.run(["cc", "-std=c99", "-o", host, HERE / "host.c", "-ldl"], check=True)
        for experiment in ("arm.yaml", "sensed.yaml"):
            file, place = folder / "unit.fmu", folder / experiment
            write(ulna, experiment, file)
            with zipfile.ZipFile(file) as archive:
                archive.extractall(place)
                size = sum(x.compress_size for x in archive.infolist()) / 1e6
            d = Description((place / "modelDescription.xml").read_text())
            done = subprocess.run([host, next(place.glob(f"binaries/*/{d.identifier}.so")), d.token,
                                   (place / "resources").as_uri()], capture_output=True, text=True)
            expect(done.returncode == 0, f"{experiment} in a plain program: {done.stdout}")
            names = [x.name for x in place.glob("binaries/*/*")]
            expect(not any(word in name for name in names for word in ("hdf5", "sdformat", "python")),
                   f"{experiment} carries {names}")
            print(f"{experiment} in a plain program: {size:.1f} MB")


def witness(ulna, python):
    """FMPy's own validation and simulation."""
    script = """
import json, sys, fmpy
from fmpy.validation import validate_fmu
file = sys.argv[1]
result = {"problems": list(map(str, validate_fmu(file))), "runs": {}}
for kind in sys.argv[2].split(","):
    r = fmpy.simulate_fmu(file, fmi_type=kind, output_interval=float(sys.argv[3]), relative_tolerance=1e-9)
    result["runs"][kind] = {n: r[n].tolist() for n in r.dtype.names}
print(json.dumps(result))
"""
    for experiment, interval, tolerance in (("arm.yaml", "0.05", 1e-5), ("controlled.yaml", "0.05", 1e-5),
                                            ("four-bar.yaml", "0.1", 1e-5), ("stops.yaml", "0.05", 1e-4), ("source-stops.yaml", "0.05", 1e-4),
                                            ("loop-stops.yaml", "0.05", 1e-4), ("sampled.yaml", "0.05", 1e-5),
                                            ("formulas.yaml", "0.05", 1e-5), ("friction.yaml", "0.05", 1e-4),
                                            ("compensated.yaml", "0.05", 1e-6), ("swinging-loop.yaml", "0.1", 1e-5),
                                            ("events.yaml", "0.05", 1e-5), ("ending.yaml", "0.05", 1e-5),
                                            ("flexible.yaml", "0.05", 1e-4), ("platform.yaml", "0.05", 1e-5),
                                            ("elements.yaml", "0.05", 1e-4), ("sensed.yaml", "0.05", 1e-4),
                                            ("sensed-loop.yaml", "0.05", 1e-5),
                                            ("pick-and-place.yaml", "0.1", 1e-5)):
        for version in ("2", "3"):
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "unit.fmu"
                made = write(ulna, experiment, file, "--fmi", version)
                kinds = "CoSimulation" + (",ModelExchange" if made["model_exchange"] else "")
                run = Run(ulna, HERE / "experiments" / experiment, folder)
                done = subprocess.run([python, "-c", script, file, kinds, interval],
                                      capture_output=True, text=True)
                title = f"{experiment} FMI {version} in FMPy"
                expect(done.returncode == 0, f"{title}: {done.stderr[-600:]}")
                if done.returncode != 0:
                    continue
                result = json.loads(done.stdout.splitlines()[-1])
                expect(not result["problems"], f"{title}: {result['problems']}")
                for kind, columns in result["runs"].items():
                    compare_all(run, columns, tolerance, float(interval), f"{title} {kind}")


def compare_all(run, columns, tolerance, interval, title):
    """Every channel at every recorded time. Where an event happens at such a time FMPy records both sides of it;
    `simulate` records what is before, the first of them."""
    chosen = [n for n in columns if n != "time" and n.removesuffix(".now") in run.names]
    expect(bool(chosen), f"{title}: no channel is compared")
    worst, compared = 0.0, 0
    for k, t in enumerate(run.t):
        at = next((i for i, x in enumerate(columns["time"]) if abs(x - t) < 1e-9), None)
        if at is None:
            continue
        compared += 1
        worst = max(worst, near([columns[n][at] for n in chosen],
                                run.row(k, [n.removesuffix(".now") for n in chosen]), tolerance, f"{title}, t = {t}"))
    # FMPy may record the end of a run that an event ends at the end of the step.
    times = len(run.t) - (abs(run.t[-1] / interval - round(run.t[-1] / interval)) > 1e-6)
    expect(compared >= 0.9 * times, f"{title}: only {compared} of {len(run.t)} times are compared")
    print(f"{title}: {worst:.2g} over {compared} times and {len(chosen)} channels")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("ulna")
    parser.add_argument("--fmpy")
    given = parser.parse_args()
    if given.fmpy and pathlib.Path(given.fmpy).exists():
        witness(given.ulna, given.fmpy)
    elif given.fmpy:
        print("FMPy is out of reach: its witness is left out")
    else:
        outside_python(given.ulna)
        all_cases(given.ulna)
    sys.exit(1 if failures else 0)
