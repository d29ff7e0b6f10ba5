// ulna motion.

#include <gmock/gmock.h>

#include <fstream>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(MotionCommand, AProgramHasItsEndsPeaksAndFactors) {
  const Json out =
      run_json({"motion", "--program", "poly345", "--from", "0", "--to", "1", "--time", "2"});
  expect_json(out, Json::parse(R"({"ulna": 1, "motion": "poly345", "duration": 2,
    "begin": {"value": 0, "rate": 0, "acceleration": 0, "jerk": 7.5},
    "end": {"value": 1, "rate": 0, "acceleration": 0, "jerk": 7.5},
    "peaks": {"lowest": {"value": 0, "time": 0}, "highest": {"value": 1, "time": 2},
      "rate": {"value": 0.9375, "time": 1}, "acceleration": {"value": 1.4433756729740643, "time": 0.4226497},
      "jerk": {"value": 7.5, "time": 0}},
    "peak_factors": {"velocity": 1.875, "acceleration": 5.773502691896258, "jerk": 60, "continuity_class": 3},
    "breakpoints": [0, 2]})"),
              1e-6);  // of the times of peaks; values are flat there
  EXPECT_EQ(out, run_json({"motion", "poly345", "--to", "1", "--time", "2"}));
  EXPECT_TRUE(run_json({"motion", "constant-acceleration", "--to", "1", "--time",
                        "1"})["peak_factors"]["jerk"]
                  .is_null());
}

TEST(MotionCommand, AFormulaIsSampledToAFile) {
  const TemporaryFolder folder;
  const std::string file = folder.path("q2.csv");
  const Json out = run_json(
      {"motion", "pi/2 - (pi/6)*cycloid(t/2)", "--time", "2", "--samples", "5", "-o", file});
  EXPECT_EQ(out["file"], file);
  EXPECT_NEAR(out["end"]["value"].get<double>(), 3.14159265358979 / 3, 1e-14);
  EXPECT_EQ(out["breakpoints"], Json::parse("[0, 2]"));
  const std::string text = content_of(file);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
  EXPECT_THAT(text, HasSubstr("time,q,q.rate,q.acceleration,q.jerk\n0,"));
  EXPECT_THAT(run_cli({"motion", "t", "--time", "1", "--samples", "2"}).out,
              HasSubstr("\n1,1,1,0,0\n"));
  const Json rows =
      run_json({"motion", "--formula=-a*t", "--define", "a=2", "--time", "1", "--samples", "2"});
  EXPECT_EQ(rows["rows"][1][1], -2);
}

TEST(MotionCommand, PeopleSeeATable) {
  const Outcome out = run_cli({"motion", "spin-up", "--rate", "6", "--time", "15"});
  EXPECT_EQ(out.status, 0);
  EXPECT_THAT(out.out, HasSubstr("acceleration"));
  EXPECT_THAT(out.err, IsEmpty());
  EXPECT_THAT(run_cli({"motion", "harmonic", "--to", "1", "--time", "1"}).out,
              HasSubstr("infinite"));
}

TEST(MotionCommand, AnExperimentShowsAllItsJointsAndPlotsThem) {
  const TemporaryFolder folder;
  const std::string file = folder.path("e.yaml"), csv = folder.path("e.csv"),
                    svg = folder.path("e.svg");
  std::ofstream(file) << "experiment: 1\nrobot: scara\n"
                         "motions: {joint1: {program: poly345, to: 1, time: 2 s}}\n"
                         "timing: {scale: 2}\n";
  const Json out = run_json({"motion", file, "--samples", "3"});
  EXPECT_EQ(out["duration"], 1);
  EXPECT_NEAR(out["rows"][1][1].get<double>(), 0.5, 1e-15);
  EXPECT_NEAR(out["peaks"]["joint1"]["rate"].get<double>(), 1.875, 1e-14);
  EXPECT_EQ(run_cli({"motion", file, "-o", csv}).status, 0);
  EXPECT_THAT(content_of(csv), HasSubstr("t[s],q.joint1[rad]"));
  EXPECT_EQ(run_cli({"motion", file, "-o", svg}).status, 0);
  EXPECT_THAT(content_of(svg), HasSubstr("<svg"));
  EXPECT_EQ(run_cli({"motion", file, "--to", "1"}).status, 2);
}

