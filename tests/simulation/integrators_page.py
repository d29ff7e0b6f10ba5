"""Each cell of the table of integrators and features in docs/theory/simulation.md against the program.

    integrators_page.py ULNA PAGE [--only WORD]

Every feature is run on an arm and on a four-bar with every integrator. A cell says on which of the two it works:
"yes" on both, "trees" or "loops" on one of them, "-" on neither. Where it works the run ends at the same state as
with dop853 at a tight tolerance, and its energy is balanced; where it does not, the program says why and ends with
status 2.
"""

import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

COLUMNS = {
    "automatic": {"rtol": 1e-9},
    "dormand-prince": {"rtol": 1e-9},
    "dop853": {"rtol": 1e-9},
    "radau5": {"rtol": 1e-9},
    "sundials-erk": {"rtol": 1e-9},
    "sundials-bdf": {"rtol": 1e-9},
    "ida": {"rtol": 1e-9},
    "rk4": {"step": 2e-4},
    "semi-implicit": {"step": 1e-4},
    "symplectic": {"step": 2e-4},
}
# Of the state at the end: errors of the tolerance, of order one for semi-implicit and two for symplectic.
BOUND = {"rk4": 1e-5, "semi-implicit": 5e-2, "symplectic": 1e-4}
PATIENCE = 60  # s

HINGE = {"type": "revolute", "axis": [0, 0, 1]}


def arm(loop):
    """Two links in a plane, hanging; with `loop` a rocker closes them to a four-bar."""
    bodies = [
        {"name": "upper", "mass": 1.2, "centre": [0.1, 0, 0], "inertia": [0.001, 0.006, 0.006]},
        {"name": "fore", "mass": 0.9, "centre": [0.2, 0.04, 0], "inertia": [0.001, 0.012, 0.0125]},
    ]
    joints = [
        {"name": "shoulder", "parent": "world", "child": "upper", "damping": 0.02, **HINGE},
        {"name": "elbow", "parent": "upper", "child": "fore", "at": [0.2, 0, 0], "damping": 0.01, **HINGE},
    ]
    if loop:
        bodies.append({"name": "rocker", "mass": 0.6, "centre": [0.15, 0, 0], "inertia": [0.0001, 0.0045, 0.0045]})
        joints += [
            {"name": "pivot", "parent": "world", "child": "rocker", "at": [0.35, 0, 0], **HINGE},
            {"name": "pin", "parent": "fore", "child": "rocker", "at": [0.4, 0, 0], "child_at": [-0.3, 0, 0], "cut": True, **HINGE},
        ]
    return {"ulna": 1, "name": "arm", "gravity": [0, -9.81, 0], "bodies": bodies, "joints": joints,
            "frames": [{"name": "tip", "body": "fore", "at": [0.4, 0, 0]}]}


def named(robot, kind, name):
    return next(item for item in robot[kind] if item["name"] == name)


def floating(robot):
    """On a floating base, with a ball joint at its end."""
    robot["bodies"] += [{"name": "base", "mass": 5, "inertia": [0.2, 0.3, 0.25]},
                        {"name": "bob", "mass": 0.3, "centre": [0, -0.1, 0], "inertia": [0.001, 0.001, 0.001]}]
    for joint in robot["joints"]:
        if joint["parent"] == "world":
            joint["parent"] = "base"
    robot["joints"] += [{"name": "float", "type": "free", "parent": "world", "child": "base"},
                        {"name": "ball", "type": "spherical", "parent": "fore", "child": "bob", "at": [0.3, 0, 0]}]


def rubbing(robot):
    named(robot, "joints", "shoulder")["friction"] = 0.4
    named(robot, "joints", "elbow")["friction"] = 0.1


def limited(robot):
    named(robot, "joints", "shoulder")["limits"] = {"lower": 0.3, "upper": 2}


def loose(robot):
    named(robot, "joints", "elbow")["spring"] = {"stiffness": 40, "backlash": 0.05}


def elements(robot):
    robot["elements"] = [{"name": "strut", "type": "spring-damper", "from": {"body": "world", "point": [0, 0.3, 0]},
                          "to": "tip", "free_length": 0.3, "stiffness": 60, "damping": 2}]


