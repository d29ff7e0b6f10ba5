"""Published MuJoCo models against numbers of MuJoCo that were computed with them.

    published_mjcf.py ULNA SHARED

SHARED is a folder with robots/mjcf/*.xml and reference/mjcf_robots.json: joints, a posture, speeds, the mass matrix
and the bias of each model. Status 77 where the folder is absent. The trees are compared: their equalities are taken
out, because the postures do not close them. A body whose mass comes from a mesh file that is not there is left
out with the joints that move it.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

try:
    import numpy as np
except ImportError:
    if __name__ != "__main__" or sys.executable == "/usr/bin/python3" or not os.access("/usr/bin/python3", os.X_OK):
        raise
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])  # that of the system has it


def ask(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def text(numbers):
    return ",".join(repr(float(x)) for x in numbers)


def opened(file, folder):
    """The model without its equalities, and without what MuJoCo's bias leaves out: dampers, springs, friction."""
    root = ET.parse(file).getroot()
    for section in root.findall("equality"):
        root.remove(section)
    for joint in root.iter("joint"):
        for force in ("damping", "stiffness", "frictionloss"):
            joint.attrib.pop(force, None)
    copy = pathlib.Path(folder) / pathlib.Path(file).name
    ET.ElementTree(root).write(copy)
    return copy


def rotation(w, x, y, z):
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


class SameState:
    """Coordinates, speeds and T with v_mujoco = T v: joints are in the same order in both."""

    def __init__(self, reference):
        qpos, qvel = reference["qpos"], np.array(reference["qvel"])
        self.q, self.v, blocks, self.bias = [], [], [], np.zeros(len(qvel))
        at, to = 0, 0
        for joint in reference["joints"]:
            if joint["type"] == "free":
                place, turn = qpos[at:at + 3], np.array(qpos[at + 3:at + 7])
                turn /= np.linalg.norm(turn)
                R = rotation(*turn)
                along, w = R.T @ qvel[to:to + 3], qvel[to + 3:to + 6]
                self.q += [*turn, *place]
                self.v += [*w, *along]
                block = np.zeros((6, 6))
                block[:3, 3:], block[3:, :3] = R, np.eye(3)
                blocks.append(block)
                self.bias[to:to + 3] = R @ np.cross(w, along)  # dT/dt v
                at, to = at + 7, to + 6
            elif joint["type"] == "ball":
                turn = np.array(qpos[at:at + 4])
                self.q += list(turn / np.linalg.norm(turn))
                self.v += list(qvel[to:to + 3])
                blocks.append(np.eye(3))
                at, to = at + 4, to + 3
            else:
                self.q.append(qpos[at])
                self.v.append(qvel[to])
                blocks.append(np.eye(1))
                at, to = at + 1, to + 1
        self.T = np.zeros((to, to))
        row = 0
        for block in blocks:
            n = len(block)
            self.T[row:row + n, row:row + n] = block
            row += n


def joints_of_unknown_mass(ulna, file):
    """Joints that move a body whose mesh file is absent."""
    notes = [str(note) for note in ask(ulna, "check", file, "--json")["changed"]]
    joints = ask(ulna, "info", file, "--json")["joints"]
    above = {joint["child"]: joint for joint in joints}
    affected = set()
    for body in above:
        if any(f"'{body}'" in note and "mass" in note for note in notes):
            while body in above:
                affected.add(above[body]["name"])
                body = above[body]["parent"]
    return affected, [joint for joint in joints if joint["dof"] > 0]


def compare(ulna, file, reference):
    """The largest difference of mass matrix and bias, relative to their largest entry."""
    affected, joints = joints_of_unknown_mass(ulna, file)
    same = SameState(reference)
    known = np.concatenate([np.full(joint["dof"], joint["name"] not in affected) for joint in joints])
    assert len(known) == len(same.v) and known.sum() >= 4, (len(known), known.sum())
    zero = text(np.zeros(len(same.v)))
    M = np.array(ask(ulna, "mass", file, "--q", text(same.q), "--json")["M"])
    tau = np.array(ask(ulna, "inverse", file, "--q", text(same.q), "--v", text(same.v), "--a", zero, "--json")["tau"])
    M_theirs = np.array(reference["M"])
    tau_theirs = same.T.T @ (M_theirs @ same.bias + reference["qfrc_bias"])
    M_theirs = same.T.T @ M_theirs @ same.T

    def difference(ours, theirs):
        return np.abs(ours - theirs).max() / np.abs(theirs).max()

    return (difference(M[np.ix_(known, known)], M_theirs[np.ix_(known, known)]),
            difference(tau[known], tau_theirs[known]), known)


if __name__ == "__main__":
    ulna, shared = sys.argv[1], pathlib.Path(sys.argv[2])
    numbers = shared / "reference" / "mjcf_robots.json"
    if not numbers.exists():
        print(f"{shared} is absent: published models are left out")
        sys.exit(77)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for name, reference in json.loads(numbers.read_text())["robots"].items():
            mass, bias, known = compare(ulna, opened(shared / "robots" / "mjcf" / name, folder), reference)
            print(f"{name}: mass matrix {mass:.2g}, bias {bias:.2g} over {known.sum()} of {len(known)} speeds")
            failed |= not (mass < 1e-12 and bias < 1e-12)  # the numbers have fifteen digits
    sys.exit(1 if failed else 0)