TEST(LinearizeCommand, AlongAMotionHasAPointForEachTime) {
  const TemporaryFolder folder;
  const std::string file = folder.path("e.yaml");
  std::ofstream(file) << "experiment: 1\nrobot: puma560\nduration: 1 s\n"
                         "motions: {joint2: 0.5*cycloid(t)}\n";
  const Json out = run_json({"linearize", file, "--times", "0,1"});
  ASSERT_EQ(out["points"].size(), 2u);
  const Json still = run_json({"linearize", "puma560", "--q", "0,0.5,0,0,0,0"});
  expect_json(out["points"][1]["A"], still["A"], 1e-9);
  EXPECT_EQ(run_cli({"linearize", file, "--times", "2"}).status, 2);
  EXPECT_EQ(run_cli({"linearize", file, "--q", "0"}).status, 2);
}

void expect_refused_with(const std::vector<std::string>& words, const std::string& says,
                         int status = 2) {
  const Outcome out = run_cli(words);
  EXPECT_EQ(out.status, status) << out.err;
  EXPECT_THAT(out.out, IsEmpty());
  EXPECT_THAT(out.err, HasSubstr(says));
}

TEST(MotionCommand, BadInputIsRefused) {
  expect_refused_with({"motion"}, "no motion");
  expect_refused_with({"motion", "t", "--program", "poly345"}, "several");
  expect_refused_with({"motion", "t"}, "--time is missing");
  expect_refused_with({"motion", "poly345", "--time", "1"}, "--to is missing");
  expect_refused_with({"motion", "poly345", "--to", "1", "--time", "0"}, "above zero");
  expect_refused_with({"motion", "poly345", "--to", "1", "--time", "-1"}, "above zero");
  expect_refused_with({"motion", "t", "--time", "-1"}, "above zero");
  expect_refused_with({"motion", "poly345", "--to", "nan", "--time", "1"}, "--to");
  expect_refused_with({"motion", "poly345", "--to", "1/0", "--time", "1"}, "--to");
  expect_refused_with({"motion", "--program", "poly354", "--to", "1", "--time", "1"}, "poly345");
  expect_refused_with({"motion", "cyclod(t)", "--time", "1"}, "did you mean 'cycloid'");
  expect_refused_with({"motion", "a*t", "--time", "1"}, "unknown name 'a'");
  expect_refused_with({"motion", "t", "--define", "a", "--time", "1"}, "NAME=NUMBER");
  expect_refused_with({"motion", "t", "--from", "1", "--time", "1"}, "does not take --from");
  expect_refused_with({"motion", "t", "--time", "1", "--samples", "1"}, "--samples");
  expect_refused_with({"motion", "t", "--time", "1", "--samples", "99999999"}, "at most");
  expect_refused_with({"motion", "trapezoidal-jerk", "--to", "1", "--time", "1", "--breaks", "0,1"},
                      "8 parts");
  expect_refused_with({"motion", "poly345", "--to", "1", "--time", "1", "--breaks", "0,1"},
                      "does not take");
  expect_refused_with({"motion", "t", "--time", "1", "-o", "/nowhere/x.csv"}, "/nowhere/x.csv");
  expect_refused_with({"motion", "log(t)", "--time", "1"}, "no finite value at t = 0", 1);
  expect_refused_with(
      {"motion", std::string(10'000, '(') + "t" + std::string(10'000, ')'), "--time", "1"},
      "nested more than 100 deep");
}

TEST(MotionCommand, AFileAppearsCompleteOrNotAtAll) {
  const TemporaryFolder folder;
  const std::string file = folder.write("q.csv", "before");
  expect_refused_with({"motion", "1/(t - 1)", "--time", "2", "--samples", "3", "-o", file},
                      "no finite", 1);
  EXPECT_EQ(content_of(file), "before");
  expect_refused_with({"motion", "t", "--time", "2", "-o", "/dev/full"}, "/dev/full", 1);
}

}  // namespace
}  // namespace ulna::test
