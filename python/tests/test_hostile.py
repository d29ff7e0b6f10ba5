"""Arguments that run code while they are read, objects that are taken apart, forks, threads that cannot be had, sub-interpreters:
no memory is touched that is gone."""

import gc
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import ulna

TEXT = """
ulna: 1
name: arm
bodies:
  - {name: upper, mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  - {name: lower, mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
joints:
  - {name: joint1, type: revolute, parent: world, child: upper, axis: [0, 0, 1], limits: {velocity: 3, effort: 90}}
  - {name: joint2, type: revolute, parent: upper, child: lower, axis: [0, 0, 1], at: {position: [1, 0, 0]}, limits: {velocity: 3, effort: 90}}
frames:
  - {name: hand, body: lower, at: {position: [1, 0, 0]}}
payloads:
  - {name: tool, body: lower, mass: 0.1}
"""


@pytest.fixture
def arm():
    return ulna.loads(TEXT)


class Acting:
    """A number or array that does something whenever it is read."""

    def __init__(self, value, act):
        self.value, self.act = value, act

    def __array__(self, *args, **kwargs):
        self.act()
        return np.asarray(self.value, float)

    def __float__(self):
        self.act()
        return float(self.value)

    def tolist(self):
        self.act()
        return self.value


def acting_items(items, act):
    for item in items:
        act()
        yield item


# ---- an experiment that its own arguments change ---------------------------------------------------

THREE = (0.0, 0.0, 1.0)
OF_EXPERIMENTS = {
    "start": lambda e, act: e.start(q=Acting([0.1, 0.2], act)),
    "start by name": lambda e, act: e.start(q={"joint1": Acting(0.1, act)}),
    "move": lambda e, act: e.move("joint1", Acting(0.1, act)),
    "move several": lambda e, act: e.move(acting_items(["joint1", "joint2"], act), "t"),
    "effort": lambda e, act: e.effort("joint1", Acting(0.1, act)),
    "efforts": lambda e, act: e.efforts(Acting([0.0, 1.0], act), np.zeros((2, 2))),
    "efforts by name": lambda e, act: e.efforts([0.0, 1.0], {"joint1": Acting([0.0, 1.0], act)}),
    "lock": lambda e, act: e.lock(acting_items(["joint1"], act)),
    "free": lambda e, act: e.free(acting_items(["joint1"], act)),
    "gain": lambda e, act: e.control("pd", kp=Acting(1.0, act)),
    "gain by name": lambda e, act: e.control("pd", kp={"joint1": Acting(1.0, act)}),
    "controlled joints": lambda e, act: e.control("pd", acting_items(["joint1"], act), kp=1.0),
    "wrench": lambda e, act: e.wrench("lower", force=[Acting(0.1, act), 0, 0]),
    "point": lambda e, act: e.wrench("lower", force=[0, 0, 1], point=Acting(THREE, act)),
    "contact": lambda e, act: e.contact("hand", point=Acting(THREE, act)),
    "rolling": lambda e, act: e.rolling("hand", 0.1, axis=Acting(THREE, act)),
    "knife_edge": lambda e, act: e.knife_edge("hand", Acting(THREE, act)),
    "record": lambda e, act: e.record(acting_items(["q", "v"], act)),
    "add": lambda e, act: e.add(controllers=[{"law": "pd", "kp": Acting(10.0, act)}]),
    "timing": lambda e, act: e.move("all", "0.1*cycloid(t)").timing(rates=Acting([1.0, 1.0], act)),
}


@pytest.mark.parametrize("call", OF_EXPERIMENTS.values(), ids=OF_EXPERIMENTS)
def test_arguments_may_not_change_the_experiment_that_reads_them(arm, call):
    e = ulna.Experiment(arm, 0.05)
    levels = []

    def act():
        levels.append(1)
        e.stop_when("q.joint1", above=100.0)

    with pytest.raises(ulna.InputError, match="was changed by other code"):
        call(e, act)
    assert levels and ulna.simulate(e).t[-1] == pytest.approx(0.05)


