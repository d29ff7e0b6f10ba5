// States from the command line: values by name for every robot, joints that close loops, numbers
// with units, motions of frames, wrenches in the axes of a frame.

#include <gmock/gmock.h>

#include "run_cli.hpp"
#include "support/places.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

/// The same to the last printed digit but for rounding in other orders.
void expect_close(const Json& found, const Json& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_NEAR(double(found[k]), double(expected[k]),
                tolerance * (1 + std::abs(double(expected[k]))));
}

void expect_refused(const std::vector<std::string>& words, const char* text, int status = 2) {
  const Outcome outcome = run_cli(words);
  EXPECT_EQ(outcome.status, status) << ::testing::PrintToString(words);
  EXPECT_THAT(outcome.err, HasSubstr(text));
}

TEST(States, EveryCommandTakesNamedValuesOfATree) {
  for (const char* command : {"fk", "jacobian", "mass", "energy", "inverse", "forward", "regressor",
                              "matrices", "influence", "linearize"}) {
    const Json named = run_json({command, "puma560", "--q", "joint3=90deg,joint2=-0.5"});
    const Json listed = run_json({command, "puma560", "--q", "0,-0.5,90deg,0,0,0"});
    EXPECT_EQ(named, listed) << command;
  }
  EXPECT_EQ(
      run_json({"inverse", "puma560", "--v", "joint2=30deg/s", "--a", "joint1=2"})["tau"],
      run_json({"inverse", "puma560", "--v", "0,30deg/s,0,0,0,0", "--a", "2,0,0,0,0,0"})["tau"]);
  EXPECT_EQ(run_json({"forward", "puma560", "--tau", "joint2=-20 N m"})["a"],
            run_json({"forward", "puma560", "--tau", "0,-20,0,0,0,0"})["a"]);
  expect_refused({"fk", "puma560", "--q", "joint9=1"}, "the robot has no 'joint9'");
}

TEST(States, NumbersAreReadAlikeEverywhere) {
  const Json expected = run_json({"fk", "puma560", "--q", "1.5707963267948966,0,0,0,0,0"});
  for (const char* quarter :
       {"90deg", "90 deg", "pi/2", "2*pi/4", "0.25 rev", "+1.5707963267948966"})
    EXPECT_EQ(run_json({"fk", "puma560", "--q", std::string(quarter) + ",0,0,0,0,0"}), expected)
        << quarter;
  EXPECT_EQ(run_json({"fk", "puma560", "--q", "-pi/2,0,0,0,0,0"}),
            run_json({"fk", "puma560", "--q", "-90deg,0,0,0,0,0"}));
  EXPECT_EQ(run_json({"inverse", "puma560", "--gravity", "0,0,-9.81 m/s^2"}),
            run_json({"inverse", "puma560", "--gravity", "0,0,-9.81"}));
  EXPECT_EQ(run_json({"inverse", "puma560", "--wrench", "link6:0,0,-0.02 kN,0,0,500 mNm"})["tau"],
            run_json({"inverse", "puma560", "--wrench", "link6:0,0,-20,0,0,0.5"})["tau"]);
  expect_refused({"fk", "puma560", "--q", "25 mm,0,0,0,0,0"}, "'25 mm' has the wrong unit");
  expect_refused({"fk", "puma560", "--q", "joint2=25 mm"}, "joint2: '25 mm' has the wrong unit");
  expect_refused({"fk", "puma560", "--q", "30 dog,0,0,0,0,0"}, "did you mean 'deg'?");
  expect_refused({"fk", "puma560", "--q", "pi/0,0,0,0,0,0"}, "divides by zero");
  expect_refused({"inverse", "puma560", "--wrench", "link6:0,0,5 N m"}, "wrong unit");
}

// A speed in degrees, a length for a turning joint, a torque for a slide: each was meant otherwise.
TEST(States, UnitsOfTheWrongKindAreRefused) {
  const auto wrong = [](const char* robot, const char* option, const char* text,
                        const char* expected) {
    const Outcome outcome = run_cli({"inverse", robot, option, text});
    EXPECT_EQ(outcome.status, 2) << option << " " << text;
    EXPECT_THAT(outcome.err, HasSubstr("has the wrong unit")) << option << " " << text;
    EXPECT_THAT(outcome.err, HasSubstr(expected));
  };
  wrong("puma560", "--v", "joint1=1 deg", "180 deg/s");
  wrong("puma560", "--v", "1 deg,0,0,0,0,0", "180 deg/s");
  wrong("puma560", "--v", "joint1=5 mm/s", "an angular velocity");
  wrong("puma560", "--a", "joint1=1 deg/s", "90 deg/s^2");
  wrong("four-bar", "--v", "joint4=1 deg", "180 deg/s");  // a closing joint
  wrong("scara", "--q", "joint3=1 deg", "a length");      // slides
  wrong("scara", "--v", "joint3=25 mm", "500 mm/s");
  expect_refused({"forward", "scara", "--tau", "joint3=2 N m"}, "has the wrong unit");
  expect_refused({"forward", "scara", "--tau", "joint1=2 N"}, "has the wrong unit");
}

