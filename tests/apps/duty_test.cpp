// What a run asks of motors and bearings, and limits: `simulate`, `inverse EXPERIMENT --reactions`.

#include <gmock/gmock.h>

#include <Eigen/Core>
#include <sstream>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

/// The first line of a CSV file.
std::string titles_of(const std::string& file) {
  std::istringstream lines(content_of(file));
  std::string first;
  std::getline(lines, first);
  return first;
}

const Json& row_named(const Json& table, const std::string& key, const std::string& name) {
  for (const Json& row : table)
    if (row.at(key) == name) return row;
  ADD_FAILURE() << "no row " << name << " in " << table;
  static const Json none = Json::object();
  return none;
}

/// A rod of 2 kg and 1 m that turns about z once in 2 s, gravity along -y: the holding effort is
/// m g L/2 cos q, the bearing carries m w^2 L/2 along the rod and the weight.
constexpr const char* turning_rod = R"(
ulna: 1
name: rod
gravity: [0, -9.81, 0]
bodies: [{name: rod, mass: 2, centre: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}]
joints:
  - name: hinge
    type: revolute
    parent: world
    child: rod
    limits: {lower: -1, upper: 7, velocity: 2, effort: 5}
)";

TEST(Duty, MotorsAndBearingsOfATurningRod) {
  TemporaryFolder folder;
  folder.write("rod.yaml", turning_rod);
  const std::string experiment = folder.write("turn.yaml", R"(
experiment: 1
robot: rod.yaml
duration: 2 s
motions: {hinge: pi*t}
record: {interval: 1 ms, channels: [q]}
)");
  const Json run = run_json({"simulate", experiment});
  const double weight = 2 * g0, w = M_PI, torque = weight * 0.5;
  ASSERT_EQ(run["motors"].size(), 1u);
  const Json& motor = run["motors"][0];
  EXPECT_NEAR(motor["peak_effort"], torque, 1e-9);
  EXPECT_NEAR(motor["rms_effort"], torque / std::sqrt(2.0), 1e-5);
  EXPECT_NEAR(motor["peak_speed"], w, 1e-12);
  EXPECT_NEAR(motor["rms_speed"], w, 1e-12);
  EXPECT_NEAR(motor["peak_power"], torque * w, 1e-9);
  EXPECT_NEAR(motor["rms_power"], torque * w / std::sqrt(2.0), 1e-5 * w);
  // Lifting by 1 m (the centre) and back: what is taken is given back.
  EXPECT_NEAR(motor["energy_taken"], weight * 1.0, 1e-4);
  EXPECT_NEAR(motor["energy_given_back"], weight * 1.0, 1e-4);
  const Json& bearing = row_named(run["bearings"], "joint", "hinge");
  // At the bottom, q = 3/2 pi, the centrifugal force and the weight add up.
  EXPECT_NEAR(bearing["peak_force"], weight + 2 * w * w * 0.5, 1e-9);
  EXPECT_NEAR(bearing["peak_force_t"], 1.5, 1e-9);
  EXPECT_NEAR(bearing["peak_moment"], 0, 1e-9);  // the torque is the motor's
  // Its speed is beyond the limit all the time.
  const Json& outside = row_named(run["outside_limits"], "name", "hinge");
  EXPECT_EQ(outside["position"], 0);
  EXPECT_NEAR(outside["speed"], 2, 1e-9);
  EXPECT_NEAR(outside["effort"], 2 * 2 / M_PI * std::acos(5 / torque), 1e-4);
  const Outcome text = run_cli({"simulate", experiment});
  EXPECT_THAT(text.out, HasSubstr("Motors: effort, speed and power"));
  EXPECT_THAT(text.out, HasSubstr("Bearings: peak force (N) and moment (N m)"));
  EXPECT_THAT(text.out, HasSubstr("Outside limits"));
  EXPECT_THAT(text.err,
              HasSubstr("joint 'hinge' starts at 3.14159 rad/s, above its speed limit 2"));
}

