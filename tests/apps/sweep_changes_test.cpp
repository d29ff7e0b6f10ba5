// Parameters of an experiment are changed in memory; the numbers are those of an experiment that is
// read from changed files, which `--sample K -o DIR` runs.

#include <algorithm>
#include <sstream>

#include "sweep_fixture.hpp"

namespace ulna::test {
namespace {

struct SweepChanges : Sweep {
  static constexpr const char* controlled = R"(experiment: 1
robot: arm.yaml
duration: 0.2 s
constants: {A: 0.5}
payloads: [{name: tool, body: lower, mass: 0.3, centre: [0.5, 0, 0]}]
motions: {shoulder: A*cycloid(t), elbow: 0.1}
drives: {shoulder: controller, elbow: controller}
controllers: [{name: c, law: pd, kp: 100, kd: {shoulder: 9, elbow: 8}, rate: 100 Hz, sensors: all}]
sensors: [{encoder: all, rate: 100 Hz, noise: 0.001}]
actuators: {shoulder: {kind: dc, resistance: 1, inductance: 1e-3, torque_constant: 0.3, gear: {ratio: 20}}}
events: [{name: stiffer, at: 0.1 s, do: {gains: {controller: c, kp: 200}}}]
friction: {elbow: {static: 0.2, stribeck_speed: 0.1}}
integrator: {rtol: 1e-8}
record: {interval: 0.05 s}
)";

  /// Final values by the study, and those of the last record of the run of the sample.
  void expect_same(const std::string& experiment, const std::string& parameters,
                   const std::string& q) {
    folder.write("swing.yaml", experiment);
    const Json row = run_json({"sweep",
                               study("parameters: [" + parameters +
                                     "]\nrun: simulate\nmeasures: {q: {take: final, of: q." + q +
                                     "}, v: {take: final, of: v." + q + "}}\n"),
                               "--sample", "0", "-o", folder.path("run")});
    ASSERT_EQ(row["status"], "ok") << parameters << row;
    const std::vector<std::string> lines = lines_of(content_of(folder.path("run/run.csv")));
    std::stringstream titles(lines.front()), last(lines.back());
    int seen = 0;
    for (std::string title, cell; std::getline(titles, title, ',');) {
      std::getline(last, cell, ',');
      for (const char* head : {"q", "v"})
        if (title.starts_with(head + ("." + q) + "[")) {
          EXPECT_EQ(row["measures"][head].get<double>(), std::stod(cell)) << parameters;
          ++seen;
        }
    }
    EXPECT_EQ(seen, 2) << lines.front();
    std::filesystem::remove_all(folder.path("run"));
    changed.push_back(row["measures"]["v"]);
  }