TEST(States, NamesInAListAreDifferent) {
  expect_refused({"inverse", "four-bar", "--q", "joint1=1", "--actuated", "joint1,joint1"},
                 "--actuated: 'joint1' is given twice");
  expect_refused({"influence", "five-bar", "--q", "left=2,right=1", "--inputs", "left,left"},
                 "--inputs: 'left' is given twice");
}

TEST(States, ATimeNeedsTheSpeedsThatDependOnIt) {
  for (const char* command : {"kane", "inverse", "forward", "mass"})
    EXPECT_EQ(run_cli({command, "puma560", "--time", "0.5"}).status, 2) << command;
}

TEST(States, ClosingJointsAreNamedLikeTheOthers) {
  // Found through the crank first: the closing joint's own numbers then lead back to the crank.
  const Json by_crank = run_json({"inverse", "four-bar", "--q", "joint1=300deg", "--v", "joint1=2",
                                  "--a", "joint1=-1", "--actuated", "joint1"});
  const Json& own = by_crank["closing_joints"]["joint4"];
  ASSERT_EQ(own["q"].size(), 1u);
  const auto text = [](const Json& value) { return "joint4=" + value[0].dump(); };
  const Json q = by_crank["q"];
  const std::string at = q[0].dump() + "," + q[1].dump() + "," + q[2].dump();
  const Json by_closing = run_json({"inverse", "four-bar", "--q", at, "--v", text(own["v"]), "--a",
                                    text(own["a"]), "--actuated", "joint4"});
  expect_close(by_closing["v"], by_crank["v"], 1e-9);
  expect_close(by_closing["a"], by_crank["a"], 1e-9);
  EXPECT_EQ(by_closing["actuated"], Json::array({"joint4"}));
  // A motor there does the work that one on the crank does.
  const double power = double(by_crank["tau"][0]) * double(by_crank["v"][0]);
  const Json& motor = by_closing["closing_joints"]["joint4"];
  EXPECT_NEAR(double(motor["tau"][0]) * double(motor["v"][0]), power, 1e-9 * (1 + std::abs(power)));
  // Named, its coordinate is met.
  const Json assembled = run_json({"assemble", "four-bar", "--q", text(own["q"])});
  EXPECT_NEAR(double(assembled["solutions"][0]["closing"]["joint4"][0]), double(own["q"][0]), 1e-9);
  // And forward dynamics under its effort gives the accelerations back.
  const Json a = run_json(
      {"forward", "four-bar", "--q", at, "--v", text(own["v"]), "--tau", text(motor["tau"])})["a"];
  expect_close(a, by_crank["a"], 1e-7);
}

TEST(States, ClosingJointsAreShown) {
  for (const char* command : {"fk", "energy", "forward", "inverse"}) {
    const Json out = run_json({command, "four-bar", "--q", "joint1=300deg"});
    EXPECT_TRUE(out["closing_joints"]["joint4"].contains("q")) << command;
    EXPECT_THAT(run_cli({command, "four-bar", "--q", "joint1=300deg"}).out,
                HasSubstr("joints that close loops"));
  }
  const Json balls = run_json({"inverse", "stewart-6-6"});
  for (const auto& [name, joint] : balls["closing_joints"].items())
    EXPECT_EQ(joint["q"].size(), joint["v"].size() == 3 ? 4u : joint["v"].size()) << name;
}

TEST(States, WhatAClosingJointCannotDoIsSaid) {
  expect_refused({"inverse", "four-bar", "--v", "joint1=1,joint4=1"}, "degrees of freedom");
  expect_refused({"inverse", "four-bar", "--q", "join4=1"}, "did you mean 'joint4'?");
  expect_refused({"inverse", "four-bar", "--actuated", "join4"}, "did you mean 'joint4'?");
  expect_refused({"assemble", "four-bar", "--q", "joint1=300deg,joint4=0"}, "joint4 = 0", 1);
}