def test_the_robot_of_an_experiment_may_go_while_its_arguments_are_read():
    e = ulna.Experiment(ulna.load("flexible-two-link"), 0.01)

    def act():  # another robot takes the place of the first, which nobody else holds
        e.elastic("geometrically-exact", elements=2)

    for call in (
        lambda: e.start(q=Acting(np.zeros(e.robot.nq), act)),
        lambda: e.move("shoulder", Acting(0.1, act)),
        lambda: e.control("pd", kp={"elbow": Acting(1.0, act)}),
    ):
        with pytest.raises(ulna.InputError):
            call()


@pytest.mark.parametrize(
    "call",
    [
        lambda e: e.move(["joint1", "typo"], "t"),
        lambda e: e.effort(["joint1", "typo"], 1.0),
        lambda e: e.lock(["joint1", "typo"]),
        lambda e: e.start(q=[0.1, 0.2], v=[0.1]),
        lambda e: e.record(["q"], interval="x"),
    ],
)
def test_a_call_that_fails_changes_nothing(arm, call):
    e = ulna.Experiment(arm, 0.05)
    before = repr(e), e.q
    with pytest.raises((ulna.InputError, TypeError)):
        call(e)
    assert (repr(e), e.q) == before


@pytest.mark.parametrize("elements", [0, -3, 10**9])
def test_links_that_cannot_be_divided_leave_the_experiment_as_it_was(arm, elements):
    for robot, level in ((arm, "geometrically-exact"), (ulna.load("flexible-two-link"), "geometrically-exact"), (arm, "typo")):
        e = ulna.Experiment(robot, 0.01)
        before = repr(e), e.q
        with pytest.raises(ulna.InputError):
            e.elastic(level, elements=elements)
        assert (repr(e), e.q) == before and e.robot == robot and len(ulna.simulate(e)) > 1


