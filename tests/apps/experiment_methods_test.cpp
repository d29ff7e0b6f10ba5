// Formulations, efforts by formula and by table, and 4x4 matrices of experiments, as a user asks
// for them.

#include <gmock/gmock.h>

#include <fstream>

#include "run_cli.hpp"
#include "support/places.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> methods = {
    "newton-euler", "newton-euler-compact",  "newton-euler-4x4", "lagrange-4x4",
    "kane",         "influence-coefficients"};

/// Short motions of robots of every kind.
struct Machine {
  std::string robot;
  const char* rest;
};
const Machine machines[] = {
    {"puma560", "motions: {all: 0.3*poly345(t/0.1)}"},
    {"four-bar", "start: {q: {joint1: 40 deg}}\nmotions: {joint1: 40*deg + 0.1*poly345(t/0.1)}"},
    {"flexible-two-link", "motions: {all: 0.1*poly345(t/0.1)}"},
    {"flexible-four-bar", ""},
    {"delta", ""},
    {testing::data_file("humanoid.yaml"),
     "motions: {grip: 0.05*poly345(t/0.1)}"},  // which another joint follows
};

class ExperimentMethods : public ::testing::Test {
 protected:
  std::string experiment(const std::string& text, const std::string& name = "e.yaml") const {
    return folder.write(name, "experiment: 1\n" + text + "\n");
  }
  std::string of(const Machine& machine) const {
    return experiment("robot: " + machine.robot + "\nduration: 0.1\nrecord: {interval: 0.05}\n" +
                      machine.rest);
  }
  TemporaryFolder folder;
};

TEST_F(ExperimentMethods, EachGivesTheSameEffortsOrTheSentenceThatASingleStateGets) {
  for (const Machine& machine : machines) {
    const std::string file = of(machine);
    const Json expected = run_json({"inverse", file});
    for (const std::string& method : methods) {
      SCOPED_TRACE(machine.robot + (" by " + method));
      const Outcome state = run_cli({"inverse", machine.robot, "--method", method, "--json"});
      const Outcome along = run_cli({"inverse", file, "--method", method, "--json"});
      ASSERT_EQ(along.status, state.status == 2 ? 2 : 0) << along.err;
      if (along.status == 2) {
        EXPECT_EQ(along.err, state.err);
        continue;
      }
      const Json found = Json::parse(along.out);
      EXPECT_EQ(found["method"], method);
      // Rounding, amplified by the stiff bodies of flexible robots.
      expect_json(found["tau"], expected["tau"], 1e-6);
      EXPECT_EQ(run_cli({"simulate", file, "--method", method}).status, 0);
    }
  }
}

TEST_F(ExperimentMethods, TheFileMayNameTheFormulationAndTheClosing) {
  const std::string rest = "robot: four-bar\nduration: 0.1\nstart: {q: {joint1: 40 deg}}\n";
  const Json plain = run_json({"simulate", experiment(rest)});
  const Json kane = run_json({"simulate", experiment(rest + "method: kane\nclosing: embedding")});
  EXPECT_EQ(kane["formulation"], "kane");
  EXPECT_EQ(kane["closing"], "embedding");
  expect_json(kane["final"]["q"], plain["final"]["q"], 1e-8);
  const std::string bad = experiment(rest + "method: articulated-body");
  const Outcome refused = run_cli({"simulate", bad});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("e.yaml:5"));
  EXPECT_THAT(refused.err, HasSubstr("forms no mass matrix, which the loops"));
  expect_refusal({"simulate", experiment(rest), "--method", "cane"}, {"--method", "cane", "kane"});
}

TEST_F(ExperimentMethods, PlatformsToo) {
  std::string text = content_of(testing::example_file("ddts.yaml"));
  text.replace(text.find("duration: 2 s"), 13, "duration: 0.04 s");
  const std::string file = folder.write("ddts.yaml", text);
  const Json expected = run_json({"inverse", file});
  for (const char* method : {"kane", "lagrange-4x4"})
    expect_json(run_json({"inverse", file, "--method", method})["tau"], expected["tau"], 1e-4);
}