def bending(robot):
    """The second link is a strip of aluminium."""
    fore = named(robot, "bodies", "fore")
    fore.clear()
    flexible = {"modes": {"bending_y": 1, "bending_z": 0}, "damping": 0.02}
    if len(robot["bodies"]) > 2:
        flexible["family"] = "pinned-pinned"
    fore.update({"name": "fore", "beam": {"length": 0.4, "mass_per_length": 1.5, "EI": 12, "flexible": flexible}})


def sled(robot):
    """Beside the arm a sled with a blade."""
    robot["bodies"].append({"name": "sled", "mass": 2, "centre": [0.1, 0, 0], "inertia": [0.1, 0.1, 0.1]})
    robot["joints"].append({"name": "snow", "type": "planar", "parent": "world", "child": "sled"})


PD = {"law": "pd", "kp": 20, "kd": 1}
CONTROLLED = {"motions": {"shoulder": "1 + 0.3*sin(4*t)"}, "drives": {"shoulder": "controller"}}
TOUCHING = {"contacts": [{"name": "tip", "frame": "tip", "friction": 0.3, "restitution": 0.2,
                          "plane": {"point": [0, -0.1, 0], "normal": [0, 1, 0]}}]}

# Title of the row: what it adds to the experiment, and to the robot.
ROWS = {
    "free motion": ({}, None),
    "ball joints, floating bases": ({"start": {"q": {"shoulder": 1}, "v": {"float": [0.3, 1, 2, 0.1, 0, 0]}}}, floating),
    "prescribed motions": ({"motions": {"shoulder": "1 + 0.3*sin(4*t)"}}, None),
    "effort formulas": ({"drives": {"shoulder": {"effort": "-4*q.shoulder - v.shoulder + sin(9*t)"}}}, None),
    "wrenches": ({"wrenches": [{"body": "fore", "force": ["2*cos(5*t)", 1, 0], "point": [0.2, 0, 0]}]}, None),
    "force elements": ({}, elements),
    "controllers, continuous": ({**CONTROLLED, "controllers": [PD]}, None),
    "controllers, sampled with delay": ({**CONTROLLED, "controllers": [{**PD, "rate": 200, "delay": 2e-3}]}, None),
    "sensors with noise": ({**CONTROLLED, "controllers": [{**PD, "rate": 200, "sensors": "all"}],
                            "sensors": [{"encoder": "shoulder", "rate": 200, "noise": 1e-4, "resolution": 1e-4}]}, None),
    "actuators with states": ({**CONTROLLED, "controllers": [{**PD, "rate": 200}],
                               "actuators": {"shoulder": {"kind": "dc", "resistance": 1, "inductance": 5e-3, "torque_constant": 0.1,
                                                          "voltage_limit": 48, "bandwidth": 600, "gear": {"ratio": 20}}}}, None),
    "springs with play": ({"duration": 0.3}, loose),
    "dry friction of joints": ({}, rubbing),
    "joint stops": ({"stops": {"restitution": 0.4}}, limited),
    "contacts": (TOUCHING, None),
    "rolling, blades": ({"nonholonomic": [{"name": "blade", "knife_edge": {"body": "sled", "directions": [0, 1, 0]}}],
                         "start": {"q": {"shoulder": 1}, "v": {"snow": [1, 0, 2]}}}, sled),
    "flexible bodies": ({}, bending),
    "contacts of flexible bodies": (TOUCHING, bending),
    "other elastic levels": ({"elastic": "consistent"}, bending),
    "events": ({"events": [{"at": 0.05, "do": {"pick": {"name": "part", "body": "fore", "mass": 0.5, "at": [0.4, 0, 0]}}},
                           {"when": "frame.tip.y", "passes": -0.02, "do": {"release": "part"}, "once": True, "after": "event1"},
                           {"at": 0.2, "do": {"drive": {"shoulder": {"effort": 0.5}}}}]}, None),
    "dense records": ({"record": {"interval": 0.01, "interpolate": True, "channels": ["q"]}}, None),
}
OPTIONS = {"trees": False, "loops": True}