ASKED = {
    "check": lambda e: e.check(),
    "inverse": lambda e: e.inverse(),
    "motion": lambda e: e.motion(),
    "linearize": lambda e: e.linearize([0.0, 0.05]),
    "decoupling": lambda e: ulna.decoupling(e, samples=5),
    "timing": lambda e: e.timing("scale", scale=2.0),
    "simulate": lambda e: ulna.simulate(e),
    "write_fmu": lambda e: ulna.write_fmu(e, "no such folder/x.fmu"),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_motions_may_change_the_experiment_that_they_belong_to(arm, ask):
    """Every answer is computed from the experiment as it was when it was asked."""
    e = ulna.Experiment(arm, 0.1)

    def motion(t):
        e.move(["joint1", "joint2"], "t")
        e.stop_when("q.joint1", above=9.0)
        e.elastic("exact")
        return 0.0, 0.0, 0.0

    e.move("joint1", motion)
    try:
        ask(e)
    except ulna.InputError:
        pass  # a function of Python is no FMU; a timing is not planned for what has changed
    assert e.check() is None


# ---- builders ----------------------------------------------------------------------------------------

STEEL = {"E": 2e11, "nu": 0.3, "density": 7800}
TUBE = {"tube": {"outer": 0.1, "inner": 0.08}}
OF_BUILDERS = {
    "beam": lambda b, act: b.beam("rod", length=Acting(1.0, act), material=STEEL, section=TUBE),
    "bushings": lambda b, act: b.bushings("slide", [{"at": 0, "stiffness": Acting(2e7, act)}]),
    "edit_body": lambda b, act: b.edit_body("upper", centre=Acting(THREE, act)),
    "edit_joint": lambda b, act: b.edit_joint("joint1", damping=Acting(0.5, act)),
    "edit_frame": lambda b, act: b.edit_frame("hand", at=Acting(THREE, act)),
    "edit_payload": lambda b, act: b.edit_payload("tool", at=Acting(THREE, act)),
    "geometry": lambda b, act: b.geometry("upper", "box", Acting(THREE, act)),
    "element": lambda b, act: b.element("spring", "spring-damper", "hand", {"body": "world", "point": [0, 0, 3]}, free_length=0.5, stiffness=Acting(10.0, act)),
    "coupling": lambda b, act: b.coupling("gear", {"joint1": Acting(1.0, act), "joint2": -1.0}),
}


@pytest.mark.parametrize("call", OF_BUILDERS.values(), ids=OF_BUILDERS)
def test_arguments_may_add_to_the_builder_that_reads_them(arm, call):
    builder = arm.builder().body("sledge", 1.0).joint("slide", "prismatic", "world", "sledge").body("rod").joint("hinge", "revolute", "world", "rod")
    count = len(builder.bodies)

    def act():
        for piece in range(200):  # the lists of the builder grow, and are elsewhere in memory then
            name = f"more{len(builder.bodies)}.{piece}"
            builder.body(name, 1.0).joint(name, "revolute", "world", name).frame("f" + name, name).payload("p" + name, name, 0.1)

    call(builder, act)
    assert len(builder.bodies) >= count + 200
    robot = builder.build()
    assert robot.mass > 200


def test_what_was_edited_meanwhile_is_found_again(arm):
    builder = arm.builder()
    builder.edit_body("upper", centre=Acting((0.25, 0, 0), lambda: builder.body("other", 1.0).joint("j", "fixed", "world", "other")))
    assert np.allclose(builder.build().centre_of_mass([0, 0])[0], (0.25 + 1.5 + 0.1 * 1.0) / 2.1)
    with pytest.raises(ulna.InputError, match="upper"):
        builder.edit_body("upper", centre=Acting(THREE, lambda: builder.remove("body", "upper")))


# ---- lists and dicts that change while they are read -------------------------------------------------


def test_lists_may_grow_while_they_are_read(arm):
    grown = [0.0, 0.0]
    grown.append(Acting(1.0, lambda: grown.extend([5.0] * 100)))
    e = ulna.Experiment(arm, 0.01).wrench("lower", force=grown).record(["external.lower"])
    assert len(grown) > 100 and np.all(ulna.simulate(e)["external.lower"] == ulna.simulate(ulna.Experiment(arm, 0.01).wrench("lower", force=[0.0, 0.0, 1.0]).record(["external.lower"]))["external.lower"])
    ball = ulna.RobotBuilder("ball").body("b", 1.0, inertia=(1, 1, 1)).joint("j", "spherical", "world", "b").build()
    angles = [0.0, 0.0]
    angles.append(Acting(0.1, lambda: angles.extend([5.0] * 100)))
    assert ulna.simulate(ulna.Experiment(ball, 0.01).move("j", angles)).t[-1] == pytest.approx(0.01)


@pytest.mark.parametrize("value", [np.zeros(0), np.zeros(2), np.zeros((0, 3))])
def test_what_says_that_it_is_a_number_holds_one(arm, value):
    for call in (ulna.Experiment(arm, 0.01).move, ulna.Experiment(arm, 0.01).effort):
        with pytest.raises(ulna.InputError, match="one number"):
            call("joint1", Acting(value, lambda: None))


# ---- dicts that lose what is read --------------------------------------------------------------------


def clearing(values):
    """The dict, whose values empty it when they are read."""
    given = {}
    given.update({key: Acting(value, given.clear) for key, value in values.items()})
    return given


def test_dicts_may_be_emptied_while_they_are_read(arm):
    q, both = [0.1, 0.2], {"lower": (0, 0, 1.0), "upper": (0, 1.0, 0)}
    assert np.array_equal(arm.inverse_dynamics(q, wrenches=clearing(both)), arm.inverse_dynamics(q, wrenches=both))
    assert np.array_equal(arm.inverse_dynamics(clearing({"joint1": 0.1, "joint2": 0.2})), arm.inverse_dynamics(q))
    assert arm.with_parameters(clearing({"bodies.upper.mass": 2.0, "bodies.lower.mass": 3.0})).mass == pytest.approx(5.1)
    assert arm.with_parameters(clearing({"m(upper)": 2.0, "m(lower)": 3.0})).mass == pytest.approx(5.0, abs=0.11)
    experiment = ulna.Experiment(arm, 0.01).control("pd", kp=clearing({"joint1": 1.0, "joint2": [2.0]}))
    assert ulna.simulate(experiment).t[-1] == pytest.approx(0.01)
    frame = ulna.load("t3r3-frame")
    force = {"tip": (0, 0, -10.0)}
    assert np.array_equal(frame.static_deflection(forces=clearing(force), locked="all").motion, frame.static_deflection(forces=force, locked="all").motion)
    platform = ulna.load("stewart-6-6").platform()
    efforts = {platform.legs[0]: 10.0, platform.legs[3]: 5.0}
    assert np.array_equal(platform.forward_dynamics(platform.home, efforts=clearing(efforts)), platform.forward_dynamics(platform.home, efforts=efforts))


# ---- runs, obstacles, links --------------------------------------------------------------------------


@pytest.mark.skipif(not ulna.has_report_page(), reason="the page was not compiled in")
def test_a_run_without_a_robot_says_so():
    for run in (ulna.Run(None, ["t[s]"], np.zeros((1, 1)), ""), ulna.Run("arm", ["t[s]"], np.zeros((1, 1)), "")):
        with pytest.raises(TypeError):
            run.report_html()


def test_obstacles_name_one_frame_or_several(arm):
    target = arm.fk([0.3, 0.5], "hand")[:3, 3]
    for frames in ("hand", ["hand"], ("hand", "lower"), [arm.frames.index("hand")]):
        arm.ik(target, frame="hand", obstacles=[{"sphere": (9, 9, 9), "radius": 0.1, "frames": frames}])
    for frames in ("typo", ["typo"], [99]):
        with pytest.raises(ulna.InputError, match="frames"):
            arm.ik(target, frame="hand", obstacles=[{"sphere": (9, 9, 9), "radius": 0.1, "frames": frames}])
    with pytest.raises(TypeError, match="frames"):
        arm.ik(target, frame="hand", obstacles=[{"sphere": (9, 9, 9), "radius": 0.1, "frames": 1.5}])


def test_links_whose_modes_are_held_are_flexible():
    robot = ulna.load("flexible-two-link")
    first, last = (link.body for link in robot.flexible_links)
    assert len(robot.elastic_modes(rigid=first).frequencies) < len(robot.elastic_modes().frequencies)
    assert len(robot.elastic_modes(rigid=[first, last]).frequencies) == len(robot.speeds) - sum(len(link.modes) for link in robot.flexible_links)
    with pytest.raises(ulna.InputError, match="rigid: 'world' is not a flexible link"):
        robot.elastic_modes(rigid="world")


# ---- texts that cannot be written --------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda r: r.modes(**{"\ud800": 1}),  # the list of arguments that pybind11 makes cannot be written
        lambda r: r.modes(count="x", **{"\ud800": 1}),
        lambda r: r.fk([0.1, 0.2], **{"\ud800": 1}),
        lambda r: r.gravity([0.1, 0.2], **{"\udcff": 1}),
        lambda r: r.fk([0.1, 0.2], "\ud800"),
        lambda r: ulna.loads("\ud800"),
        lambda r: ulna.RobotBuilder("\ud800"),
        lambda r: ulna.Experiment(r, 0.1).move("\ud800", "t"),
        lambda r: ulna.Experiment(r, 0.1).move("joint1", "\ud800"),
        lambda r: ulna.motions.formula("t", constants={"\ud800": 1.0}),
        lambda r: ulna.Run(r, ["t[s]", "\ud800"], np.zeros((2, 2)), "").report_html(),
        lambda r: r.inverse_dynamics([0.1, 0.2], wrenches={"\ud800": (0, 0, 1)}),
    ],
)
def test_texts_with_surrogates_are_refused(arm, call):
    with pytest.raises((TypeError, ulna.InputError, UnicodeEncodeError)) as caught:
        call(arm)
    assert "std::" not in str(caught.value) and "cannot be called with these arguments" not in str(caught.value)


