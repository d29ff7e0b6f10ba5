// The command line on robots with loops: states completed and closed, mistakes named.

#include <gmock/gmock.h>

#include "run_cli.hpp"
#include "support/places.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

constexpr double closing_accuracy = 1e-11;

TEST(Loops, AssembleCompletesTheCoordinates) {
  const Json found = run_json({"assemble", "slider-crank", "--q", "crank=90deg"});
  ASSERT_GE(found["solutions"].size(), 1u);
  const Json q = found["solutions"][0]["q"];
  EXPECT_NEAR(double(q[0]), 1.5707963267948966, 1e-15);  // kept to the last bit
  EXPECT_NEAR(std::abs(double(q[2])), 0.28284271247461901, closing_accuracy);  // sqrt(l2^2 - l1^2)
  EXPECT_LT(double(found["solutions"][0]["gap"]), 1e-10);
  EXPECT_EQ(found["method"], "gauss-newton");
  EXPECT_GT(int(found["evaluations"]), 0);
}

TEST(Loops, AssembleFindsBothAssembliesAndComparesMethods) {
  EXPECT_EQ(
      run_json({"assemble", "slider-crank", "--q", "crank=90deg", "--all"})["solutions"].size(),
      2u);
  const Json compared =
      run_json({"assemble", "crank-rocker", "--q", "crank=1", "--method", "compare"});
  EXPECT_EQ(compared["methods"].size(), 5u);
}

TEST(Loops, EveryCommandTakesTheCrankAlone) {
  for (const char* command : {"fk", "jacobian", "mass", "energy", "inverse", "forward"}) {
    const Outcome outcome = run_cli({command, "slider-crank", "--q", "crank=1", "--json"});
    EXPECT_EQ(outcome.status, 0) << command << ": " << outcome.err;
  }
  const Json piston = run_json({"fk", "slider-crank", "--q", "crank=90deg", "--frame", "piston"});
  EXPECT_NEAR(std::abs(double(piston["frames"]["piston"]["position"][0])), 0.28284271247461901,
              closing_accuracy);
}

TEST(Loops, SpeedsAndAccelerationsFollowTheCrank) {
  const Json state =
      run_json({"inverse", "slider-crank", "--q", "crank=1,slide=0.34198728609556506", "--v",
                "crank=12", "--a", "crank=-5", "--actuated", "crank", "--reactions"});
  EXPECT_NEAR(double(state["v"][2]), -1.1992303973834844, 1e-8);
  EXPECT_NEAR(double(state["tau"][0]), 1.4167182092951771, 1e-7);
  EXPECT_EQ(state["reactions_unique"], false);
  EXPECT_TRUE(state["reactions"].contains("pin"));
}

TEST(Loops, BothRoutesGiveTheSameAccelerations) {
  const std::vector<std::string> words = {"forward", "palletiser", "--q", "arm=0.2,crank=-0.1",
                                          "--method"};
  auto by = [&](const char* method) {
    std::vector<std::string> all = words;
    all.emplace_back(method);
    return run_json(all)["a"];
  };
  const Json one = by("multipliers"), other = by("embedding");
  for (std::size_t k = 0; k < one.size(); ++k)
    EXPECT_NEAR(double(one[k]), double(other[k]), 1e-10 * (1 + std::abs(double(one[k]))));
}

TEST(Loops, MistakesAreNamed) {
  const auto refused = [](const std::vector<std::string>& words, int status, const char* text) {
    const Outcome outcome = run_cli(words);
    EXPECT_EQ(outcome.status, status) << words[0];
    EXPECT_THAT(outcome.err, HasSubstr(text));
  };
  refused({"assemble", "puma560"}, 2, "has no loops to close");
  refused({"assemble", "four-bar", "--q", "joint9=1"}, 2, "the robot has no 'joint9'");
  refused({"assemble", "four-bar", "--q", "joint1=1,2"}, 2, "NAME=VALUE");
  refused({"assemble", "four-bar", "--q", "joint1=1,joint1=2"}, 2, "given twice");
  refused({"assemble", "four-bar", "--method", "magic"}, 2, "'magic' is not available");
  refused({"inverse", "five-bar", "--q", "left=2,right=1", "--actuated", "left"}, 2,
          "for the 2 degrees of freedom");
  refused({"forward", "five-bar", "--method", "articulated-body"}, 2, "composite-body");
  // The crank of a four-bar that no link of turns fully, asked for an angle it cannot have.
  refused({"assemble", "four-bar", "--q", "joint1=180deg"}, 1, "the loop closed by joint 'joint4'");
}