class Runs:
    def __init__(self, ulna, folder):
        self.ulna, self.folder, self.wrong = ulna, pathlib.Path(folder), []

    def run(self, title, loop, method, settings):
        changes, robot_changes = ROWS[title]
        robot = arm(loop)
        if robot_changes:
            robot_changes(robot)
        (self.folder / "arm.yaml").write_text(json.dumps(robot))
        experiment = {"experiment": 1, "robot": "arm.yaml", "duration": 0.4, "start": {"q": {"shoulder": 1}},
                      "record": {"interval": 0.1, "channels": ["q"]}, **changes, "integrator": {"method": method, **settings}}
        (self.folder / "e.yaml").write_text(json.dumps(experiment))
        try:
            return subprocess.run([self.ulna, "simulate", str(self.folder / "e.yaml"), "--json"], capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess([], -1, "", f"no end within {PATIENCE} s")

    def works(self, title, loop, method, reference):
        """Whether it ends, at the state of the reference; complaints go to `wrong`."""
        what = f"{title}, {'loop' if loop else 'tree'}, {method}"
        done = self.run(title, loop, method, COLUMNS[method])
        if done.returncode == 2:
            if len(done.stderr.strip()) < 20:
                self.wrong.append(f"{what}: refused without a reason")
            return False
        if done.returncode != 0:
            self.wrong.append(f"{what}: {done.stderr.strip()[-300:]}")
            return None
        end = state(done)
        error = max(abs(a - b) / (1 + abs(b)) for a, b in zip(end, reference))
        if not error < BOUND.get(method, 2e-6):
            self.wrong.append(f"{what}: ends {error:.2g} from the reference")
        return True

    def row(self, title, methods):
        cells = {method: [] for method in methods}
        for kind, loop in OPTIONS.items():
            tight = self.run(title, loop, "dop853", {"rtol": 1e-12})
            if tight.returncode != 0:
                self.wrong.append(f"{title}, {kind}: the reference fails: {tight.stderr.strip()[-300:]}")
                continue
            reference = state(tight)
            if not all(map(math.isfinite, reference)):
                self.wrong.append(f"{title}, {kind}: the reference is not finite")
            for method in methods:
                if self.works(title, loop, method, reference):
                    cells[method].append(kind)
        return {m: {0: "-", 1: "".join(found), 2: "yes"}[len(found)] for m, found in cells.items()}


def state(done):
    final = json.loads(done.stdout)["final"]
    return final["q"] + final["v"]


def table_of(page):
    """Rows of the table whose header begins with `feature`."""
    lines = iter(pathlib.Path(page).read_text().splitlines())
    header = next(line for line in lines if line.startswith("| feature"))
    columns = [cell.strip() for cell in header.strip("|").split("|")][1:]
    found = {}
    for line in lines:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not re.fullmatch(r":?-+:?", cells[0]):
            found[cells[0]] = dict(zip(columns, cells[1:]))
    return columns, found


def main():
    ulna, page = sys.argv[1], sys.argv[2]
    only = sys.argv[4] if len(sys.argv) > 4 and sys.argv[3] == "--only" else ""
    columns, shown = table_of(page)
    # Methods that share a column of the page share its cells.
    methods = {method: column for column in columns for method in re.split(r",\s*|<br>", column)}
    if set(methods) != set(COLUMNS):
        sys.exit(f"the columns of {page} are {sorted(methods)}; expected {sorted(COLUMNS)}")
    if set(shown) != set(ROWS):
        sys.exit(f"the rows of {page} differ from {sorted(ROWS)}: {sorted(set(shown) ^ set(ROWS))}")
    version = subprocess.run([ulna, "simulate", "--help"], capture_output=True, text=True)
    if version.returncode != 0:
        sys.exit("the program does not run")
    with tempfile.TemporaryDirectory() as folder:
        runs, count = Runs(ulna, folder), 0
        for title in ROWS:
            if only not in title:
                continue
            for method, cell in runs.row(title, list(methods)).items():
                count += 1
                said = shown[title][methods[method]]
                if cell != said:
                    runs.wrong.append(f"{title}, {method}: the page says '{said}', the program '{cell}'")
    print(f"{count} cells compared")
    if runs.wrong:
        sys.exit("\n".join(runs.wrong))


if __name__ == "__main__":
    main()
