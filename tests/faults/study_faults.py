#!/usr/bin/env python3
"""A study gives the same file for any number of threads and processes, and survives what kills it.

    study_faults.py ULNA [--ranks N]

Runs one study by one thread; by several threads; by processes of mpirun; killed with SIGKILL (a worker, rank 0, all)
and resumed by another number of processes; interrupted; with a disk that is full, of one process, of rank 0 and of another rank. Every time results.h5 is the same, byte by byte.
Exits with 1 at the first broken promise.
"""
import argparse
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

STUDY = """study: 1
robot: t3r3-frame
parameters:
  - {name: payload, path: payloads.gripper.mass, normal: {mean: 25, deviation: 5, least: 0}}
  - {path: q.joint2, uniform: {from: -0.5, to: 1}}
  - {name: outer, path: beams.tube.section.outer, uniform: {from: 0.10, to: 0.2}}
sampling: {method: latin-hypercube, count: %d}
run:
  - modes: {locked: all, count: 2}
measures: {f1: frequency.1, ratio: frequency.2/frequency.1, mass: robot.mass}
constraints: [f1 >= 6]
"""


class Checks:
    def __init__(self, ulna, folder, ranks):
        self.ulna, self.folder, self.ranks = ulna, pathlib.Path(folder), ranks
        self.mpirun = shutil.which("mpirun") if "MPI" in subprocess.run(
            [ulna, "--version"], capture_output=True, text=True).stdout else None

    def words(self, out, *more, ranks=0):
        words = [self.ulna, "sweep", "study.yaml", "-o", out, *more]
        if ranks:
            words = [self.mpirun, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] + words
        return words

    def run(self, out, *more, ranks=0, status=0, limit=None):
        before = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
        done = subprocess.run(self.words(out, *more, ranks=ranks), cwd=self.folder, capture_output=True, text=True,
                              preexec_fn=before)
        if status is not None and done.returncode != status:
            sys.exit(f"{out}: exit status {done.returncode}, expected {status}\n{done.stderr}")
        return done

    def same(self, out):
        if (self.folder / out / "results.h5").read_bytes() != self.reference:
            sys.exit(f"{out}: results.h5 differs from that of one thread")
        if (self.folder / (out + ".partial")).exists():
            sys.exit(f"{out}: the partial directory is still there")
        print("same file:", out, flush=True)

    def killed(self, out, who, ranks):
        """Starts a job, kills a process of it while it runs, and resumes with another number of processes."""
        job = self.started(out, ranks)
        for pid, rank in self.children(job.pid, out):
            if who == "all" or rank == who:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        if who == "all":
            os.kill(job.pid, signal.SIGKILL)
        told = job.communicate(timeout=120)[1]
        if job.returncode == 0:
            print(f"{out}: was over before it was killed", flush=True)
        elif (self.folder / out).exists():
            sys.exit(f"{out}: a killed job was taken for whole")
        else:
            if ranks and who != "all" and not told:
                sys.exit(f"{out}: the job ended without a message")
            time.sleep(0.3)
            self.run(out, "--resume", "--threads", "2")
        self.same(out)

    def interrupted(self, out, ranks):
        """Ctrl-C ends with what is there, in a file that is marked as incomplete, and the study can go on."""
        job = self.started(out, ranks)
        os.kill(job.pid, signal.SIGINT)
        told = job.communicate(timeout=120)[1].decode()
        if (self.folder / out).exists():  # mpirun that is interrupted at the very end exits with 1 all the same
            print(f"{out}: was over before it was interrupted", flush=True)
        elif "--resume" not in told or not (self.folder / (out + ".partial") / "results.h5").exists():
            sys.exit(f"{out}: exit status {job.returncode}, nothing of what is there\n{told}")
        else:
            self.run(out, "--resume", "--threads", "1", ranks=3 if ranks == 2 else 0)
        self.same(out)

    def full_disk_of_a_rank(self):
        """Rank 0 writes alone: its full disk ends the job with a message, that of another does no harm."""
        for out, full in (("full0", 0), ("full1", 1)):
            job = self.started(out, 2)
            for pid, rank in self.children(job.pid, out):
                if rank == full:
                    resource.prlimit(pid, resource.RLIMIT_FSIZE, (20000, 20000))
            told = job.communicate(timeout=120)[1].decode()
            if full == 1 and job.returncode != 0:
                sys.exit(f"{out}: exit status {job.returncode}\n{told}")
            if full == 0 and (job.returncode == 0 or "resume" not in told):
                sys.exit(f"{out}: exit status {job.returncode}, no message of a full disk\n{told}")
            if full == 0:
                self.run(out, "--resume")
            self.same(out)

    def really_full_disk(self, ranks):
        """On a disk of its own that is too small: a message, and the study goes on when there is room."""
        small = self.folder / "small"
        small.mkdir(exist_ok=True)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", small], capture_output=True).returncode:
            print("no disk of its own (mount needs root): a full disk was tried by a limit only")
            return
        try:
            full = self.run("small/out", "--threads", "1", ranks=ranks, status=None)
            if full.returncode == 0 or "resume" not in full.stderr or "No space left" not in full.stderr:
                sys.exit(f"full disk: exit status {full.returncode}\n{full.stderr}")
            if (small / "out").exists():
                sys.exit("full disk: the study was taken for whole")
            subprocess.run(["mount", "-o", "remount,size=4m", small], check=True)
            self.run("small/out", "--resume")
            self.same("small/out")
        finally:
            subprocess.run(["umount", small], check=True)

    def started(self, out, ranks):
        """A job that has begun to write samples."""
        job = subprocess.Popen(self.words(out, "--threads", "1", ranks=ranks), cwd=self.folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, start_new_session=True)
        samples = self.folder / (out + ".partial") / "samples.bin"
        for _ in range(3000):
            if samples.exists() and samples.stat().st_size > 2000:
                break
            time.sleep(0.01)
        return job

    @staticmethod
    def children(job, out):
        """The processes of Ulna with this output, and their ranks."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if b"sweep" not in words or out.encode() not in words or b"mpirun" in words[0]:
                    continue
                environment = dict(w.split(b"=", 1) for w in (entry / "environ").read_bytes().split(b"\0") if b"=" in w)
                found.append((int(entry.name), int(environment.get(b"OMPI_COMM_WORLD_RANK", b"0"))))
            except (OSError, ValueError):
                pass
        return found

    def check(self):
        (self.folder / "study.yaml").write_text(STUDY % 1500)
        self.run("one", "--threads", "1")
        self.reference = (self.folder / "one" / "results.h5").read_bytes()
        self.run("three", "--threads", "3")
        self.same("three")
        self.killed("alone", "all", 0)
        full = self.run("full", "--threads", "2", status=1, limit=20000)
        if "resume" not in full.stderr:
            sys.exit("full disk: no message\n" + full.stderr)
        self.run("full", "--resume")
        self.same("full")
        self.interrupted("interrupted", 0)
        if not self.mpirun:
            print("built without MPI: no processes tried")
            return
        for ranks in (2, self.ranks):
            self.run(f"ranks{ranks}", "--threads", "1", ranks=ranks)
            self.same(f"ranks{ranks}")
        self.interrupted("interrupted2", 2)
        self.full_disk_of_a_rank()
        self.really_full_disk(2)
        self.killed("worker", 1, 3)
        self.killed("rank0", 0, 3)
        self.killed("everyone", "all", 3)


parser = argparse.ArgumentParser()
parser.add_argument("ulna")
parser.add_argument("--ranks", type=int, default=8)
given = parser.parse_args()
with tempfile.TemporaryDirectory() as place:
    Checks(str(pathlib.Path(given.ulna).resolve()), place, given.ranks).check()
