"""Programs that end while daemon threads compute, and while others have files of HDF5 open: nothing is lost, no process dies."""

import os
import subprocess
import sys
import textwrap

import pytest

BEFORE = """
import threading, time
import numpy as np, ulna
started = threading.Event()
def endless(compute):
    def work():
        started.set()
        while True:
            compute()
    threading.Thread(target=work, daemon=True).start()
"""

COMPUTATIONS = {
    "run": "e = ulna.Experiment(ulna.load('puma560'), 1e6)\nendless(lambda: ulna.simulate(e))",
    "controller": "e = ulna.Experiment(ulna.load('puma560'), 1e6).control(lambda t, q, v: -q)\nendless(lambda: ulna.simulate(e))",
    "batches": "r = ulna.load('puma560'); q = r.random(100_000, seed=1)\nfor _ in range(2): endless(lambda: r.forward_dynamics(q, q, q))",
    "single calls": "r = ulna.load('puma560'); q = r.random(seed=1)\nfor _ in range(2): endless(lambda: r.gravity(q))",
    "motion": "m = ulna.motions.sequence([lambda t: (0.0, 0.0, 0.0)]); t = np.zeros(10**6)\nfor _ in range(2): endless(lambda: m(t))",
    "workspace": "p = ulna.load('stewart-6-6').platform()\nendless(lambda: p.workspace(('x', -1, 1, 3000), ('y', -1, 1, 3000)))",
    "sweep": "from test_sweep import A_MILLION\nendless(lambda: ulna.sweep(A_MILLION))",
    "errors": "def fail(t): raise ValueError\ne = ulna.Experiment(ulna.load('puma560'), 1.0).move('joint1', fail)\ndef caught():\n    try: ulna.simulate(e)\n    except ValueError: pass\nendless(caught)",
}


def ends(text, **options):
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=120, cwd=os.path.dirname(__file__), **options)
    assert done.returncode == 0 and not done.stderr, f"status {done.returncode}: {done.stdout} {done.stderr}"
    return done.stdout


@pytest.mark.parametrize("what", COMPUTATIONS.values(), ids=COMPUTATIONS)
def test_a_program_may_end_while_daemon_threads_compute(what):
    """CPython ends such threads by pthread_exit, which no destructor of C++ survives."""
    ends(BEFORE + what + "\nstarted.wait(); time.sleep(0.1)")


def test_a_program_ends_although_controllers_never_return():
    """One sleeps; the other asks for Python's lock again and again, after Python has ended."""
    ends(BEFORE + """
called = []
def sleeping(t, q, v): called.append(1); time.sleep(1000)
def busy(t, q, v):
    called.append(1)
    while True: pass
for law in sleeping, busy:
    endless(lambda e=ulna.Experiment(ulna.load('puma560'), 1.0).control(law): ulna.simulate(e))
while len(called) < 2: time.sleep(0.01)
""")


def test_functions_that_run_at_the_end_may_compute():
    text = "import atexit, ulna\nr = ulna.load('puma560')\nclass Last:\n    def __del__(self): print(ulna.simulate(r, 0.01).t[-1])\nlast = Last()\natexit.register(lambda: print(len(ulna.simulate(r, 0.01))))"
    assert ends(text).split() == ["101", "0.01"]


# ---- HDF5 --------------------------------------------------------------------------------------------

MINE = "f = h5py.File({mine!r}, 'w'); f['x'] = np.arange(1000.0)\nfor one in (f, f.id): ctypes.pythonapi.Py_IncRef(ctypes.py_object(one))\n"  # HDF5 itself closes it
RUN = "run = ulna.simulate(ulna.load('puma560'), 0.05)\nrun.to_hdf5({run!r})\n"
ORDERS = {
    "ulna first": "import ulna\n" + RUN + "import h5py\n" + MINE,
    "h5py first": "import h5py\n" + MINE + "import ulna\n" + RUN,
    "in turns": "import ulna, h5py\n" + MINE + RUN + "f['y'] = f['x'][:]\n" + RUN,
}


def needs_hdf5(folder):
    h5py = pytest.importorskip("h5py")
    import ulna

    try:
        ulna.Run(ulna.load("puma560"), ["t[s]"], [[0.0]], "").to_hdf5(folder / "first.h5")
    except ulna.ComputationError as error:
        if "without HDF5" in str(error):
            pytest.skip("Ulna was built without HDF5")
    (folder / "first.h5").unlink()
    return h5py


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_a_program_with_h5py_loses_nothing(order, tmp_path):
    h5py = needs_hdf5(tmp_path)
    mine, run = str(tmp_path / "mine.h5"), str(tmp_path / "run.h5")
    ends("import ctypes, numpy as np\n" + order.format(mine=mine, run=run))
    with h5py.File(mine) as file:
        assert file["x"][-1] == 999
    with h5py.File(run) as file:
        assert file["q.joint1"].shape == (101,) and file["q.joint1"].attrs["unit"] == "rad" and "summary" in file["ulna"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the size of files")
@pytest.mark.parametrize("first", ["h5py, ulna", "ulna, h5py"])
def test_a_full_disk_is_an_error_and_no_crash_at_the_end(first, tmp_path):
    needs_hdf5(tmp_path)
    file = str(tmp_path / "run.h5")
    text = f"""
import os, resource, signal
import {first}
run = ulna.simulate(ulna.load('puma560'), 0.05)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for most in (0, 1000, 20000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, -1))
    try:
        run.to_hdf5({file!r})
        print("written")
    except ulna.ComputationError as error:
        print("cannot be completed" in str(error), os.listdir({str(tmp_path)!r}))
resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
run.to_hdf5({file!r})
print(len(h5py.File({file!r})["t"]))
"""
    assert ends(text).splitlines() == ["True []"] * 3 + ["101"]
