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
        "{path: bodies.upper.mass, list: [2.5]}, {path: controllers.c.kp, list: [120]}"})
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
