#!/usr/bin/env python3
"""Every system call by which a command writes fails, or kills the process, one after the other.

    faults.py ULNA [--case NAME] [--every N]

A command is run once under strace to count its calls that change files. Then it is run again for each of them, with
that one call failing (no space, input/output error) or killing the process. Afterwards
  - files of the user are as they were,
  - the result is the earlier one or the new one, never a mixture, and the new one whenever the command says so,
  - the same command, run again, gives the new result (a simulation resumed gives the same bytes).
Prints the number of faults injected for each command; exits with 1 at the first broken promise, 77 without strace.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CALLS = ("openat,write,pwrite64,writev,rename,renameat,renameat2,fsync,fdatasync,close,unlink,unlinkat,mkdir,rmdir,"
         "ftruncate")
ERRORS = {"write": "ENOSPC", "pwrite64": "ENOSPC", "writev": "ENOSPC", "fsync": "EIO", "openat": "EMFILE",
          "mkdir": "EACCES"}
# Closing a file that was read, or removing what is already superseded, may fail without harm: the promises
# above hold all the same and are checked; only the exit status is free.

EXPERIMENT = """experiment: 1
name: fall
robot: puma560
duration: 0.5 s
drives: {all: free}
start: {q: [0.1, -0.4, 0.3, 0.2, 0.5, -0.1]}
record: {interval: 5 ms}
"""

MOVE = """experiment: 1
name: move
robot: puma560
duration: 1 s
motions: {joint1: sin(t), joint2: 0.2*t}
payloads: [{name: tool, body: link6, mass: 2}]
record: {interval: 10 ms}
"""

STUDY = """study: 1
experiment: move.yaml
parameters: [{name: m, path: payloads.tool.mass, uniform: {from: 1, to: 2}}]
sampling: {count: 12}
run: inverse
measures: {peak: {take: largest, of: abs(tau.joint2)}}
constraints: [peak <= 80]
store: [tau.joint1]
"""


class Case:
    def __init__(self, name, command, target, again=None, before=None, separate=False):
        self.name, self.command, self.target = name, command, target
        self.again, self.before, self.separate = again or command, before, separate


CASES = [
    Case("simulate", ["simulate", "fall.yaml", "-o", "run"], "run",
         again=["simulate", "fall.yaml", "-o", "run", "--resume"]),
    Case("replace", ["simulate", "fall.yaml", "-o", "run"], "run", before="old run",
         again=["simulate", "fall.yaml", "-o", "run"]),
    Case("sweep", ["sweep", "study.yaml", "-o", "out", "--csv", "--threads", "1"], "out",
         again=["sweep", "study.yaml", "-o", "out", "--csv", "--threads", "1", "--resume"]),
    Case("sweep again", ["sweep", "study.yaml", "-o", "out", "--threads", "1"], "out", before="old study",
         again=["sweep", "study.yaml", "-o", "out", "--threads", "1", "--resume"]),
    Case("inverse", ["inverse", "move.yaml", "-o", "torques"], "torques"),
    Case("report", ["report", "given", "-o", "page.html"], "page.html", before="given run"),
    Case("plot", ["plot", "given", "-o", "picture.svg"], "picture.svg", before="given run"),
    Case("generate", ["generate", "puma560", "--function", "inverse", "--language", "c", "-o", "model"], "model",
         separate=True),
]

CHANGING = re.compile(rb'"(started|ended|evaluations|date|host|wall|cpu|directory|command|samples_per)[a-z_]*": '
                      rb'*("[^"]*"|[-0-9.e+]+)')


def usual(text):
    """A file's text without what differs between two runs of the same command: times of day and durations."""
    return CHANGING.sub(b"", text)


def content(path):
    if path.is_dir():
        return {p.relative_to(path).as_posix(): usual(p.read_bytes()) for p in sorted(path.rglob("*")) if p.is_file()}
    return usual(path.read_bytes()) if path.exists() else None