// Gravity along the axis: the bearing carries a moment, which turns with the rod.
TEST(Duty, MomentOfAnOverhangingRod) {
  TemporaryFolder folder;
  std::string rod = turning_rod;
  rod.replace(rod.find("[0, -9.81, 0]"), 13, "[0, 0, -9.81]");
  folder.write("rod.yaml", rod);
  const Json run = run_json({"simulate", folder.write("turn.yaml", R"(
experiment: 1
robot: rod.yaml
duration: 2 s
motions: {hinge: t^2}
record: {interval: 1 ms, channels: [q]}
)")});
  const double weight = 2 * g0, w = 4;  // at the end
  const Json& bearing = row_named(run["bearings"], "joint", "hinge");
  EXPECT_NEAR(bearing["peak_moment"], weight * 0.5, 1e-9);
  // Tangential and centrifugal, and the weight across both.
  EXPECT_NEAR(bearing["peak_force"], std::hypot(weight, 2 * w * w * 0.5, 2 * 2 * 0.5), 1e-6);
  EXPECT_NEAR(bearing["peak_force_t"], 2, 1e-9);
}

TEST(Duty, AStartOutsideLimitsIsSaidAtOnce) {
  TemporaryFolder folder;
  folder.write("rod.yaml", turning_rod);
  const std::string experiment = folder.write("fall.yaml", R"(
experiment: 1
robot: rod.yaml
duration: 0.1 s
start: {q: {hinge: -100 deg}}
)");
  const Outcome run = run_cli({"simulate", experiment});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("joint 'hinge' starts outside its limits: -1.74533 rad is below "
                                 "-1 rad"));
  // Once, not again in the end.
  EXPECT_EQ(run.err.find("starts outside"), run.err.rfind("starts outside"));
  // Near its lowest posture it swings outside all the time.
  const Json outside = run_json({"simulate", experiment})["outside_limits"];
  EXPECT_NEAR(row_named(outside, "name", "hinge")["position"], 0.1, 1e-9);
}

TEST(Duty, ReactionsOfLoopsAreChannels) {
  TemporaryFolder folder;
  for (const char* robot : {"four-bar", "delta", "ddts"}) {
    const Json info = run_json({"info", robot});
    const std::string file =
        folder.write("hold.yaml", std::string("experiment: 1\nrobot: ") + robot +
                                      "\nduration: 10 ms\ndrives: {all: locked}\n"
                                      "record: {interval: 10 ms, channels: "
                                      "[q, reaction]}\n");
    const std::string run = folder.path(std::string("run-") + robot);
    const Outcome outcome = run_cli({"simulate", file, "-o", run});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    std::istringstream lines(content_of(run + "/run.csv"));
    std::string titles, values;
    std::getline(lines, titles);
    std::getline(lines, values);
    std::vector<std::string> names, numbers;
    for (std::istringstream cells(titles); std::getline(cells, names.emplace_back(), ',');)
      continue;
    for (std::istringstream cells(values); std::getline(cells, numbers.emplace_back(), ',');)
      continue;
    // What the ground exerts holds the weight.
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    int grounded = 0;
    const auto add = [&](const std::string& name, double sense) {
      for (std::size_t k = 0; k < names.size(); ++k)
        for (int axis = 0; axis < 3; ++axis)
          if (names[k] == "reaction." + name + ".f" + "xyz"[axis] + "[N]")
            sum(axis) += sense * std::stod(numbers[k]), ++grounded;
    };
    for (const Json& joint : info["joints"])
      if (joint["parent"] == "world") add(joint["name"], 1);
    if (robot == std::string("four-bar")) add("joint4", -1);  // its child is the world
    EXPECT_GE(grounded, 6) << robot;
    const double mass = info["mass"];
    EXPECT_NEAR(sum.norm(), mass * g0, 1e-8 * (1 + mass * g0)) << robot;
    const Json summary = Json::parse(content_of(run + "/summary.json"));
    EXPECT_EQ(summary["bearings"].size() * 6 + info["coordinates"].size() + 1, names.size() - 1)
        << robot;
  }
}

TEST(Duty, ReactionsAlongAnExperiment) {
  TemporaryFolder folder;
  const std::string four_bar = folder.write("turn.yaml", R"(
experiment: 1
robot: four-bar
duration: 0.2 s
start: {q: {joint1: 30 deg}}
motions: {joint1: 30 deg + 2*t}
record: {interval: 0.1 s}
)");
  const Json run = run_json({"inverse", four_bar, "--reactions"});
  ASSERT_EQ(run["t"].size(), 3u);
  // The same as at the states themselves.
  const Json info = run_json({"info", "four-bar"});
  const Json state = run_json({"inverse", "four-bar", "--q", "joint1=30deg", "--v", "joint1=2",
                               "--a", "joint1=0", "--reactions", "--expressed-in", "world"});
  for (const auto& [joint, wrench] : state["reactions"].items())
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(run["reactions"][joint]["force"][0][k], wrench["force"][k], 1e-7) << joint;
      EXPECT_NEAR(run["reactions"][joint]["moment"][0][k], wrench["moment"][k], 1e-7) << joint;
    }
  const std::string table = folder.path("torques.csv");
  const Json written = run_json({"inverse", four_bar, "--reactions", "-o", table});
  EXPECT_EQ(written["outputs"][0], table);
  EXPECT_THAT(titles_of(table), HasSubstr("tau.joint1[Nm]"));
  EXPECT_THAT(titles_of(table), HasSubstr("reaction."));
  const std::string picture = folder.path("torques.svg");
  run_json({"inverse", four_bar, "-o", picture});
  EXPECT_THAT(content_of(picture), HasSubstr("Efforts"));
}