@pytest.mark.parametrize("part", ["sensors", "controllers", "events"])
def test_parts_of_experiments_are_lists_of_dicts(arm, part):
    for given in (None, 5, [5], {"law": "pd"}, "pd"):
        with pytest.raises(TypeError, match=f"{part} must be a list of dicts, not"):
            ulna.Experiment(arm, 0.1).add(**{part: given})
    with pytest.raises(ulna.InputError, match="not finite"):
        ulna.Experiment(arm, 0.1).add(**{part: [{"at": np.nan}]})


# ---- processes and threads ---------------------------------------------------------------------------


def script(text, **options):
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_computes_batches_too():
    out = script("""
        import os, sys
        import numpy as np, ulna
        robot = ulna.load("puma560")
        q = robot.random(5000, seed=1)
        before = robot.gravity(q)
        run = ulna.simulate(robot, 0.05, q=q[0])
        pid = os.fork()
        if pid == 0:
            same = np.array_equal(robot.gravity(q), before) and np.array_equal(ulna.simulate(robot, 0.05, q=q[0]).values, run.values)
            os._exit(0 if same else 1)
        print(os.waitpid(pid, 0)[1])
    """)
    assert out == "0\n"


@pytest.mark.skipif(not sys.platform.startswith("linux") or "ULNA_SANITIZED" in os.environ, reason="limits the address space")
def test_a_batch_is_computed_where_no_more_threads_can_be_had():
    """Not one thread fits into the address space that is left."""
    out = script("""
        import resource
        import numpy as np, ulna
        robot = ulna.load("puma560")
        q = robot.random(100 * 512, seed=1)
        compiled = robot.compile("inverse_dynamics")
        study = {"study": 1, "robot": "t3r3-frame", "parameters": [{"name": "m", "path": "payloads.gripper.mass", "list": [1, 2, 3]}],
                 "run": {"modes": {"locked": "all", "count": 1}}, "measures": {"f": "frequency.1"}}
        asks = [lambda: robot.inverse_dynamics(q, method="kane"), lambda: robot.inverse_dynamics(q), lambda: compiled(q),
                lambda: ulna.sweep(study, threads=3)["f"], lambda: ulna.motions.spline(np.arange(20_000.0), np.sin(np.arange(20_000.0)))(3.5)]
        expected = [ask() for ask in asks]
        ulna.set_threads(100)
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 100 * 2**20,) * 2)
        print([np.array_equal(ask(), before) for ask, before in zip(asks, expected)])
    """)
    assert out == "[True, True, True, True, True]\n"