class Bench:
    def __init__(self, ulna, every):
        self.ulna, self.every, self.count = ulna, every, 0

    def run(self, folder, command, injection=None):
        words = [self.ulna, *command]
        if injection:
            words = ["strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", f"trace={CALLS}", "-e",
                     f"inject={injection}", *words]
        return subprocess.run(words, cwd=folder, capture_output=True, timeout=120)

    def prepared(self, case, parent):
        folder = pathlib.Path(tempfile.mkdtemp(dir=parent))
        (folder / "fall.yaml").write_text(EXPERIMENT)
        (folder / "move.yaml").write_text(MOVE)
        (folder / "study.yaml").write_text(STUDY)
        for name in ("notes.txt", f"{case.target}.old", f"{case.target}.bak"):
            (folder / name).write_text("mine\n")
        if case.before == "old run":
            (folder / "other.yaml").write_text(EXPERIMENT.replace("0.1, -0.4", "0.7, -0.2"))
            done = self.run(folder, ["simulate", "other.yaml", "-o", "run"])
            assert done.returncode == 0, done.stderr.decode()
        if case.before == "old study":
            (folder / "study.yaml").write_text(STUDY.replace("12", "3"))
            done = self.run(folder, ["sweep", "study.yaml", "-o", "out", "--threads", "1"])
            assert done.returncode == 0, done.stderr.decode()
            (folder / "study.yaml").write_text(STUDY)
        if case.before == "given run":
            done = self.run(folder, ["simulate", "fall.yaml", "-o", "given"])
            assert done.returncode == 0, done.stderr.decode()
        return folder

    def calls(self, case, parent):
        """The calls that change files: (name, number among the calls of that name)."""
        folder = self.prepared(case, parent)
        trace = folder.parent / (folder.name + ".trace")
        subprocess.run(["strace", "-f", "--seccomp-bpf", "-qq", "-o", str(trace), "-e", f"trace={CALLS}", self.ulna, *case.command],
                       cwd=folder, capture_output=True, check=True, timeout=120)
        number, found, open_for_writing = {}, [], set()
        for line in trace.read_text(errors="replace").splitlines():
            match = re.match(r"\d+ +(\w+)\((.*)\) += (-?\d+)", line)
            if not match:
                continue
            name, arguments, result = match.groups()
            number[name] = number.get(name, 0) + 1
            first = arguments.split(",")[0]
            if name == "openat":
                if "O_WRONLY" in arguments or "O_RDWR" in arguments:
                    open_for_writing.add(result)
                    found.append((name, number[name]))
            elif name in ("write", "pwrite64", "writev", "fsync", "fdatasync", "close", "ftruncate"):
                if first in open_for_writing:
                    found.append((name, number[name]))
                    if name == "close":
                        open_for_writing.discard(first)
            else:
                found.append((name, number[name]))
        return content(folder / case.target), found

    def check(self, case, parent, new, call, number, action):
        folder = self.prepared(case, parent)
        mine = {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file() and p.name != case.target}
        old = content(folder / case.target)
        done = self.run(folder, case.command, f"{call}:{action}:when={number}")
        self.count += 1
        where = f"{case.name}: {call} number {number} with {action}"
        for name, text in mine.items():
            if not (folder / name).exists() or (folder / name).read_bytes() != text:
                return f"{where}: the user's file {name} is gone or changed"
        now = content(folder / case.target)
        killed = "SIGKILL" in action
        if not killed and done.returncode not in (0, 1, 2, 3, 4):
            return f"{where}: the program ended with {done.returncode}\n{done.stderr.decode()[-2000:]}"
        if not killed and done.returncode == 0 and self.meant(now) != self.meant(new):
            return f"{where}: the program reports success, but the result is not the new one"
        if not killed and done.returncode != 0 and not done.stderr.strip():
            return f"{where}: the program fails without a message"
        if not self.whole(case, now, old, new):
            return f"{where}: {case.target} is neither the earlier result nor the new one"
        again = self.run(folder, case.again)
        if again.returncode != 0:
            again = self.run(folder, case.command)
        if again.returncode != 0:
            return f"{where}: the command does not work afterwards\n{again.stderr.decode()[-2000:]}"
        if self.meant(content(folder / case.target)) != self.meant(new):
            return f"{where}: the command run again gives another result"
        shutil.rmtree(folder)
        return None

    def whole(self, case, now, old, new):
        """A run is the earlier or the new one; of a folder of separate files each is whole."""
        if self.meant(now) in (self.meant(old), self.meant(new)):
            return True
        return case.separate and all(text in ((old or {}).get(name), new.get(name))
                                     for name, text in (self.meant(now) or {}).items())

    @staticmethod
    def meant(result):
        """The files of a result that count: what a killed process leaves under a name of its own is none of them."""
        if not isinstance(result, dict):
            return result
        own = ("lock", "checkpoint.json", "samples.bin", "extra.bin")
        return {name: text for name, text in result.items() if name not in own and ".partial-" not in name} or None

    def case(self, case):
        with tempfile.TemporaryDirectory(prefix="ulna-faults-") as parent:
            new, calls = self.calls(case, parent)
            before = self.count
            for call, number in calls[::self.every]:
                for action in (f"error={ERRORS.get(call, 'EIO')}", "signal=SIGKILL"):
                    broken = self.check(case, parent, new, call, number, action)
                    if broken:
                        print(broken)
                        return False
            print(f"{case.name}: {self.count - before} faults in {len(calls)} calls that change files")
        return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ulna")
    parser.add_argument("--case", action="append", help="only this one (may be repeated)")
    parser.add_argument("--every", type=int, default=1, help="only every N-th call")
    given = parser.parse_args()
    if not shutil.which("strace"):
        print("strace is not installed (tools/install-packages test)")
        return 77
    bench = Bench(str(pathlib.Path(given.ulna).resolve()), given.every)
    good = all([bench.case(case) for case in CASES if not given.case or case.name in given.case])
    print(json.dumps({"faults": bench.count}))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