TEST(States, AJointThatTheLoopsKeepAtRestDeterminesAndDrivesNothing) {
  // The turn of the last joint of this mechanism never moves.
  const char* text = "do not determine";
  expect_refused({"inverse", "rrcrc", "--v", "joint5.turn=1"}, text, 1);
  expect_refused({"influence", "rrcrc", "--inputs", "joint5.turn"}, text, 1);
  expect_refused({"inverse", "rrcrc", "--actuated", "joint5.turn"}, "do not drive", 1);
  EXPECT_EQ(
      run_cli({"inverse", "rrcrc", "--v", "joint5.slide=1", "--actuated", "joint5.slide"}).status,
      0);
}

TEST(States, FramesMoveAsTheJacobianSays) {
  const std::vector<std::string> at = {"--q", "joint2=0.4,joint3=-1"};
  const auto with = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), at.begin(), at.end());
    words.insert(words.end(), more.begin(), more.end());
    return run_json(words);
  };
  const Json J = with({"jacobian", "puma560"}, {"--frame", "link5", "--relative-to", "link2",
                                                "--expressed-in", "link3"})["jacobian"];
  const Json moving = with(
      {"fk", "puma560"}, {"--v", "joint4=2", "--a", "joint4=1", "--frame", "link5", "--relative-to",
                          "link2", "--expressed-in", "link3"})["frames"]["link5"];
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(double(moving["velocity"]["angular"][k]), 2 * double(J[k][3]), 1e-12);
    EXPECT_NEAR(double(moving["velocity"]["linear"][k]), 2 * double(J[k + 3][3]), 1e-12);
  }
  ASSERT_TRUE(moving.contains("acceleration"));
  // Seen from itself nothing moves.
  const Json still = with({"fk", "puma560"}, {"--v", "1,1,1,1,1,1", "--frame", "link5",
                                              "--relative-to", "link5"})["frames"]["link5"];
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(double(still["position"][k]), 0, 1e-15);
    EXPECT_NEAR(double(still["velocity"]["linear"][k]), 0, 1e-14);
  }
  EXPECT_THAT(run_cli({"fk", "four-bar", "--q", "joint1=300deg", "--v", "joint1=1"}).out,
              HasSubstr("velocity, rad/s and m/s"));
}

TEST(States, WrenchesMayUseTheAxesOfAFrame) {
  // Along the tip's own z the force is that of the world axes turned with it.
  const std::vector<std::string> q = {"--q", "0.3,0.4,-1,0.2,0.6,-0.1"};
  const Json R =
      run_json({"fk", "puma560", q[0], q[1], "--frame", "link6"})["frames"]["link6"]["rotation"];
  std::string turned = "link6:";
  for (int k = 0; k < 3; ++k) turned += Json(10 * double(R[k][2])).dump() + (k < 2 ? "," : "");
  for (const char* command : {"inverse", "forward"}) {
    const char* key = std::string(command) == "inverse" ? "tau" : "a";
    const Json own =
        run_json({command, "puma560", q[0], q[1], "--wrench", "link6@link6:0,0,10"})[key];
    const Json world = run_json({command, "puma560", q[0], q[1], "--wrench", turned})[key];
    expect_close(own, world, 1e-9);
  }
  // On a mechanism, too.
  const auto four_bar = [](const char* wrench) {
    return run_json({"inverse", "four-bar", "--q", "joint1=300deg", "--wrench", wrench})["tau"];
  };
  EXPECT_NE(four_bar("coupler@coupler:5,0,0"), four_bar("coupler:5,0,0"));
  // At the tip of a bent flexible arm, which stands across the first link: 5 N along world x act on
  // a lever of its length.
  const Json bent = run_json({"inverse", "flexible-two-link", "--q", "elbow=90deg", "--wrench",
                              "tip@tip:0,-5,0", "--gravity", "0,0,0"});
  const Json tip = run_json({"fk", "flexible-two-link", "--q", "elbow=90deg", "--frame", "tip"});
  EXPECT_NEAR(double(bent["tau"][0]), 5 * double(tip["frames"]["tip"]["position"][1]), 1e-9);
  expect_refused({"inverse", "puma560", "--wrench", "link6@link9:0,0,1"}, "'link9'");
}

}  // namespace
}  // namespace ulna::test