// The linear rows of A_G v are the mass that moves times the velocity of its centre.
TEST(Loops, TheCentroidalMomentumIsThatOfTheCentreOfMass) {
  const std::string q = "left=120deg,right=60deg";
  const Json energy = run_json({"energy", "five-bar", "--q", q, "--v", "left=1,right=-2"});
  const Json state = run_json({"inverse", "five-bar", "--q", q, "--v", "left=1,right=-2"});
  const Json mass = run_json({"mass", "five-bar", "--q", q, "--centroidal"});
  const double moving = run_json({"info", "five-bar"})["mass"];
  ASSERT_EQ(mass["A_G"][3].size(), state["v"].size());
  for (int row = 0; row < 3; ++row) {
    double momentum = 0;
    for (std::size_t k = 0; k < state["v"].size(); ++k)
      momentum += double(mass["A_G"][3 + row][k]) * double(state["v"][k]);
    EXPECT_NEAR(momentum, moving * double(energy["centre_of_mass_velocity"][row]), 1e-12 * moving);
    EXPECT_NEAR(double(mass["centre_of_mass"][row]), double(energy["centre_of_mass"][row]), 1e-14);
  }
}

TEST(Loops, CheckNamesTheLoopThatCannotBeClosed) {
  TemporaryFolder folder;
  const std::string file = folder.write("short.yaml", R"(
ulna: 1
name: short
bodies:
  - {name: arm, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: hinge, type: revolute, parent: world, child: arm}
constraints:
  - {name: rod, type: distance, parent: world, child: arm, parent_point: [5, 0, 0], child_point: [1, 0, 0], length: 1}
)");
  const Outcome outcome = run_cli({"check", file});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("distance 'rod' stays open by 3 m"));
}

TEST(Loops, VerifyComparesBothRoutes) {
  const Json result = run_json({"verify", "five-bar", "--states", "10"});
  EXPECT_EQ(result["ok"], true);
  EXPECT_GE(result["pairs"].size(), 8u);
}

TEST(Loops, ARigidStructureIsCalledSoWithTheNameOfItsLoop) {
  // A triangle of three bars, hinged at its corners.
  TemporaryFolder folder;
  const std::string file = folder.write("truss.yaml", R"(
ulna: 1
name: truss
bodies:
  - {name: left, mass: 1, inertia: [1, 1, 1]}
  - {name: right, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: foot, type: revolute, parent: world, child: left}
  - {name: heel, type: revolute, parent: world, child: right, at: [1, 0, 0]}
  - {name: top, type: revolute, parent: left, child: right, at: [1, 0, 0], child_at: [-1, 0, 0]}
)");
  const Outcome outcome = run_cli({"check", file});
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("is a rigid structure"));
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("'top'"));
}

TEST(Loops, ReactionsOfAllJointsHoldTheMechanism) {
  // At rest the world holds the mechanism: its two feet bear the whole weight.
  const Json result = run_json({"inverse", "crank-rocker", "--reactions"});
  EXPECT_GE(result["reactions"].size(), 4u);
}

TEST(Loops, ExperimentsTakeMechanismsAndDriveAnyJoint) {
  TemporaryFolder folder;
  const std::string swing = folder.write("swing.yaml", R"(
experiment: 1
robot: five-bar
duration: 0.5
gravity: [0, -9.81, 0]
start: {q: {left: 130 deg, right: 50 deg}}
integrator: {rtol: 1e-10}
record: {interval: 50 ms, channels: [q, energy, closure, closing]}
)");
  const Json run = run_json({"simulate", swing});
  EXPECT_EQ(run["complete"], true);
  EXPECT_LT(double(run["drift"]["closure"]), 1e-10);
  EXPECT_LT(double(run["drift"]["energy_relative"]), 1e-6);
  EXPECT_EQ(run["independent"].size(), 2u);
  EXPECT_EQ(run["dependent"].size(), 2u);
  // 'tool' closes the loop in the file; driven, it is in the tree.
  const std::string driven = folder.write("driven.yaml", R"(
experiment: 1
robot: five-bar
duration: 0.5
motions: {tool: 1.2 + 0.1*sin(3*t), left: 2.2}
start: {q: {left: 2.2, tool: 1.2}}
)");
  const Json efforts = run_json({"inverse", driven});
  bool found = false;
  for (const Json& name : efforts["speeds"]) found = found || name == "tool";
  EXPECT_TRUE(found);
}