def test_sub_interpreters_are_refused_and_leave_the_first_one_alone():
    out = script("""
        import importlib
        for name in ("_interpreters", "_xxsubinterpreters"):
            try:
                interpreters = importlib.import_module(name)
                break
            except ImportError:
                pass
        else:
            print("none")
            raise SystemExit
        second = "try:\\n    import ulna\\nexcept ImportError as error:\\n    print(error)"

        def run():
            one = interpreters.create()
            interpreters.run_string(one, second)
            interpreters.destroy(one)

        run()
        import ulna
        run()
        print(ulna.load("puma560").nv)
    """)
    if out == "none\n":
        pytest.skip("this Python has no sub-interpreters")
    first, again, joints = out.splitlines()
    assert first == again and "sub-interpreter" in first and joints == "6"


# ---- classes of two compiled ones --------------------------------------------------------------------


def made_of(*bases):
    """An object of a class of these, of which ulna.Experiment is initialised alone; None where Python has no such classes."""
    try:
        cls = type("Mixed", bases, {})
    except TypeError:  # their layouts do not go together
        return None
    mixed = cls.__new__(cls)
    ulna.Experiment.__init__(mixed, ulna.loads(TEXT), 0.01)
    return mixed


@pytest.mark.parametrize("others", [(ulna.Robot,), (ulna.CompiledFunction,), (ulna.RobotBuilder,), (ulna.Motion, ulna.Robot)])
def test_objects_of_two_compiled_classes_are_not_taken_for_one_of_them(others):
    for bases in ((ulna.Experiment, *others), (*others, ulna.Experiment)):
        mixed = made_of(*bases)
        if mixed is None:
            continue
        mixed.control(lambda t, q, v: -q)
        mixed.me = mixed
        for call in (lambda: ulna.Robot.gravity(mixed, [0.1, 0.2]), lambda: ulna.Robot.hash(mixed), lambda: ulna.CompiledFunction.__call__(mixed, [0.1, 0.2]), lambda: ulna.RobotBuilder.build(mixed)):
            with pytest.raises(TypeError):
                call()
        assert ulna._core._run(mixed, None, False)[1][-1, 0] == pytest.approx(0.01)
        with pytest.raises(TypeError):
            type(mixed)(ulna.loads(TEXT), 1.0)
        gc.collect()
        del mixed
        gc.collect()