TEST_F(ExperimentMethods, MatricesAlongAMotionAreThoseOfItsStates) {
  const std::string file = experiment(
      "robot: scara\nduration: 0.2\nrecord: {interval: 0.1}\n"
      "motions: {all: 0.3*sin(2*t)}\nwrenches: [{body: link3, force: [1, 2, 3]}]");
  const Json along = run_json({"matrices", file});
  ASSERT_EQ(along["records"].size(), 3u);
  const double t = along["records"][1]["t"];
  const auto thrice = [](double x) {
    const std::string one = Json(x).dump();
    return one + "," + one + "," + one;
  };
  const Json state = run_json({"matrices", "scara", "--q", thrice(0.3 * std::sin(2 * t)),
                               "--v=" + thrice(0.6 * std::cos(2 * t)),
                               "--a=" + thrice(-1.2 * std::sin(2 * t)), "--wrench", "link3:1,2,3"});
  for (std::size_t link = 0; link < 3; ++link)
    for (const auto& [key, matrix] : state["links"][link].items())
      expect_json(along["records"][1]["links"][link][key], matrix, 1e-9, key);
  const std::string csv = folder.path("matrices.csv");
  const Outcome written = run_cli({"matrices", file, "-o", csv, "--body", "link2"});
  EXPECT_EQ(written.status, 0) << written.err;
  EXPECT_THAT(written.out, HasSubstr("3 records of 12 matrices"));
  const std::string table = content_of(csv);
  EXPECT_THAT(table, HasSubstr("t[s],link2.relative_position.11,link2.relative_position.12"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 4);
  expect_refusal({"matrices", file, "--q", "0,0,0"}, {"--q", "experiment"});
  expect_refusal({"matrices", "scara", "-o", csv}, {"-o", "experiment"});
}

TEST_F(ExperimentMethods, EffortsMayBeFormulasOfTheState) {
  folder.write("planar.yaml", planar_arm);
  const std::string head = "robot: planar.yaml\nduration: 1\nintegrator: {rtol: 1e-10}\n";
  const Json written =
      run_json({"simulate",
                experiment(head + "constants: {k: 20}\ndrives:\n"
                                  "  shoulder: {effort: -k*q.shoulder - 3*v.shoulder + 5*sin(t)}\n"
                                  "  elbow: {effort: \"-k*q.elbow - 3*'v.elbow'\"}")});
  const Json controlled =
      run_json({"simulate", experiment(head + "drives: {all: controller}\n"
                                              "controllers: [{law: pd, kp: 20, kd: 3}]\n"
                                              "motions: {shoulder: 0, elbow: 0}")});
  EXPECT_NE(written["final"]["q"], controlled["final"]["q"]);  // 5 sin t is not in the controller
  const Json without =
      run_json({"simulate",
                experiment(head + "drives:\n  shoulder: {effort: -20*q.shoulder - 3*v.shoulder}\n"
                                  "  elbow: {effort: -20*q.elbow - 3*v.elbow}")});
  expect_json(without["final"]["q"], controlled["final"]["q"], 1e-7);
  const Outcome looped =
      run_cli({"simulate", experiment(head + "drives: {elbow: {effort: 2*a.shoulder}}")});
  EXPECT_EQ(looped.status, 2);
  EXPECT_THAT(looped.err, HasSubstr("'a.shoulder'"));
  EXPECT_THAT(looped.err, HasSubstr("algebraic loop"));
  EXPECT_THAT(looped.err, HasSubstr("e.yaml:5"));
  const Outcome motion = run_cli({"simulate", experiment(head + "motions: {elbow: 2*q.shoulder}")});
  EXPECT_EQ(motion.status, 2);
  EXPECT_THAT(motion.err, HasSubstr("q.shoulder"));
}

TEST_F(ExperimentMethods, TheEffortsOfARunDriveTheSameMotion) {
  folder.write("planar.yaml", planar_arm);
  const std::string head = "robot: planar.yaml\nduration: 0.5\nintegrator: {rtol: 1e-10}\n";
  const std::string moved =
      experiment(head + "record: {interval: 0.001}\nmotions: {all: 0.5*poly345(t/0.5)}");
  const Json inverse = run_json({"inverse", moved, "-o", folder.path("run")});
  const Json driven = run_json(
      {"simulate", experiment(head + "efforts: {table: run/run.csv, interpolation: cubic}")});
  expect_json(driven["final"]["q"], Json({0.5, 0.5}), 1e-6);
  folder.write("two.csv", "t,shoulder,elbow\n0,1,2\n0.5,1,2\n");
  const Json constant = run_json({"simulate", experiment(head + "efforts: {table: two.csv}")});
  const Json same = run_json(
      {"simulate", experiment(head + "drives: {shoulder: {effort: 1}, elbow: {effort: 2}}")});
  expect_json(constant["final"]["q"], same["final"]["q"], 1e-8);
  folder.write("wrong.csv", "t,sholder,elbow\n0,1,2\n0.5,1,2\n");
  const Outcome wrong = run_cli({"simulate", experiment(head + "efforts: {table: wrong.csv}")});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("'sholder'"));
  EXPECT_THAT(wrong.err, HasSubstr("shoulder"));
  EXPECT_EQ(run_cli({"simulate", experiment(head + "efforts: {table: none.csv}")}).status, 2);
}

}  // namespace
}  // namespace ulna::test