TEST(Loops, TermsOfAMechanismGiveItsMotion) {
  // M a + coriolis + gravity = G' tau with tau = 0, against forward dynamics.
  const std::vector<std::string> state = {"crank-rocker", "--q", "crank=1", "--v", "crank=3"};
  std::vector<std::string> words = {"mass", "--terms"};
  words.insert(words.end(), state.begin(), state.end());
  const Json terms = run_json(words);
  words = {"forward"};
  words.insert(words.end(), state.begin(), state.end());
  const Json forward = run_json(words);
  const Json info = run_json({"info", "crank-rocker"});
  ASSERT_EQ(terms["independent"].size(), 1u);
  const double a =
      -(double(terms["coriolis"][0]) + double(terms["gravity"][0])) / double(terms["M"][0][0]);
  bool found = false;
  for (const Json& x : forward["a"]) found = found || std::abs(double(x) - a) < 1e-9 * std::abs(a);
  EXPECT_TRUE(found) << a;
}

TEST(Loops, ClosedFormGivesAllPosturesAndSaysWhyNot) {
  const Json all = run_json({"ik", "t3r3", "--position", "2,0.25,0.5", "--closed-form"});
  EXPECT_EQ(all["method"], "closed-form");
  EXPECT_EQ(all["solutions"].size(), 4u);
  for (const Json& solution : all["solutions"]) EXPECT_LT(double(solution["residual"]), 1e-9);
  const Outcome refused = run_cli({"ik", "scara", "--position", "0.3,0.2,0", "--closed-form"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("does not simply turn"));
}

TEST(Loops, AStartThatCannotBeAssembledNamesTheLoop) {
  TemporaryFolder folder;
  const std::string file = folder.write("apart.yaml", R"(
experiment: 1
robot: five-bar
duration: 1
start: {q: {left: 180 deg, right: 0}}
)");
  const Outcome outcome = run_cli({"simulate", file});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("the loop closed by joint 'tool'"));
}

TEST(Loops, AFileMayAddLoopsToAUrdf) {
  TemporaryFolder folder;
  folder.write("open.urdf", R"(<robot name="open">
  <link name="base"/>
  <link name="left"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="bar"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="l" type="continuous"><parent link="base"/><child link="left"/><axis xyz="0 0 1"/></joint>
  <joint name="r" type="continuous"><parent link="base"/><child link="right"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>
  <joint name="p" type="continuous"><parent link="left"/><child link="bar"/><origin xyz="0.3 0 0"/><axis xyz="0 0 1"/></joint>
</robot>)");
  const std::string file = folder.write("closed.yaml", R"(
ulna: 1
name: closed
urdf: open.urdf
joints:
  - {name: pin, type: revolute, parent: bar, child: right, at: [1, 0, 0], child_at: [-0.3, 0, 0]}
)");
  const Json info = run_json({"info", file});
  EXPECT_EQ(info["loops"].size(), 1u);
  EXPECT_EQ(info["name"], "closed");
  const std::string wrong = folder.write("wrong.yaml", "ulna: 1\nurdf: missing.urdf\n");
  EXPECT_EQ(run_cli({"info", wrong}).status, 2);
}

TEST(Synthesize, FindsTheFlameCutter) {
  TemporaryFolder folder;
  const std::string examples = testing::example_file("flame-cutting/");
  const Json result = run_json({"synthesize", examples + "torch.yaml", examples + "task.yaml",
                                "--restarts", "60", "--wanted", "1", "-o", folder.path("designs")});
  ASSERT_EQ(result["designs"].size(), 1u);
  const Json& best = result["designs"][0];
  EXPECT_EQ(best["followed"], true);
  EXPECT_LT(double(best["error"]), 1e-4);  // points are rounded to a thousandth of an inch
  EXPECT_GT(double(best["largest_speed"]), 0.1);
  EXPECT_EQ(run_cli({"check", std::string(result["outputs"][0])}).status, 0);
}

TEST(Synthesize, MistakesAreNamed) {
  TemporaryFolder folder;
  const std::string file = folder.write("task.yaml", R"(
synthesis: 1
frame: tool
targets:
  - {at: [0.1, 0.2, 0]}
variables:
  - {of: joint.leftt.at.x, from: 0, to: 1}
  - {of: joint.left.at.x, from: 1, to: 0}
)");
  const Outcome outcome = run_cli({"synthesize", "five-bar", file});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no joint 'leftt'"));
  EXPECT_THAT(outcome.err, HasSubstr("did you mean 'left'?"));
  EXPECT_THAT(outcome.err, HasSubstr("the lower bound before the upper one"));
}

}  // namespace
}  // namespace ulna::test