  /// No two changes gave the same.
  void TearDown() override {
    for (std::size_t k = 0; k < changed.size(); ++k)
      EXPECT_EQ(std::ranges::count(changed, changed[k]), 1) << k;
  }
  std::vector<double> changed;
};

TEST_F(SweepChanges, OfControlAndRobotAreThoseOfFiles) {
  for (const char* parameter :
       {"{path: controllers.c.kp, list: [120]}", "{path: controllers.c.kd.elbow, list: [11]}",
        "{path: sensors.0.noise, list: [0.002]}",
        "{path: actuators.shoulder.resistance, list: [3]}",
        "{path: events.stiffer.do.gains.kp, list: [300]}",
        "{path: events.stiffer.at, unit: ms, list: [150]}",
        "{path: friction.elbow.static, list: [0.4]}", "{path: integrator.rtol, list: [1e-6]}",
        "{path: bodies.upper.mass, list: [2.5]}", "{path: payloads.tool.mass, list: [0.5]}",
        "{path: joints.elbow.damping, list: [0.5]}", "{path: gravity.y, list: [-1.6]}",
        "{path: bodies.upper.mass, list: [2.5]}, {path: controllers.c.kp, list: [120]}",
        // What the file leaves out.
        "{path: integrator.largest_step, unit: ms, list: [0.5]}",
        "{path: controllers.c.kp, list: [110]}, {path: controllers.c.limit, list: [30]}",
        "{path: friction.shoulder.static, list: [0.3]}"})
    expect_same(controlled, parameter, "elbow");
}

TEST_F(SweepChanges, OfMotionsAndTimesAreThoseOfFiles) {
  for (const char* parameter :
       {"{path: constants.A, list: [0.7]}", "{path: duration, unit: ms, list: [150]}",
        "{path: motions.elbow, list: [0.2]}",
        "{path: constants.A, list: [0.7]}, {path: bodies.lower.mass, list: [1.5]}",
        "{name: a, set: {constants.A: a/2, controllers.c.kp: 100*a}, list: [1.2]}"})
    expect_same(controlled, parameter, "elbow");
}

TEST_F(SweepChanges, OfLoopsAndFlexibleLinksAreThoseOfFiles) {
  const std::string loop = R"(experiment: 1
robot: four-bar
duration: 0.05 s
constants: {k: 2}
start: {q: {joint1: 0.5}}
drives: {joint1: {effort: k}}
record: {interval: 0.05 s}
)";
  expect_same(loop, "{path: bodies.coupler.mass, list: [1]}", "joint1");
  expect_same(loop, "{path: constants.k, list: [3]}", "joint1");
  expect_same(loop, "{path: start.q.joint1, list: [0.6]}", "joint1");
  const std::string flexible = R"(experiment: 1
robot: flexible-single-link
duration: 0.02 s
constants: {k: 2}
drives: {hub: {effort: k}}
record: {interval: 0.02 s}
)";
  expect_same(flexible, "{path: constants.k, list: [3]}", "hub");
  expect_same(flexible, "{path: joints.hub.damping, list: [0.5]}", "hub");
}

// Every kind of motion, a number of one at a time; the others are shared with the file's.
TEST_F(SweepChanges, OfMotionsOfEveryKindAreThoseOfFiles) {
  folder.write("swing.csv", "t,x,elbow\n0,0,0\n0.1,0.2,0.1\n0.3,0.1,0.05\n");
  const auto experiment = [](const std::string& shoulder) {
    return "experiment: 1\nrobot: arm.yaml\nduration: 0.2 s\nconstants: {A: 0.5, B: 2*A}\n"
           "motions:\n  shoulder: " +
           shoulder +
           "\n  elbow: {table: swing.csv, value: x}\n"
           "drives: {shoulder: controller, elbow: {drive: controller, limit: 3}}\n"
           "controllers: [{name: c, law: pd, kp: 40, kd: 8}]\nrecord: {interval: 0.05 s}\n";
  };
  const std::pair<const char*, const char*> cases[] = {
      {"B*cycloid(t/0.2)", "constants.A"},
      {"B*sin(5*t) + 0.1*abs(t - 0.11)", "constants.A"},
      {"{program: poly345, from: 0, to: 0.4, time: 0.1}", "motions.shoulder.to"},
      {"{spline: cubic, times: [0, 0.1, 0.2], values: [0, 0.1, 0.4]}", "motions.shoulder.values.1"},
      {"{polynomial: [{at: 0, value: 0, rate: 0}, {at: 0.2, value: 0.1, rate: 0}]}",
       "motions.shoulder.polynomial.1.value"},
      {"{spin-up: 1.5, time: 0.1}", "motions.shoulder.spin-up"},
      {"{sequence: [{program: poly345, from: 0, to: 0.4, time: 0.1}, 0.4]}",
       "motions.shoulder.sequence.0.time"},
      {"{switched: 0.1, at: [0.05], until: 0.15}", "motions.shoulder.switched"},
      {"{table: swing.csv, value: x, interpolation: linear}", "controllers.c.kd"},
      {"0.1", "motions.shoulder"}};
  double value = 0.07;
  for (const auto& [motion, path] : cases)
    expect_same(experiment(motion),
                "{path: " + std::string(path) + ", list: [" + std::to_string(value += 0.001) + "]}",
                "shoulder");
  expect_same(
      "experiment: 1\nrobot: arm.yaml\nduration: 0.2 s\nconstants: {g: 9}\n"
      "motions: {table: swing.csv, interpolation: linear}\n"
      "drives: {shoulder: {effort: -g*q.shoulder + t}, elbow: {effort: 2*t}}\n"
      "record: {interval: 0.05 s}\n",
      "{path: constants.g, list: [11]}", "shoulder");
}

