// What studies compute for each sample, and what is wrong with their files.

#include "sweep_fixture.hpp"

namespace ulna::test {
namespace {

// What no sample can have is a mistake of the file, found before the first sample.
TEST_F(Sweep, NamesThatStandForNothingAreFoundAtOnce) {
  const std::string mass = "parameters: [{name: m, path: bodies.upper.mass, list: [1, 2]}]\n";
  const std::string peak = "measures: {peak: {take: largest, of: abs(tau.shoulder)}}\n";
  const auto refuse = [&](const std::string& rest, const std::vector<std::string>& says) {
    expect_refusal({"sweep", study(rest), "-o", folder.path("bad")}, says);
  };
  refuse("parameters: [{path: bodies.upper.mas, list: [1, 2]}]\nrun: inverse\n" + peak,
         {"unknown key 'mas'", "did you mean 'mass'?"});
  refuse("parameters: [{path: bodies.uper.mass, list: [1, 2]}]\nrun: inverse\n" + peak,
         {"did you mean 'upper'?"});
  refuse("parameters: [{path: q.shoulder, list: [0, 1]}]\nrun: inverse\n" + peak,
         {"no run has 'q.shoulder'"});
  refuse(
      "parameters: [{path: q.shulder, list: [0, 1]}]\nrun: [{modes: {}}]\n"
      "measures: {f: frequency.1}\n",
      {"did you mean 'shoulder'?"});
  refuse(
      "parameters: [{name: a, path: gravity.y, list: [1]}, {name: b, path: gravity.y, list: "
      "[2]}]\nrun: inverse\n" +
          peak,
      {"'gravity.y' is set twice"});
  refuse(mass + "run: [{modes: {count: 2}}]\nmeasures: {f: frequency.3}\n",
         {"no run gives 'frequency.3'"});
  refuse(mass + "run: inverse\nmeasures: {p: motor.shoulder.peek}\n",
         {"no run gives 'motor.shoulder.peek'"});
  refuse(mass + "run: inverse\nmeasures: {p: tau.shoulder}\n", {"no run gives", "take"});
  refuse(mass +
             "run: inverse\nmeasures: {twice: 2*peak, peak: {take: largest, of: "
             "tau.shoulder}}\n",
         {"'peak' stands below it"});
  refuse(mass + "run: inverse\n" + peak + "constraints: [peek <= 1]\n", {"'peek'"});
  refuse(mass + "run: inverse\nmeasures: {p: {take: largest, of: 'tau.shulder'}}\n",
         {"did you mean"});
  refuse(mass + "run: inverse\nmeasures: {p: {take: largest, of: \"'tau'\"}}\n",
         {"'tau' is a group of channels"});
  refuse(mass + "run: [{modes: {}}]\nmeasures: {p: {take: largest, of: tau.shoulder}}\n",
         {"no run records 'tau.shoulder'"});
  refuse(mass + "run: inverse\nmeasures: {p: {take: rms, of: tau.elbow, from: 2 s, to: 1 s}}\n",
         {"from 2 to 1 s"});
  refuse(mass + "run: [{modes: {locked: [elbw]}}]\nmeasures: {f: frequency.1}\n",
         {"did you mean 'elbow'?"});
  const std::string modes = "run: [{modes: {locked: none}}]\nmeasures: {f: frequency.1}\n";
  refuse("parameters: [{path: q.elbow, list: [folded, .nan]}]\n" + modes, {"'q.elbow' are words"});
  refuse("parameters: [{path: q.elbow, unit: kg, list: [1]}]\n" + modes, {"'kg'", "an angle"});
  refuse("parameters: [{name: w, set: {bodies.upper.mass: 2*w}, list: [a, b]}]\n" + modes,
         {"'w' are words"});
  refuse(mass + modes + "limit: 0 s\n", {"a time above 0"});
  refuse(mass + "run: [{modes: {}}]\nmeasures: {f: growth.largest}\n",
         {"no run gives 'growth.largest'"});
  refuse("parameters: [{name: a/b, list: [1]}, {name: 'a:b', list: [2]}]\nrun: inverse\n" + peak,
         {"'a:b'", "results.h5"});
  refuse(mass + "run: inverse\nmeasures: [peak]\n", {"a list"});
  refuse(
      "parameters: [{name: a, uniform: {from: 0, to: 1}}]\ncorrelation: {of: [a, a], matrix: "
      "[[1, 0], [0, 1]]}\nrun: inverse\n" +
          peak,
      {"correlated twice"});
  refuse(mass + "run: inverse\n" + peak + "optimize: {least: peak, largest: peak}\n",
         {"'least' and 'largest'"});
}

// What cannot be drawn ends no study: values at the end of what a number can be, and values that
// differ by rounding alone.
TEST_F(Sweep, PagesOfExtremeValuesAreWritten) {
  const std::string file = folder.write("extreme.yaml", R"(study: 1
robot: arm.yaml
parameters: [{path: q.elbow, grid: "0:1:3"}, {name: k, grid: "1:2:2"}]
run: kinematics
measures:
  large: 1e308*(frame.x - 1.2)
  same: 0.3 + 1e-17*frame.x
  small: 1e-300*frame.x
  none: 0
)");
  const Json found = run_json({"sweep", file, "-o", folder.path("out")});
  EXPECT_EQ(found["ok"], 6) << found;
  EXPECT_NE(content_of(folder.path("out/index.html")).find("cannot be drawn"), std::string::npos);
}

// Of a plane arm with lengths 1 and l: the tip, and the product of the singular values l |sin q2|.
TEST_F(Sweep, ToleratedLengthsMoveTheTip) {
  const Json row = run_json({"sweep", folder.write("reach.yaml", R"(study: 1
robot: arm.yaml
parameters:
  - {name: l, path: frames.tool.at.x, list: [0.5, 0.7]}
  - {path: q.elbow, unit: deg, list: [30]}
run: [{kinematics: {q: {shoulder: 90 deg}, frame: tool}}]
measures: {y: frame.y, m: jacobian.manipulability, k: jacobian.condition, s: jacobian.least}
)"),
                             "--sample", "1"})["measures"];
  EXPECT_NEAR(row["y"].get<double>(), 1 + 0.7 * std::cos(M_PI / 6), 1e-14);
  EXPECT_NEAR(row["m"].get<double>(), 0.7 * 0.5, 1e-14);
  EXPECT_NEAR(row["k"].get<double>() * row["s"].get<double>() * row["s"].get<double>(),
              row["m"].get<double>(), 1e-14);
}

// Near a state that is held, and near one that motions lead through.
TEST_F(Sweep, LinearSystemsAreThoseOfTheCommand) {
  const auto row = [&](const std::string& text) {
    return run_json(
        {"sweep", folder.write("linear.yaml", "study: 1\n" + text), "--sample", "0"})["measures"];
  };
  const std::string rest =
      "measures: {fastest: growth.largest, imaginary: pole.1.imag, second: pole.2.real}\n";
  const auto expect_poles = [&](const Json& found, const Json& poles) {
    EXPECT_NEAR(found["fastest"].get<double>(), poles[0][0].get<double>(), 1e-9) << found;
    EXPECT_NEAR(std::abs(found["imaginary"].get<double>()), std::abs(poles[0][1].get<double>()),
                1e-9);
    EXPECT_NEAR(found["second"].get<double>(), poles[1][0].get<double>(), 1e-9);
  };
  for (const auto& [robot, q] :
       {std::pair{"puma560", "joint2=0.8,joint3=0.4"}, {"four-bar", "joint1=1"}}) {
    std::string values = q;
    for (char& c : values) c = c == '=' ? ':' : c;
    std::string spaced;
    for (const char c : values) spaced += c == ':' ? ": " : std::string(1, c);
    const Json found = row("robot: " + std::string(robot) +
                           "\nparameters: [{name: k, list: [1]}]\nrun: [{linearize: {q: {" +
                           spaced + "}}}]\n" + rest);
    expect_poles(found, run_json({"linearize", robot, "--q", q})["poles"]);
  }
  const Json found =
      row("experiment: swing.yaml\nparameters: [{path: bodies.lower.mass, list: [1.5]}]\n"
          "run: [{linearize: {time: 0.3 s}}]\n" +
          rest);
  std::string arm = planar_arm;
  arm.replace(arm.find("mass: 1"), 7, "mass: 1.5");
  folder.write("arm.yaml", arm);
  const Json points =
      run_json({"linearize", folder.path("swing.yaml"), "--times", "0.3"})["points"];
  expect_poles(found, points[0]["poles"]);
  expect_refusal(
      {"sweep",
       study("parameters: [{name: k, list: [1]}]\nrun: [{linearize: {time: 2 s}}]\n" + rest), "-o",
       folder.path("bad")},
      {"found 2 s", "duration"});
}

// Records of a prescribed motion are single evaluations, where nothing else is asked for; the
// numbers are those of the run that integrates.
TEST_F(Sweep, RecordsAloneAreThoseOfTheRun) {
  folder.write("swing.yaml", std::string(swing) +
                                 "wrenches: [{body: lower, force: [3*step(t - "
                                 "0.52), 0, 0]}]\n");
  const std::string rest = R"(parameters: [{name: m, path: bodies.upper.mass, list: [2.5]}]
run: inverse
measures:
  peak: {take: largest, of: tau.shoulder}
  when: {take: time-of-largest, of: tau.shoulder}
  mean: {take: mean, of: tau.elbow}
)";
  const auto measures = [&](const std::string& more) {
    return run_json({"sweep", study(rest + more), "--sample", "0"})["measures"];
  };
  const Json alone = measures(""), run = measures("  balance: run.balance\n");
  for (const char* name : {"peak", "when", "mean"})
    EXPECT_EQ(alone[name], run[name]) << name;  // every bit
}

TEST_F(Sweep, ParametersMayStandInFormulasOfChannels) {
  const Json found = run_json({"sweep", study(R"(parameters:
  - {name: goal, list: [0.2, 0.3]}
run: inverse
measures: {off: {take: final, of: q.shoulder - goal}}
store: [tau]
)"),
                               "-o", folder.path("out"), "--csv"});
  EXPECT_EQ(found["failed"], 0);
  EXPECT_NEAR(found["measures"][0]["least"].get<double>(), 0.2, 1e-14);
  const std::string file = content_of(folder.path("out/results.h5"));
  EXPECT_NE(file.find("tau.elbow"), std::string::npos);  // a group is all of its channels
}

TEST_F(Sweep, UnitsOfColumnsAreThoseOfTheirValues) {
  folder.write("postures.csv", "bend[deg],length[mm]\n30,500\n90,700\n");
  const Json row = run_json({"sweep", folder.write("reach.yaml", R"(study: 1
robot: arm.yaml
table: postures.csv
parameters:
  - {name: bend, path: q.elbow, column: bend}
  - {path: frames.tool.at.x, column: length}
run: [{kinematics: {frame: tool}}]
measures: {x: frame.x, y: frame.y}
)"),
                             "--sample", "1"})["measures"];
  EXPECT_NEAR(row["x"].get<double>(), 1, 1e-14);
  EXPECT_NEAR(row["y"].get<double>(), 0.7, 1e-14);
}

// "30 deg" is a number, not a word.
TEST_F(Sweep, ValuesMayHaveUnitsOfTheirOwn) {
  const auto bend = [&](const std::string& values, const char* sample) {
    return run_json({"sweep",
                     folder.write("bend.yaml",
                                  "study: 1\nrobot: arm.yaml\nparameters: [{name: "
                                  "bend, path: q.elbow, " +
                                      values +
                                      "}]\nsampling: {method: sobol, count: 2, "
                                      "scrambled: false}\nrun: kinematics\n"
                                      "measures: {y: frame.y}\n"),
                     "--sample", sample})["parameters"]["bend"]
        .get<double>();
  };
  EXPECT_NEAR(bend("list: [0.1, 30 deg]", "1"), M_PI / 6, 1e-15);
  EXPECT_NEAR(bend("grid: \"0:90 deg:3\"", "1"), M_PI / 4, 1e-15);
  EXPECT_NEAR(bend("uniform: {from: 0, to: 60 deg}", "1"), M_PI / 6, 1e-9);
  EXPECT_EQ(bend("unit: deg, list: [30]", "0"), 30);
  expect_refusal({"sweep",
                  folder.write("bend.yaml",
                               "study: 1\nrobot: arm.yaml\nparameters: [{path: "
                               "q.elbow, unit: deg, list: [30 deg]}]\n"
                               "run: kinematics\nmeasures: {y: frame.y}\n"),
                  "-o", folder.path("bad")},
                 {"'30 deg'", "unit"});
}

// An infinite number is none: the posture that is singular breaks its constraint, the others stay.
TEST_F(Sweep, InfiniteResultsAreNone) {
  const Json found = run_json({"sweep", folder.write("singular.yaml", R"(study: 1
robot: arm.yaml
parameters: [{path: q.elbow, list: [0, 1]}]
run: [kinematics, {deflection: {}}]
measures: {c: jacobian.condition, s: stiffness.z}
constraints: [c <= 100]
)"),
                               "-o", folder.path("out"), "--csv"});
  EXPECT_EQ(found["failed"], 0) << found;
  EXPECT_EQ(found["infeasible"], 1) << found;
}

TEST_F(Sweep, ASampleBeyondItsTimeFails) {
  for (const char* run : {"simulate", "equilibrium", "{modes: {}}", "{linearize: {}}"}) {
    const Json row = run_json({"sweep", study(std::string(R"(limit: 1e-9 s
parameters: [{name: m, path: bodies.upper.mass, list: [2]}]
run: [)") + run + "]\nmeasures: {mass: m}\n"),
                               "--sample", "0"},
                              1);
    EXPECT_EQ(row["status"], "failed") << run;
    EXPECT_NE(row["reason"].get<std::string>().find("time limit"), std::string::npos) << row;
  }
}

// Processors that Slurm gives to a task, where tasks are not bound to them.
TEST_F(Sweep, SlurmSaysHowManyThreads) {
  setenv("SLURM_CPUS_PER_TASK", "1", 1);
  const Json found = run_json({"sweep", study(masses), "-o", folder.path("out")});
  unsetenv("SLURM_CPUS_PER_TASK");
  EXPECT_EQ(found["threads"], 1);
}

// h5py, where it is installed, reads what results.csv has.
TEST_F(Sweep, ResultsAreReadByH5py) {
  const std::string out = folder.path("out");
  run_json({"sweep", study(std::string(masses) + "constraints: [peak <= 20]\nstore: [tau]\n"), "-o",
            out, "--csv"});
  const std::string check = folder.write("check.py", R"(import csv, sys
try:
    import h5py
except ImportError:
    sys.exit(0)
f = h5py.File(sys.argv[1] + "/results.h5")
rows = list(csv.DictReader(open(sys.argv[1] + "/results.csv")))
words = ["missing", "ok", "infeasible", "failed"]
assert list(f["sample"][:]) == [int(row["sample"]) for row in rows]
assert [words[int(k)] for k in f["status"][:]] == [row["status"] for row in rows]
for group in ("parameters", "measures"):
    for name in f[group]:
        assert list(f[group][name][:]) == [float(row[name]) for row in rows], name
told = {int(k): text.decode() for k, text in zip(f["reasons/sample"][:], f["reasons/text"][:])}
assert told == {int(row["sample"]): row["reason"] for row in rows if row["reason"]} and told
offset, tau = f["channels/offset"][:], f["channels/tau.shoulder"][:]
for k, row in enumerate(rows):
    assert max(abs(tau[int(offset[k]):int(offset[k + 1])])) == float(row["peak"])
assert "study: 1" in f["ulna/study"].asstr()[()] and "planar" in f["ulna/robot"].asstr()[()]
assert f["ulna/version"].asstr()[()] and f["ulna/complete"].asstr()[()] == "yes"
)");
  EXPECT_EQ(std::system(("/usr/bin/python3 " + check + " " + out).c_str()), 0);
}

}  // namespace
}  // namespace ulna::test
