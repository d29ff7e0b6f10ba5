"""Each row of the table in docs/formats.md against the program.

    formats_page.py ULNA PAGE

A small robot with the element of the row is written in every format and read again. A cell "R W" means that
nothing is lost and the element comes back, "-" that a loss is listed, other cells with a W that the file is
written and can be read.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

FORMATS = {"robot file": "yaml", "URDF": "urdf", "MJCF": "xml", "SDF": "sdf"}
BODY = "{name: a, mass: 2, centre: [0.1, 0, 0.02], inertia: [0.1, 0.2, 0.15]}"
OTHER = "{name: b, mass: 1, centre: [0, 0.1, 0], inertia: [0.05, 0.06, 0.07]}"


def robot(*joints, bodies=(BODY,), more=""):
    lines = ["ulna: 1", "name: r", "bodies:"] + [f"  - {body}" for body in bodies]
    lines += ["joints:"] + [f"  - {joint}" for joint in joints]
    return "\n".join(lines) + "\n" + more


def joint(type_, extra="", name="j", parent="world", child="a"):
    return f"{{name: {name}, type: {type_}, parent: {parent}, child: {child}{extra}}}"


HINGE = joint("revolute", ", axis: [0, 1, 0]")
SECOND = joint("revolute", ", axis: [0, 1, 0], at: [1, 0, 0]", "k", "a", "b")


def closed(type_, extra=""):
    """A chain that a joint of this type closes at zero coordinates."""
    return robot(HINGE, joint("free", "", "k", "world", "b"), joint(type_, extra + ", cut: true", "c", "a", "b"),
                 bodies=(BODY, OTHER))


# Title of the row: the robot, and what its file says again after a journey.
ROWS = {
    "bodies with mass, centre, inertia": (robot(HINGE), r"mass: 2"),
    "revolute, prismatic, fixed": (
        robot(HINGE, joint("prismatic", ", axis: [1, 0, 0]", "k", "a", "b"),
              joint("fixed", ", at: [0, 0, 1]", "l", "b", "c"),
              bodies=(BODY, OTHER, OTHER.replace("name: b", "name: c"))), r"prismatic"),
    "free": (robot(joint("free")), r"free"),
    "spherical": (robot(joint("spherical")), r"spherical"),
    "universal": (robot(joint("universal", ", axis: [1, 0, 0], axis2: [0, 1, 0]")), r"universal"),
    "cylindrical, planar": (robot(joint("cylindrical"), joint("planar", "", "k", "a", "b"), bodies=(BODY, OTHER)),
                            r"cylindrical"),
    "screw": (robot(joint("screw", ", pitch: 0.1")), r"screw"),
    "sphere in groove": (robot(joint("sphere-in-groove")), r"groove"),
    "loop closed by a hinge": (closed("revolute", ", axis: [0, 1, 0]"), r"name: c\b"),
    "loop closed by a ball, a fixed joint": (closed("spherical"), r"name: c\b"),
    "loop closed by a slide, a universal joint": (closed("prismatic", ", axis: [1, 0, 0]"), r"name: c\b"),
    "loop closed by a cylindrical or planar joint": (closed("cylindrical"), r"name: c\b"),
    "loop closed by a screw": (closed("screw", ", pitch: 0.1"), r"name: c\b"),
    "rods (`distance`)": (
        robot(HINGE, SECOND, bodies=(BODY, OTHER),
              more="constraints:\n  - {name: rod, type: distance, parent: world, child: b, length: 1}\n"), r"distance"),
    "couplings": (
        robot(HINGE, SECOND, bodies=(BODY, OTHER),
              more="constraints:\n  - {name: gear, type: coupling, terms: [{joint: j, factor: 1}, {joint: k, factor: 2}]}\n"), r"coupling"),
    "couplings with polynomials": (
        robot(HINGE, SECOND, bodies=(BODY, OTHER),
              more="constraints:\n  - {name: cam, type: coupling, "
              "terms: [{joint: k, factor: -1}, {joint: j, polynomial: [1, 0.5]}]}\n"), r"polynomial"),
    "`mimic`": (robot(HINGE, SECOND[:-1] + ", mimic: {joint: j, multiplier: 2}}", bodies=(BODY, OTHER)), r"mimic"),
    "position limits, effort limits": (robot(HINGE[:-1] + ", limits: {lower: -1, upper: 2, effort: 5}}"), r"effort: 5"),
    "velocity limits": (
        robot(HINGE[:-1] + ", limits: {lower: -1, upper: 2, effort: 5, velocity: 3}}"), r"velocity: 3"),
    "damping, friction": (robot(HINGE[:-1] + ", damping: 0.5, friction: 0.25}"), r"friction: 0.25"),
    "springs": (robot(HINGE[:-1] + ", spring: {stiffness: 7, rest: 0.5}}"), r"stiffness: 7"),
    "springs of ball joints": (
        robot(joint("spherical"), more="elements:\n  - {name: s, type: torsion, from: {body: world}, to: {body: a}, "
              "axis: any, stiffness: 8}\n"), r"axis: any"),
    "hardening, play of springs": (robot(HINGE[:-1] + ", spring: {stiffness: 7, hardening: 3}}"), r"hardening"),
    "rotor inertia": (robot(HINGE[:-1] + ", rotor: {inertia: 0.25}}"), r"inertia: 0.25"),
    "spring-dampers between points, springs along joints": (
        robot(HINGE, more="elements:\n  - {name: s, type: spring-damper, from: {body: world, at: [0, 0, 1]}, "
              "to: {body: a, at: [1, 0, 0]}, stiffness: 5, damping: 2, free_length: 0.5}\n"), r"spring-damper"),
    "other force elements": (
        robot(HINGE, more="elements:\n  - {name: s, type: actuator, from: {body: world, at: [0, 0, 1]}, "
              "to: {body: a, at: [1, 0, 0]}}\n"), r"actuator"),
    "payloads": (robot(HINGE, more="payloads:\n  - {name: load, body: a, mass: 1}\n"), r"load"),
    "frames": (robot(HINGE, more="frames:\n  - {name: tool, body: a, at: [0, 0, 1]}\n"), r"tool"),
    "postures": (robot(HINGE, more="postures:\n  - {name: home, q: {j: 0.5}}\n"), r"home"),
    "gravity": (robot(HINGE, more="gravity: [0, 0, -1.62]\n"), r"1\.62"),
}
# Meshes and shapes need files and drawings, flexible bodies a beam: tests/formats has tests of these.
ELSEWHERE = {"masses from shapes, surfaces and meshes", "flexible bodies", "shapes"}


def table(page):
    rows, heads = {}, None
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else None
        if cells and cells[0] == "element":
            heads = cells[1:]
        elif heads and cells and not set(cells[0]) <= set("-"):
            rows[cells[0]] = dict(zip(heads, cells[1:]))
        elif heads and not cells:
            break
    return rows


def ask(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True)


def check(ulna, folder, title, cell, ending):
    """What is wrong with one cell, or nothing."""
    text, probe = ROWS[title]
    file = folder / "given.yaml"
    file.write_text(text)
    out = folder / f"written.{ending}"
    done = ask(ulna, "convert", file, "-o", out, "--json")
    if done.returncode != 0:
        return f"is not written: {done.stderr.strip()}"
    lost = json.loads(done.stdout)["lost"]
    if cell.startswith("-"):
        return None if lost else "is marked as lost, and nothing is listed"
    if "W" not in cell and "part of" not in cell:
        return None if lost else "is not marked as written, and nothing is listed"
    if ending == "sdf" and "without libsdformat" in ask(ulna, "info", out).stderr:
        return None
    back = ask(ulna, "convert", out, "-o", folder / "again.yaml", "--json")
    if back.returncode != 0:
        return f"cannot be read again: {back.stderr.strip()}"
    if cell != "R W":
        return None
    if lost:
        return f"is marked R W, and is lost: {lost}"
    if not re.search(probe, (folder / "again.yaml").read_text()):
        return f"is marked R W, and does not come back ({probe})"
    return None


if __name__ == "__main__":
    rows = table(pathlib.Path(sys.argv[2]))
    failed = [f"{title}: no such row" for title in ROWS if title not in rows]
    failed += [f"{title}: no robot for this row" for title in rows if title not in ROWS and title not in ELSEWHERE]
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for title in ROWS:
            for head, ending in FORMATS.items():
                if title not in rows:
                    continue
                count += 1
                wrong = check(sys.argv[1], pathlib.Path(folder), title, rows[title][head], ending)
                if wrong:
                    failed.append(f"{title}, {head} ({rows[title][head]}): {wrong}")
    print("\n".join(failed) or f"{count} cells hold")
    sys.exit(1 if failed else 0)
