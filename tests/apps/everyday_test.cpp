// Small things that a new user meets: one joint or none, joints that follow others, names mistyped,
// robots in which nothing is elastic.

#include <gmock/gmock.h>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* one_hinge = R"(
ulna: 1
name: one
gravity: [0, -9.81, 0]
bodies: [{name: rod, mass: 2, centre: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}]
joints: [{name: hinge, type: revolute, parent: world, child: rod}]
)";

/// Two links of which the second turns back half of what the first turns, on a plate that is fixed.
constexpr const char* following_arm = R"(<robot name="follower"><link name="base"/>
<link name="a"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="plate"/>
<joint name="drive" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="3" effort="20"/></joint>
<joint name="follow" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0.2 0 0"/><axis xyz="0 1 0"/><mimic joint="drive" multiplier="-0.5"/><limit lower="-2" upper="2" velocity="3" effort="20"/></joint>
<joint name="mount" type="fixed"><parent link="b"/><child link="plate"/><origin xyz="0.2 0 0"/></joint></robot>)";

TEST(Everyday, OneIsCountedInTheSingular) {
  TemporaryFolder folder;
  const std::string robot = folder.write("one.yaml", one_hinge);
  EXPECT_THAT(run_cli({"info", robot}).out,
              HasSubstr("1 degree of freedom, 1 coordinate, mass 2 kg"));
  EXPECT_THAT(run_cli({"info", "four-bar"}).out,
              HasSubstr("3 speeds, 5 rows of rank 2: 1 degree of freedom ("));
  EXPECT_THAT(run_cli({"verify", robot, "--states", "1"}).out, HasSubstr("1 state: all agree"));
}

TEST(Everyday, ARobotWithoutJointsSaysThatThereIsNothingToDrive) {
  TemporaryFolder folder;
  const std::string robot =
      folder.write("none.yaml",
                   "ulna: 1\nname: none\nbodies: [{name: base, mass: 1}]\n"
                   "joints: [{name: bolt, type: fixed, parent: world, child: base}]\n");
  EXPECT_THAT(run_cli({"info", robot}).out, HasSubstr("0 degrees of freedom, 0 coordinates"));
  const Outcome inverse = run_cli({"inverse", robot});
  EXPECT_EQ(inverse.status, 0);
  EXPECT_THAT(inverse.out,
              HasSubstr("robot 'none' has no degree of freedom: there are no efforts"));
  EXPECT_EQ(run_json({"inverse", robot, "--reactions"})["reactions"]["bolt"]["force"][2], g0);
  EXPECT_EQ(run_json({"fk", robot})["frames"].size(), 1u);
}

// Frequencies of zero alone do not say why.
TEST(Everyday, ModesSayWhenNothingIsElastic) {
  const std::string says = "nothing is elastic";
  EXPECT_THAT(run_cli({"modes", "ur5e"}).out, HasSubstr(says));
  EXPECT_THAT(run_json({"modes", "ur5e"})["remark"].get<std::string>(), HasSubstr(says));
  const Outcome sprung = run_cli({"modes", "ur5e", "--elastic", "all=1e4"});
  EXPECT_THAT(sprung.out, HasSubstr("what vibrates here are joints with springs"));
  EXPECT_THAT(sprung.out, Not(HasSubstr(says)));
  EXPECT_FALSE(run_json({"modes", "t3r3-frame"}).contains("remark"));
}