TEST(Duty, AChannelThatCannotBeGivenIsNamed) {
  TemporaryFolder folder;
  folder.write("rod.yaml", turning_rod);
  for (const char* channel : {"closure", "closing", "elastic", "element", "contact", "sensor"}) {
    const std::string file = folder.write("e.yaml", std::string("experiment: 1\nrobot: rod.yaml\n"
                                                                "duration: 1 s\nrecord: {channels: "
                                                                "[q, ") +
                                                        channel + "]}\n");
    expect_refusal({"simulate", file}, {std::string("there is no channel '") + channel + "'"});
  }
}

TEST(Duty, AnInterruptedRunCountsOn) {
  // The memory of the tables is part of the checkpoint: events make phases, which hand it on.
  TemporaryFolder folder;
  folder.write("rod.yaml", turning_rod);
  const std::string plain = R"(
experiment: 1
robot: rod.yaml
duration: 2 s
motions: {hinge: pi*t}
record: {interval: 1 ms, channels: [q]}
)";
  const Json whole = run_json({"simulate", folder.write("a.yaml", plain)});
  const Json parts = run_json({"simulate", folder.write("b.yaml", plain + R"(
events: [{name: now, at: 1 s, do: {pick: {name: speck, body: rod, mass: 1e-12}}}]
)")});
  EXPECT_NEAR(parts["motors"][0]["rms_effort"], whole["motors"][0]["rms_effort"], 1e-6);
  EXPECT_NEAR(parts["motors"][0]["energy_taken"], whole["motors"][0]["energy_taken"], 1e-6);
  EXPECT_EQ(parts["bearings"][0]["peak_force_t"], whole["bearings"][0]["peak_force_t"]);
}

TEST(Duty, ADriveSaturates) {
  TemporaryFolder folder;
  folder.write("rod.yaml", turning_rod);
  for (const char* limit : {"5 N m", "robot"}) {
    const std::string file = folder.write("push.yaml", std::string(R"(
experiment: 1
robot: rod.yaml
duration: 0.1 s
gravity: [0, 0, 0]
drives: {hinge: {effort: 100*t, limit: )") + limit + R"(}}
record: {interval: 1 ms}
)");
    const Json run = run_json({"simulate", file});
    EXPECT_NEAR(run["motors"][0]["peak_effort"], 5, 1e-12) << limit;
    // I = 0.2 + 2 * 0.25: the impulse of a ramp to 5 N m at 50 ms, then 5 N m.
    EXPECT_NEAR(run["final"]["v"][0], (0.5 * 0.05 * 5 + 0.05 * 5) / 0.7, 1e-6) << limit;
    EXPECT_EQ(run["outside_limits"].size(), 0u) << limit;
  }
  const std::string held = folder.write("hold.yaml", R"(
experiment: 1
robot: rod.yaml
duration: 0.1 s
start: {q: {hinge: 0}}
drives: {hinge: {drive: controller, limit: 4 N m}}
controllers: [{law: pd, kp: 1000, kd: 100}]
)");
  EXPECT_NEAR(run_json({"simulate", held})["motors"][0]["peak_effort"], 4, 1e-12);
}

TEST(Duty, ARobotWhereAnExperimentIsWanted) {
  TemporaryFolder folder;
  const std::string robot = folder.write("rod.yaml", turning_rod);
  expect_refusal({"simulate", robot}, {"this file describes a robot", "ulna init"});
  for (const char* file : {"rod.urdf", "rod.xml"}) {
    run_json({"convert", robot, "-o", folder.path(file)});
    expect_refusal({"simulate", folder.path(file)}, {"this file describes a robot", "ulna init"});
  }
  expect_refusal({"simulate", "puma560"}, {"this file describes a robot", "ulna init"});
}

// One mistake is one error, whichever kind of file stands for which.
TEST(Duty, AFileOfAnotherKindIsOneMistake) {
  TemporaryFolder folder;
  const std::string robot = folder.write("rod.yaml", turning_rod);
  const std::string experiment =
      folder.write("turn.yaml", "experiment: 1\nrobot: rod.yaml\nduration: 1 s\n");
  const std::string study =
      folder.write("study.yaml", "study: 1\nexperiment: turn.yaml\nparameters: []\nmeasures: {}\n");
  const auto refused = [](const std::vector<std::string>& words, const std::string& says,
                          const std::string& way_out) {
    const Outcome outcome = run_cli(words);
    EXPECT_EQ(outcome.status, 2) << words[0];
    EXPECT_EQ(count_of(outcome.err, "error:"), 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(says));
    EXPECT_THAT(outcome.err, HasSubstr(way_out));
  };
  refused({"fk", experiment}, "describes an experiment, not a robot", "its robot is 'rod.yaml'");
  refused({"info", study}, "describes a study, not a robot", "ulna sweep");
  refused({"simulate", study}, "describes a study, not an experiment", "ulna sweep");
  refused({"sweep", robot, "-o", folder.path("out")}, "describes a robot, not a study",
          "study-file");
  refused({"sweep", experiment, "-o", folder.path("out")}, "describes an experiment, not a study",
          "ulna simulate");
  refused({"study", "fidelity", robot}, "describes a robot, not an experiment", "ulna init");
}

}  // namespace
}  // namespace ulna::test