// Limits of drives are motors too: they stay when gains change.
TEST_F(SweepChanges, OfGainsKeepTheLimitsOfDrives) {
  const std::string limited =
      "experiment: 1\nrobot: arm.yaml\nduration: 0.2 s\n"
      "motions: {shoulder: 1, elbow: 0.1}\nstart: {q: {shoulder: 0, elbow: 0.1}}\n"
      "drives: {shoulder: {drive: controller, limit: 4}, elbow: controller}\n"
      "controllers: [{name: c, law: pd, kp: 100, kd: 9}]\nrecord: {interval: 0.05 s}\n";
  expect_same(limited, "{path: controllers.c.kd, list: [5]}", "shoulder");
  expect_same(limited, "{path: controllers.c.kp, list: [30]}", "shoulder");
}

// Wrenches, contacts, sampled and planned parts, the robot by its own keys.
TEST_F(SweepChanges, OfOtherPartsAreThoseOfFiles) {
  const std::string pushed =
      "experiment: 1\nrobot: arm.yaml\nduration: 0.2 s\nconstants: {F: 3}\n"
      "drives: {shoulder: {effort: F*t}}\nstart: {q: {shoulder: 0.3}}\n"
      "wrenches: [{body: lower, point: [0.4, 0, 0], force: [0, F, 2*sin(t)]}]\n"
      "events: [{name: hit, at: 0.1 s, do: {drive: {shoulder: {effort: F}}}}]\n"
      "record: {interval: 0.05 s}\n";
  for (const char* parameter :
       {"{path: constants.F, list: [4]}", "{path: wrenches.0.point.x, list: [0.2]}",
        "{path: wrenches.0.force.1, list: [5]}", "{path: start.q.shoulder, list: [0.35]}",
        "{path: start.v.elbow, list: [0.4]}", "{path: stops.restitution, list: [0.4]}",
        "{path: joints.shoulder.friction, list: [0.2]}", "{path: integrator.atol, list: [1e-5]}",
        "{path: bodies.lower.inertia.2, list: [0.0205]}", "{path: joints.elbow.at.x, list: [0.9]}",
        "{path: joints.elbow.spring.stiffness, list: [2]}",
        "{path: bodies.upper.inertia.1, list: [0.198]}, {path: joints.elbow.at.y, list: [0.1]}"})
    expect_same(pushed, parameter, "elbow");
}

// Limits are no part of the motion, but they refuse it.
TEST_F(SweepChanges, OfLimitsRefuseMotions) {
  folder.write("swing.yaml", std::string(swing));
  const std::string limits = study(
      "parameters: [{path: joints.shoulder.limits.upper, list: [0.6, 0.5001, 0.4, 0.49]}]\n"
      "run: inverse\nmeasures: {p: {take: largest, of: tau.shoulder}}\n");
  const char* statuses[] = {"ok", "ok", "failed", "failed"};
  for (int k = 0; k < 4; ++k) {
    const Json row = run_json({"sweep", limits, "--sample", std::to_string(k)}, k < 2 ? 0 : 1);
    EXPECT_EQ(row["status"], statuses[k]) << row;
  }
}

// What a changed motion cannot be is the reason of its sample, in terms of its path.
TEST_F(SweepChanges, MotionsBeyondLimitsAreReasons) {
  folder.write("swing.yaml",
               "experiment: 1\nrobot: arm.yaml\nduration: 1 s\nconstants: {A: 1}\n"
               "motions: {shoulder: A/(A - 2)*t, elbow: 0}\n");
  const Json row = run_json({"sweep",
                             study("parameters: [{path: constants.A, list: [1, 2]}]\nrun: inverse\n"
                                   "measures: {p: {take: largest, of: tau.shoulder}}\n"),
                             "--sample", "1"},
                            1);
  EXPECT_EQ(row["status"], "failed");
  EXPECT_NE(row["reason"].get<std::string>().find("constants.A"), std::string::npos) << row;
}

}  // namespace
}  // namespace ulna::test