TEST(Everyday, JointsWithoutACoordinateOfTheirOwnSayWhy) {
  TemporaryFolder folder;
  const std::string robot = folder.write("f.urdf", following_arm);
  expect_refusal({"fk", robot, "--q", "follow=30deg"}, {"no 'follow'", "'follow' follows 'drive'"});
  expect_refusal({"fk", robot, "--q", "mount=30deg"}, {"no 'mount'", "'mount' is fixed"});
  expect_refusal({"fk", robot, "--v", "folow=1"}, {"no 'folow'"});
  // The follower goes with its drive, in every command.
  const Json inverse = run_json({"inverse", robot, "--q", "drive=30deg"});
  const double h = 1e-6, at = M_PI / 6;
  const auto energy = [&](double q) {
    return run_json({"energy", robot, "--q", std::to_string(q)})["potential"].get<double>();
  };
  const auto exact = [&](double q) {  // of both links, downwards positive about y
    return -g0 * (0.1 * std::sin(q) + 0.2 * std::sin(q) + 0.1 * std::sin(q / 2));
  };
  EXPECT_NEAR(inverse["tau"][0], (exact(at + h) - exact(at - h)) / (2 * h), 1e-8);
  EXPECT_NEAR(energy(0.5) - energy(0), exact(0.5) - exact(0), 1e-5);
}

TEST(Everyday, LettersExchangedAndBeginningsTellTheNearestName) {
  TemporaryFolder folder;
  const std::string experiment = folder.write(
      "e.yaml", "experiment: 1\nrobot: puma560\nduration: 1 s\nrecord: {channels: [q, tua]}\n");
  expect_refusal({"simulate", experiment}, {"did you mean 'tau'?"});
  expect_refusal({"info", "ur6"}, {"did you mean 'ur5e'?"});
  expect_refusal({"info", "Pmua560"}, {"did you mean 'puma560'?"});
}

TEST(Everyday, PosesOfPlatformsAreShownInDegrees) {
  const std::vector<std::string> words = {"platform", "stewart-6-6", "--rpy", "0,0,10",
                                          "--degrees"};
  EXPECT_THAT(run_cli(words).out, HasSubstr("rotation vector (0, 0, 10) in degrees"));
  EXPECT_THAT(run_cli({"platform", "stewart-6-6", "--rpy", "0,0,10deg"}).out,
              HasSubstr("rotation vector (0, 0, 0.174533)\n"));
}

TEST(Everyday, UnitsThatNobodyKnowsHaveAWayOut) {
  TemporaryFolder folder;
  const std::string robot = folder.write("one.yaml", one_hinge);
  std::string log = "t,hinge (Grad)\n";
  for (int k = 0; k < 50; ++k)
    log += std::to_string(0.01 * k) + "," + std::to_string(20 * std::sin(0.05 * k)) + "\n";
  const std::string file = folder.write("log.csv", log);
  expect_refusal({"inverse", robot, "--csv", file},
                 {"the unit 'Grad' is not that of an angle",
                  "--column 'q.hinge=hinge (Grad)*FACTOR' converts it (pi/180 for degrees)"});
  run_json({"inverse", robot, "--csv", file, "--column", "q.hinge=hinge (Grad)*pi/180"});
  expect_refusal({"plot", folder.path("none.csv"), "-o", folder.path("a.svg")},
                 {"no such file", "a CSV file"});
}

// The motors of a mechanism whose log is given are where it was recorded.
TEST(Everyday, MotorsAlongALogAreThoseThatWereRecorded) {
  TemporaryFolder folder;
  std::string log = "t,q.joint2\n";
  for (int k = 0; k < 100; ++k)
    log += std::to_string(0.01 * k) + "," + std::to_string(2.05 + 0.05 * std::sin(0.05 * k)) + "\n";
  const std::vector<std::string> words = {"inverse", "four-bar", "--csv",
                                          folder.write("log.csv", log)};
  const Json out = run_json(words);
  for (const Json& tau : out["tau"])
    for (const int k : {0, 2}) EXPECT_EQ(tau[k], 0.0);
  EXPECT_NE(out["tau"][50][1], 0.0);
  const Outcome text = run_cli(words);
  EXPECT_THAT(text.err, HasSubstr("the motor is at joint2, whose motion was given"));
  EXPECT_THAT(text.out, Not(HasSubstr("joint1 ")));
}

TEST(Everyday, SeveralMotorsAreNamedInThePlural) {
  const Outcome outcome =
      run_cli({"inverse", "five-bar", "--q", "left=120deg,right=60deg", "--v", "left=1,right=1"});
  EXPECT_THAT(outcome.err, HasSubstr("the motors are at left, right, whose motions were given; "
                                     "--actuated names others"));
}

