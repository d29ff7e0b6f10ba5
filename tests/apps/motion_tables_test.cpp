// Motions from one table, mistakes in experiments, and tables of runs.

#include <gmock/gmock.h>

#include <cmath>
#include <sstream>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(MotionTables, AnExcitationIsFollowedFromItsTable) {
  TemporaryFolder folder;
  folder.write("arm.yaml", planar_arm);
  const std::string motion = folder.path("motion.csv");
  run_json({"identify", folder.path("arm.yaml"), "--excite", "--candidates", "3", "-o", motion});
  const std::vector<std::string> rows = lines_of(content_of(motion));
  EXPECT_EQ(rows.back().substr(0, 3), "10,");  // it ends where it begins
  EXPECT_EQ(rows.back().substr(2), rows[1].substr(1));
  const std::string file = folder.write("follow.yaml", R"(experiment: 1
robot: arm.yaml
duration: 10 s
motions: {table: motion.csv}
record: {interval: 10 ms, channels: [q, tau]}
)");
  const std::string run = folder.path("run");
  const Outcome outcome = run_cli({"simulate", file, "-o", run, "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  // The rates of the table are used: the motion is smooth and ends at rest.
  EXPECT_THAT(outcome.err, Not(HasSubstr("jump")));
  const std::vector<std::string> recorded = lines_of(content_of(run + "/run.csv"));
  ASSERT_EQ(recorded.size(), rows.size());
  for (const std::size_t k : {1u, 400u, 1001u}) {
    std::stringstream a(recorded[k]), b(rows[k]);
    for (int cell = 0; cell < 3; ++cell) {
      std::string x, y;
      std::getline(a, x, ','), std::getline(b, y, ',');
      EXPECT_NEAR(std::stod(x), std::stod(y), 1e-9);
    }
  }
}

TEST(MotionTables, TablesOfMotionsConvertTheirUnits) {
  TemporaryFolder folder;
  folder.write("arm.yaml", planar_arm);
  folder.write("log.csv", "t[ms],shoulder[deg],elbow[rad]\n0,0,0\n500,45,0.5\n1000,90,1\n");
  const auto final_of = [&](const std::string& motions) {
    const std::string file = folder.write(
        "e.yaml", "experiment: 1\nrobot: arm.yaml\nduration: 1 s\nmotions: " + motions + "\n");
    return run_json({"simulate", file})["final"]["q"];
  };
  expect_json(final_of("{table: log.csv}"), {M_PI / 2, 1}, 1e-9);
  expect_json(final_of("{shoulder: {table: log.csv, value: shoulder}, elbow: 1}"), {M_PI / 2, 1},
              1e-9);
  folder.write("bad.csv", "t,shoulder[m]\n0,0\n1,1\n");
  const std::string bad = folder.write(
      "bad.yaml", "experiment: 1\nrobot: arm.yaml\nduration: 1 s\nmotions: {table: bad.csv}\n");
  expect_refusal({"simulate", bad}, {"bad.csv", "'m' is not that of an angle"});
  folder.write("none.csv", "t,x\n0,0\n1,1\n");
  const std::string none = folder.write(
      "none.yaml", "experiment: 1\nrobot: arm.yaml\nduration: 1 s\nmotions: {table: none.csv}\n");
  expect_refusal({"simulate", none}, {"no column is the motion of a joint", "q.shoulder"});
}

TEST(MotionTables, SpreadsheetsAreTablesToo) {
  TemporaryFolder folder;
  folder.write("arm.yaml", planar_arm);
  folder.write("log.csv",
               "\xEF\xBB\xBFt [ms];shoulder [\xC2\xB0];elbow [rad];state\r\n0;0;0;AUTO\r\n"
               "500;45,0;0,5;AUTO\r\n1000;90,0;1;HOLD\r\n");
  const std::string file = folder.write(
      "e.yaml", "experiment: 1\nrobot: arm.yaml\nduration: 1 s\nmotions: {table: log.csv}\n");
  expect_json(run_json({"simulate", file})["final"]["q"], {M_PI / 2, 1}, 1e-9);
  const std::string svg = folder.path("a.svg");
  const Json plot = run_json({"plot", folder.path("log.csv"), "-o", svg});
  EXPECT_EQ(plot["channels"], Json({"shoulder", "elbow"}));
  EXPECT_THAT(content_of(svg), HasSubstr(">t "));
  folder.write("gap.csv", "t;shoulder\n0;0\n0,5;\n1;1\n");
  expect_refusal({"plot", folder.path("gap.csv"), "-o", svg}, {"gap.csv:3", "there is no number"});
  // The errors of plain tables stay what they were.
  folder.write("bad.csv", "t,shoulder\n0,0\n1,oops\n");
  expect_refusal({"plot", folder.path("bad.csv"), "-o", svg}, {"bad.csv:3", "'oops'"});
}

TEST(MotionTables, OneMistakeIsReportedOnce) {
  TemporaryFolder folder;
  const auto refused = [&](const std::string& rest) {
    const std::string file =
        folder.write("e.yaml", "experiment: 1\nrobot: puma560\nduration: 2 s\n" + rest + "\n");
    const Outcome outcome = run_cli({"simulate", file});
    EXPECT_EQ(outcome.status, 2);
    return outcome.err;
  };
  EXPECT_EQ(count_of(refused("motions: {all: {file: x.csv}}"), "error:"), 1);
  EXPECT_EQ(count_of(refused("drives: {all: blocked}"), "error:"), 1);
  folder.write("short.csv", "t,joint1,joint2,joint3\n0,0,0,0\n1,1,1,1\n");
  const std::string text = refused("motions: {table: short.csv}");
  EXPECT_EQ(count_of(text, "error:"), 1) << text;
  EXPECT_THAT(text, HasSubstr("outside: hold"));
  // Two mistakes are two.
  EXPECT_EQ(count_of(refused("motions: {joint1: {x: 1}, joint2: {y: 1}}"), "error:"), 2);
}

TEST(MotionTables, BearingsAreThoseThatCarrySomething) {
  TemporaryFolder folder;
  const std::string file = folder.write("e.yaml", R"(experiment: 1
robot: stewart-6-6
duration: 0.2 s
record: {interval: 10 ms, channels: [q]}
)");
  const Outcome outcome = run_cli({"simulate", file});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::size_t bearings = outcome.out.find("Bearings:");
  ASSERT_NE(bearings, std::string::npos);
  EXPECT_THAT(outcome.out.substr(bearings), Not(HasSubstr("\n  float ")));
  EXPECT_THAT(outcome.out.substr(bearings), HasSubstr("\n  leg1_hinge "));
  // Along an experiment in which nothing is driven there are no efforts, but there are bearings.
  const Outcome inverse = run_cli({"inverse", file, "--reactions"});
  EXPECT_THAT(inverse.out, HasSubstr("No joint is driven"));
  EXPECT_THAT(inverse.out, Not(HasSubstr("t [s]\n")));
}

}  // namespace
}  // namespace ulna::test