// Peaks of force and moment with their times for every joint, those that close loops included.
TEST(Everyday, BearingsOfAFourBarHaveTheirPeaks) {
  TemporaryFolder folder;
  const std::string file = folder.write("turn.yaml", R"(
experiment: 1
robot: four-bar
duration: 1 s
start: {q: {joint1: 30 deg}}
motions: {joint1: 30 deg + 0.3*sin(2*pi*t)}
record: {interval: 5 ms, channels: [q, reaction]}
)");
  const std::string run = folder.path("run");
  const Json summary = run_json({"simulate", file, "-o", run});
  const Json bearings = summary["bearings"];
  ASSERT_EQ(bearings.size(), 4u);
  const std::vector<std::string> lines = lines_of(content_of(run + "/run.csv"));
  std::vector<std::string> titles;
  for (std::istringstream cells(lines[0]); std::getline(cells, titles.emplace_back(), ',');)
    continue;
  for (const Json& bearing : bearings) {
    const std::string name = "reaction." + bearing["joint"].get<std::string>() + ".fx[N]";
    const auto at = std::find(titles.begin(), titles.end(), name) - titles.begin();
    ASSERT_LT(at, std::ssize(titles)) << name;
    double peak = 0, when = 0;
    for (std::size_t k = 1; k < lines.size(); ++k) {
      std::vector<double> x;
      std::istringstream cells(lines[k]);
      for (std::string cell; std::getline(cells, cell, ',');) x.push_back(std::stod(cell));
      const double force = std::hypot(x[at], x[at + 1], x[at + 2]);
      if (force > peak * (1 + 1e-12)) peak = force, when = x[0];
    }
    EXPECT_NEAR(bearing["peak_force"], peak, 1e-9 * peak) << name;
    EXPECT_NEAR(bearing["peak_force_t"], when, 1e-12) << name;
    EXPECT_TRUE(bearing.contains("peak_moment") && bearing.contains("peak_moment_t"));
  }
  EXPECT_THAT(run_cli({"simulate", file}).out, HasSubstr("closes a loop"));
}

// Files round angles to a few digits; the arm still has its closed form.
TEST(Everyday, RoundedAnglesLeaveTheClosedForm) {
  TemporaryFolder folder;
  std::string text = "<robot name=\"rounded\"><link name=\"l0\"/>";
  const double a[] = {0, -0.425, -0.39225, 0, 0, 0},
               d[] = {0.089159, 0, 0, 0.10915, 0.09465, 0.0823};
  const char* alpha[] = {"1.570796", "0", "0", "1.570796", "-1.570796", "0"};
  for (int k = 0; k < 6; ++k) {
    const std::string n = std::to_string(k + 1);
    text += "<link name=\"l" + n + "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" " +
            "izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"j" + n +
            "\" type=\"revolute\"><parent link=\"l" + std::to_string(k) + "\"/><child link=\"l" +
            n +
            "\"/><axis xyz=\"0 0 1\"/><limit lower=\"-6.2832\" upper=\"6.2832\" velocity=\"3\" "
            "effort=\"100\"/>";
    if (k > 0)
      text += "<origin xyz=\"" + std::to_string(a[k - 1]) + " 0 " + std::to_string(d[k - 1]) +
              "\" rpy=\"" + alpha[k - 1] + " 0 0\"/>";
    text += "</joint>";
  }
  const Json all = run_json({"ik", folder.write("r.urdf", text + "</robot>"), "--position",
                             "0.3,0.2,0.3", "--rpy", "0.2,2.8,0.1", "--all"});
  EXPECT_EQ(all["method"], "closed-form");
  EXPECT_EQ(all["solutions"].size(), 8u);
  for (const Json& solution : all["solutions"]) {
    EXPECT_LT(double(solution["residual"]), 1e-9);
    EXPECT_TRUE(solution["posture"].contains("elbow")) << solution;
  }
}

}  // namespace
}  // namespace ulna::test
