// Mechanisms that break solvers: structures, screws, idle spins, singular postures, massless parts,
// doubtful inertias, loops that are off by rounding. Each gives the right answer or says why not.

#include <gmock/gmock.h>

#include <sstream>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr const char* welded = R"(
ulna: 1
name: welded
bodies:
  - {name: block, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: foot, type: fixed, parent: world, child: block}
  - {name: brace, type: fixed, parent: world, child: block, cut: true}
)";

TEST(Structures, WithLoopsAndWithoutFreedomAreRobotsForEveryCommand) {
  TemporaryFolder folder;
  const std::string robot = folder.write("welded.yaml", welded);
  for (const char* command :
       {"info", "check", "assemble", "fk", "jacobian", "mass", "inverse", "forward", "energy",
        "equilibrium", "linearize", "verify", "matrices", "influence"}) {
    const Outcome outcome = run_cli({command, robot, "--json"});
    EXPECT_EQ(outcome.status, 0) << command << ": " << outcome.err;
  }
}

/// Rows that hold nothing are rounding, not constraints.
TEST(TwinJoints, OnOneAxisLeaveTheFreedomOfOne) {
  TemporaryFolder folder;
  for (const std::string axis :
       {"[0, 1, 0]", "[1, 1, 0]", "[0.6, 0.8, 0]", "[0.3, 0.4, -0.5]", "[1, 2, 3]"})
    for (const auto& [type, freedoms] : {std::pair("revolute", 1), std::pair("prismatic", 1),
                                         std::pair("cylindrical", 2), std::pair("planar", 3)}) {
      const std::string twins = folder.write("twins.yaml", std::string(R"(
ulna: 1
name: twins
bodies:
  - {name: a, mass: 1, centre: [0.1, 0.2, 0.1], inertia: [0.05, 0.06, 0.07]}
joints:
  - {name: j, parent: world, child: a, type: )") + type +
                                                               ", axis: " + axis + R"(}
  - {name: c, parent: world, child: a, cut: true, type: )" + type +
                                                               ", axis: " + axis + "}\n");
      const Json info = run_json({"info", twins});
      EXPECT_EQ(info["mobility"], freedoms) << type << " " << axis;
      EXPECT_EQ(info["mobility_report"]["rank"], 0) << type << " " << axis;
      const Json forward = run_json({"forward", twins});
      const std::string one = folder.write("one.yaml", std::string(R"(
ulna: 1
name: one
bodies:
  - {name: a, mass: 1, centre: [0.1, 0.2, 0.1], inertia: [0.05, 0.06, 0.07]}
joints:
  - {name: j, parent: world, child: a, type: )") + type +
                                                           ", axis: " + axis + "}\n");
      expect_json(forward["a"], run_json({"forward", one})["a"], 1e-12);
    }
}

TEST(Equilibria, AreFoundWhereTheRobotStandsInOneAndWhereEffortsDoNotChange) {
  for (const char* start : {"0", "90deg", "89.9999999deg", "45deg", "180deg"}) {
    const Outcome outcome = run_cli({"equilibrium", "simple-pendulum", "--q", start, "--json"});
    EXPECT_EQ(outcome.status, 0) << start << ": " << outcome.err;
  }
}

TEST(Equilibria, AreFoundInSingularPosturesOfLoopsAndBeyondThem) {
  // The search comes to Sarrus' linkage stretched upright: both legs of two links of 0.5 m in line.
  const Json up = run_json({"equilibrium", "sarrus"});
  EXPECT_EQ(up["found"], true);
  EXPECT_EQ(up["stable"], false);
  EXPECT_NEAR(double(up["q"][1]), -M_PI / 2, 1e-6);
  // Wohlhart's linkage passes a singular posture on its way.
  EXPECT_EQ(run_json({"equilibrium", "wohlhart"})["found"], true);
}

TEST(Structures, HaveModesAndNoLinearController) {
  TemporaryFolder folder;
  // A portal frame, clamped at both feet: of the beams that are joined at its corners one closes.
  const std::string beam =
      "beam: {length: 1, section: {tube: {outer: 50 mm, inner: 40 mm}}, "
      "material: steel}";
  const std::string portal = folder.write("portal.yaml", R"(
ulna: 1
name: portal
bodies:
  - {name: left, )" + beam + R"(}
  - {name: top, )" + beam + R"(}
  - {name: right, )" + beam + R"(}
joints:
  - {name: foot, type: fixed, parent: world, child: left, at: {rpy: [0, -90 deg, 0]}}
  - {name: corner, type: fixed, parent: left, child: top, at: {position: [1, 0, 0], rpy: [0, 90 deg, 0]}}
  - {name: far, type: fixed, parent: top, child: right, at: {position: [1, 0, 0], rpy: [0, 90 deg, 0]}}
  - {name: toe, type: fixed, parent: right, child: world, at: [1, 0, 0], child_at: {position: [0, 0, -1], rpy: [0, -90 deg, 0]}, cut: true}
)");
  const Outcome modes = run_cli({"modes", portal, "--json"});
  EXPECT_EQ(modes.status, 0) << modes.err;
  const std::string robot = folder.write("welded.yaml", welded);
  const Outcome lqr = run_cli({"linearize", robot, "--lqr", "1,1,1", "--json"});
  EXPECT_EQ(lqr.status, 0) << lqr.err;
}

TEST(Structures, OfHingesAreSaidToBeRigid) {
  TemporaryFolder folder;
  const std::string truss = folder.write("truss.yaml", R"(
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
  for (const char* command : {"info", "check", "fk", "mass", "inverse", "forward", "energy",
                              "equilibrium", "linearize", "verify", "influence", "matrices"})
    EXPECT_EQ(run_cli({command, truss, "--json"}).status, 0) << command;
  EXPECT_THAT(run_json({"verify", truss})["notes"].dump(), HasSubstr("rigid structure"));
  EXPECT_EQ(run_json({"check", truss})["ok"], true);
}

TEST(Structures, WithOneFreedomHaveOneDegree) {
  TemporaryFolder folder;
  const std::string door = folder.write("door.yaml", R"(
ulna: 1
name: door
bodies:
  - {name: door, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: hinge, type: revolute, parent: world, child: door}
)");
  EXPECT_THAT(run_cli({"info", door}).out, HasSubstr("1 degree of freedom, 1 coordinate,"));
}

TEST(MasslessRobots, SayAtTheStartOfARunWhatMovesNoMass) {
  TemporaryFolder folder;
  folder.write("bars.yaml", R"(
ulna: 1
name: bars
bodies:
  - {name: left, mass: 0}
  - {name: top, mass: 0}
  - {name: right, mass: 0}
joints:
  - {name: foot, type: revolute, parent: world, child: left}
  - {name: knee, type: revolute, parent: left, child: top, at: [0, 1, 0]}
  - {name: heel, type: revolute, parent: world, child: right, at: [1, 0, 0]}
  - {name: end, type: revolute, parent: top, child: right, at: [1, 0, 0], child_at: [0, -1, 0], cut: true}
)");
  const Outcome run = run_cli(
      {"simulate", folder.write("run.yaml", "experiment: 1\nrobot: bars.yaml\nduration: 1 s\n")});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("can move without moving mass"));
}

TEST(InfluenceCoefficients, OfFlexibleRobotsAreRefused) {
  expect_refusal({"influence", "flexible-four-bar"}, {"influence coefficients", "flexible"});
}

TEST(Screws, CountTheirTurnsFromTheReferencePosture) {
  // 4 mm per radian, and the guide keeps the nut from turning: 20 rad are 80 mm.
  const auto height = [](const char* robot, const char* q) {
    const Json poses = run_json({"fk", robot, "--q", q, "--frame", "nut"});
    return double(poses["frames"]["nut"]["position"][2]);
  };
  EXPECT_NEAR(height("screw-jack", "spindle=20"), -0.08, 1e-12);
  EXPECT_NEAR(height("screw-jack", "spindle=-50"), 0.2, 1e-12);
  EXPECT_NEAR(height("screw-jack", "spindle=1"), -0.004, 1e-12);
  EXPECT_NEAR(height("screw-jack", "thread=-20"), -0.08, 1e-12);
  // The same jack with the thread as the joint that closes the loop.
  TemporaryFolder folder;
  const std::string other = folder.write("jack.yaml", R"(
ulna: 1
name: jack
bodies:
  - {name: spindle, mass: 5, inertia: [0.07, 0.07, 0.001]}
  - {name: nut, mass: 20, inertia: [0.1, 0.1, 0.15]}
joints:
  - {name: spindle, type: revolute, parent: world, child: spindle}
  - {name: guide, type: prismatic, parent: world, child: nut}
  - {name: thread, type: screw, parent: spindle, child: nut, pitch: 4 mm/rad, cut: true}
)");
  EXPECT_NEAR(height(other.c_str(), "spindle=20"), -0.08, 1e-10);
  const Json held = run_json({"assemble", other, "--q", "guide=-80 mm"});
  EXPECT_NEAR(double(held["solutions"][0]["q"][0]), 20, 1e-8);
}

TEST(Screws, SayThatOtherNumbersOfTurnsCloseAsWell) {
  EXPECT_THAT(run_cli({"fk", "screw-jack", "--q", "spindle=20"}).err,
              HasSubstr("other numbers of turns"));
  EXPECT_EQ(run_cli({"fk", "screw-jack", "--q", "spindle=0.5"}).err, "");
}

/// Crank and rocker on skew axes, joined by a rod between two balls along its body's x axis.
constexpr const char* rssr = R"(
ulna: 1
name: rssr
bodies:
  - {name: crank, mass: 1, centre: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}
  - {name: rod, mass: 1, centre: [0.3, 0, 0], inertia: [0.001, 0.03, 0.03]}
  - {name: rocker, mass: 1, centre: [0.15, 0, 0], inertia: [0.01, 0.01, 0.01]}
joints:
  - {name: crank, type: revolute, parent: world, child: crank, axis: [0, 0, 1]}
  - {name: ball, type: spherical, parent: crank, child: rod, at: [0.2, 0, 0]}
  - {name: rocker, type: revolute, parent: world, child: rocker, at: [0.5, 0.1, 0.2], axis: [0, 1, 0]}
  - {name: socket, type: spherical, parent: rod, child: rocker, at: [0.6, 0, 0], child_at: [-0.3, 0, 0], cut: true}
)";

TEST(IdleSpins, NeitherStopTheAssemblyNorCountAsAssemblies) {
  TemporaryFolder folder;
  const std::string robot = folder.write("rssr.yaml", rssr);
  for (const char* crank : {"crank=0", "crank=1", "crank=-2.5"}) {
    EXPECT_LE(int(run_json({"assemble", robot, "--q", crank})["starts"]), 10) << crank;
    // The rocker's circle meets the sphere about the crank's end twice.
    EXPECT_EQ(run_json({"assemble", robot, "--q", crank, "--all"})["solutions"].size(), 2u)
        << crank;
  }
}

/// `n` cranks of length 1 and couplers of length `pitch` between them, all in one line.
std::string flat_cranks(int n, double pitch, bool one_bar) {
  std::string bodies, joints;
  const std::string inertia = "centre: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]";
  for (int k = 0; k < n; ++k) {
    const std::string c = std::to_string(k);
    bodies += "  - {name: crank" + c + ", mass: 1, " + inertia + "}\n";
    joints += "  - {name: foot" + c + ", type: revolute, parent: world, child: crank" + c +
              ", at: [" + std::to_string(pitch * k) + ", 0, 0]}\n";
    if (k == 0) continue;
    const std::string bar = one_bar ? "bar" : "bar" + c,
                      from = one_bar ? "0" : std::to_string(k - 1);
    if (k == 1 || !one_bar) {
      bodies += "  - {name: " + bar + ", mass: 1, " + inertia + "}\n";
      joints += "  - {name: pin" + c + ", type: revolute, parent: crank" + from +
                ", child: " + bar + ", at: [1, 0, 0]}\n";
    }
    joints += "  - {name: end" + c + ", type: revolute, parent: crank" + c + ", child: " + bar +
              ", at: [1, 0, 0], child_at: [-" + std::to_string(one_bar ? pitch * k : pitch) +
              ", 0, 0], cut: true}\n";
  }
  return "ulna: 1\nname: cranks\ngravity: [0, -9.81, 0]\nbodies:\n" + bodies + "joints:\n" + joints;
}

TEST(SingularPostures, OfThreeParallelCranksAndOfManyFourBarsInLineAreFoundToMove) {
  TemporaryFolder folder;
  const std::string three = folder.write("three.yaml", flat_cranks(3, 2, true));
  EXPECT_EQ(run_json({"check", three})["ok"], true);
  const Json report = run_json({"info", three})["mobility_report"];
  EXPECT_EQ(report["dof"], 2);
  EXPECT_EQ(report["full_cycle_dof"], 1);
  EXPECT_EQ(report["singular"], true);
  EXPECT_GE(report["branches"].size(), 1u);
  const std::string forty = folder.write("forty.yaml", flat_cranks(41, 1, false));
  EXPECT_EQ(run_json({"check", forty})["ok"], true);
  EXPECT_EQ(run_json({"info", forty})["mobility"], 1);
}

TEST(SingularPostures, OfAParallelogramInLineHaveTwoBranches) {
  TemporaryFolder folder;
  const std::string two = folder.write("two.yaml", flat_cranks(2, 2, true));
  const Json report = run_json({"info", two})["mobility_report"];
  EXPECT_EQ(report["full_cycle_dof"], 1);
  EXPECT_EQ(report["branches"].size(), 2u);  // parallel, and crossed
  EXPECT_THAT(report["notes"].dump(), HasSubstr("bifurcation"));
}

TEST(SingularPostures, OfAStretchedTrussAreRigidToSecondOrder) {
  TemporaryFolder folder;
  // Two bars in one line between fixed pivots: the middle yields to first order only.
  const std::string truss = folder.write("truss.yaml", R"(
ulna: 1
name: stretched
bodies:
  - {name: left, mass: 1, inertia: [1, 1, 1]}
  - {name: right, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: foot, type: revolute, parent: world, child: left}
  - {name: heel, type: revolute, parent: world, child: right, at: [2, 0, 0]}
  - {name: middle, type: revolute, parent: left, child: right, at: [1, 0, 0], child_at: [1, 0, 0], cut: true}
)");
  const Json check = run_json({"check", truss});
  EXPECT_EQ(check["ok"], true);
  EXPECT_THAT(check["notes"].dump(), HasSubstr("moves only infinitesimally"));
  EXPECT_EQ(run_json({"info", truss})["mobility"], 0);
  EXPECT_THAT(run_json({"verify", truss})["notes"].dump(), HasSubstr("nothing to compare"));
  EXPECT_THAT(run_cli({"linearize", truss}).err, HasSubstr("moves only infinitesimally"));
}

/// A pendulum with a spring between the ground and its end, drawn as two massless legs.
constexpr const char* spring_legs = R"(
ulna: 1
name: spring-legs
gravity: [0, -9.81, 0]
bodies:
  - {name: arm, mass: 2, centre: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}
  - {name: outer, mass: 0}
  - {name: inner, mass: 0}
joints:
  - {name: pivot, type: revolute, parent: world, child: arm}
  - {name: foot, type: revolute, parent: world, child: outer, at: [0.3, 1, 0]}
  - {name: leg, type: prismatic, parent: outer, child: inner, axis: [1, 0, 0], spring: {stiffness: 400, rest: 0.5}}
  - {name: eye, type: revolute, parent: inner, child: arm, child_at: [-1, 0, 0], cut: true}
)";

TEST(MasslessLegs, InLoopsMoveAsThePendulumTakesThem) {
  TemporaryFolder folder;
  const std::string robot = folder.write("legs.yaml", spring_legs);
  const auto a = [&](const char* method) {
    return run_json(
        {"forward", robot, "--q", "pivot=0.4", "--v", "pivot=3", "--method", method})["a"];
  };
  const Json by_multipliers = a("multipliers"), by_embedding = a("embedding");
  for (std::size_t k = 0; k < by_multipliers.size(); ++k)
    EXPECT_NEAR(double(by_multipliers[k]), double(by_embedding[k]),
                1e-9 * (1 + std::abs(double(by_embedding[k]))))
        << k;
  // The pendulum alone, with the force of the spring at its end.
  const double angle = 0.4, x = std::cos(angle), y = std::sin(angle), dx = 0.3 - x, dy = 1 - y;
  const double length = std::hypot(dx, dy), force = 400 * (length - 0.5);
  const double moment = force * (x * dy - y * dx) / length - 2 * g0 * 0.5 * x;
  EXPECT_NEAR(double(by_multipliers[0]), moment / (0.2 + 2 * 0.25), 1e-9 * std::abs(moment));
}

TEST(Springs, WithHardeningAndPlayAreInTheRegressor) {
  TemporaryFolder folder;
  std::string text = planar_arm;
  text.insert(text.find("    limits: {lower: -2.5"),
              "    spring: {stiffness: 5, rest: 0.1, hardening: 40, backlash: 0.05}\n");
  const std::string robot = folder.write("arm.yaml", text);
  const std::vector<std::string> state = {"--q", "0.3,0.7", "--v", "0.5,-0.2", "--a", "1,2"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), state.begin(), state.end());
    return run_json(words);
  };
  const Json regressor = with({"regressor", robot, "--springs"}),
             inverse = with({"inverse", robot});
  for (int k = 0; k < 2; ++k)
    EXPECT_NEAR(double(regressor["tau"][k]), double(inverse["tau"][k]), 1e-12);
  EXPECT_THAT(regressor["parameters"].dump(), HasSubstr("hardening(elbow)"));
  // What has no column is listed: the spring, if it is not asked for, and force elements.
  const std::string strut = folder.write(
      "strut.yaml", text +
                        "\nelements:\n  - {name: strut, type: spring-damper, from: {body: world, "
                        "point: [0, 1, 0]}, to: {body: lower, point: [0.5, 0, 0]}, free_length: "
                        "0.2, stiffness: 90, damping: 4}\n");
  for (const char* flag : {"--springs", "--rotors"}) {
    std::vector<std::string> words = {"regressor", strut, flag}, plain = {"inverse", strut};
    const Json columns = with(words), whole = with(plain);
    for (int k = 0; k < 2; ++k)
      EXPECT_NEAR(double(columns["tau"][k]) + double(columns["others"][k]), double(whole["tau"][k]),
                  1e-12 * (1 + std::abs(double(whole["tau"][k]))));
    EXPECT_GT(std::abs(double(columns["others"][1])), 1);
  }
  EXPECT_EQ(run_json({"verify", robot, "--states", "10"})["ok"], true);
}

TEST(Verify, RaisesNoAlarmOnSoundRobots) {
  TemporaryFolder folder;
  // A ball screw of 0.8 mm/rad that closes a loop.
  const std::string screw = folder.write("screw.yaml", R"(
ulna: 1
name: ball-screw
bodies:
  - {name: spindle, mass: 5, centre: [0, 0, 0.2], inertia: [0.07, 0.07, 0.001]}
  - {name: nut, mass: 20, inertia: [0.1, 0.1, 0.15]}
joints:
  - {name: spindle, type: revolute, parent: world, child: spindle, at: [0, 0, 0.5]}
  - {name: guide, type: prismatic, parent: world, child: nut, axis: [0, 0, 1]}
  - {name: thread, type: screw, parent: spindle, child: nut, pitch: 0.8 mm/rad, child_at: [0, 0, 0.5], cut: true}
)");
  EXPECT_EQ(run_json({"verify", screw, "--states", "20"})["ok"], true);
  // Four balanced rotors on parallel axes: no Coriolis terms and no gravity along any of them.
  std::string bodies, joints;
  for (const char* k : {"1", "2", "3", "4"}) {
    bodies +=
        std::string("  - {name: rotor") + k + ", mass: 0.013, inertia: [3.7e-6, 3.7e-6, 7.3e-6]}\n";
    joints += std::string("  - {name: spin") + k + ", type: revolute, parent: world, child: rotor" +
              k + ", at: [0.17" + k + ", 0.0" + k + "3, 0.02], axis: [0, 0, 1]}\n";
  }
  const std::string quadrotor = folder.write(
      "quadrotor.yaml", "ulna: 1\nname: quadrotor\nbodies:\n" + bodies + "joints:\n" + joints);
  EXPECT_EQ(run_json({"verify", quadrotor, "--states", "20"})["ok"], true);
  // A finger without mass is a property of the robot, and said.
  const std::string finger = folder.write("finger.yaml", std::string(planar_arm) + R"(
  - {name: tip, body: lower}
)");
  std::string text = content_of(finger);
  text.insert(text.find("joints:"), "  - {name: finger, mass: 0}\n");
  text.insert(text.find("frames:"),
              "  - {name: pinch, type: revolute, parent: lower, child: finger, at: [0.5, 0, 0]}\n");
  const Json result = run_json({"verify", folder.write("massless.yaml", text), "--states", "10"});
  EXPECT_EQ(result["ok"], true);
  EXPECT_THAT(result["notes"].dump(), HasSubstr("'pinch'"));
}

TEST(Inertias, ThatBreakTheTriangleInequalityAreComputedWithAndNamed) {
  TemporaryFolder folder;
  std::string text = planar_arm;
  text.replace(text.find("[0.001, 0.02, 0.02]"), 19, "[0.001, 0.02, 0.03]");
  const std::string robot = folder.write("hand.yaml", text);
  const Outcome inverse = run_cli({"inverse", robot, "--q", "0.3,0.7", "--a", "1,2"});
  EXPECT_EQ(inverse.status, 0) << inverse.err;
  EXPECT_THAT(inverse.err, HasSubstr("body 'lower'"));
  EXPECT_THAT(inverse.err, HasSubstr("triangle inequality: 0.001 + 0.02 < 0.03"));
  EXPECT_THAT(run_json({"check", robot})["changed"].dump(), HasSubstr("'lower'"));
  expect_refusal({"inverse", robot, "--strict"}, {"'lower'", "triangle inequality"});
  // 0.009 is missing in the second moment along z: the nearest has it at zero, 0.003 each.
  const Outcome repaired =
      run_cli({"inverse", robot, "--repair", "nearest", "--q", "0.3,0.7", "--a", "1,2"});
  EXPECT_EQ(repaired.status, 0) << repaired.err;
  EXPECT_THAT(repaired.err, ::testing::Not(HasSubstr("triangle")));
  EXPECT_THAT(run_json({"check", robot, "--repair", "nearest"})["changed"].dump(),
              HasSubstr("nearest possible"));
  EXPECT_EQ(run_json({"verify", robot, "--states", "10"})["ok"], true);
  // A negative moment is refused where it breaks the computation: not about this axis, ...
  text.replace(text.find("[0.001, 0.02, 0.03]"), 19, "[-0.01, 0.02, 0.03]");
  const std::string negative = folder.write("negative.yaml", text);
  const Outcome works = run_cli({"forward", negative, "--q", "0.3,0.7"});
  EXPECT_EQ(works.status, 0) << works.err;
  EXPECT_THAT(works.err, HasSubstr("principal moment -0.01 is negative"));
  expect_refusal({"forward", negative, "--strict"}, {"'lower'", "negative"});
  // ... but where the inertia that a joint moves is negative, naming the body.
  text.replace(text.find("[-0.01, 0.02, 0.03]"), 19, "[0.001, 0.02, -9.0]");
  const std::string wrong = folder.write("wrong.yaml", text);
  EXPECT_EQ(run_cli({"inverse", wrong, "--q", "0.3,0.7", "--a", "1,2"}).status, 0);
  for (const char* method : {"articulated-body", "composite-body", "kane"}) {
    const Outcome outcome = run_cli({"forward", wrong, "--q", "0.3,0.7", "--method", method});
    EXPECT_EQ(outcome.status, 1) << method << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("not positive at this posture")) << method;
    EXPECT_THAT(outcome.err, HasSubstr("body 'lower'")) << method;
  }
}

TEST(LoopTolerance, OfTheFileOrTheCommandLetsRoundedLoopsCloseAndTellsTheGap) {
  TemporaryFolder folder;
  // A parallelogram one of whose axes is askew by 1e-8 rad, and one pin off by 3e-8 m along it.
  std::string text = flat_cranks(2, 2, true);
  text.replace(text.find("child_at: [-2.000000, 0, 0]"), 27,
               "child_at: {position: [-2, 0, 3e-8], rpy: [1e-8, 0, 0]}");
  const std::string robot = folder.write("rounded.yaml", text);
  EXPECT_EQ(run_cli({"fk", robot, "--q", "foot0=1"}).status, 1);
  for (const char* command : {"fk", "inverse", "forward", "mass", "energy", "jacobian"}) {
    const Outcome outcome = run_cli({command, robot, "--q", "foot0=1", "--loop-tolerance", "1e-7"});
    EXPECT_EQ(outcome.status, 0) << command << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("the loops stay open by 3e-08")) << command;
  }
  const std::string own = folder.write("own.yaml", "loop_tolerance: 1e-7\n" + text);
  EXPECT_EQ(run_cli({"fk", own, "--q", "foot0=1"}).status, 0);
  const Json a = run_json({"forward", own, "--q", "foot0=1", "--method", "multipliers"})["a"],
             b = run_json({"forward", own, "--q", "foot0=1", "--method", "embedding"})["a"];
  EXPECT_NEAR(double(a[0]), double(b[0]), 1e-6 * std::abs(double(b[0])));
  expect_refusal({"fk", robot, "--loop-tolerance", "-1"}, {"loop_tolerance"});
}

TEST(InverseKinematics, ReturnsTheNearestSolutionFirstAndAllByDistance) {
  const std::vector<std::string> base = {"ik",          "puma560",    "--position",
                                         "0.4,0.1,0.3", "--rotation", "0,1,0,0"};
  for (const char* start :
       {"0,0,0,0,0,0", "2,-1,1,0.5,-1,0.5", "-2,2,-2,1,1,1", "3,0,-3,-2,0.5,2"}) {
    std::vector<std::string> one = base, all = base;
    for (auto* words : {&one, &all}) words->insert(words->end(), {"--start", start});
    all.emplace_back("--all");
    const Json nearest = run_json(one)["solutions"], every = run_json(all)["solutions"];
    ASSERT_EQ(nearest.size(), 1u);
    EXPECT_EQ(every.size(), 8u) << start;
    EXPECT_NEAR(double(nearest[0]["distance"]), double(every[0]["distance"]), 1e-8) << start;
    for (std::size_t k = 1; k < every.size(); ++k)
      EXPECT_LE(double(every[k - 1]["distance"]), double(every[k]["distance"]) + 1e-12) << start;
  }
}

/// A stiff governor: two arms swing out from a turning shaft and lift a slide by spring dampers,
/// which are drawn as massless legs.
constexpr const char* flyball = R"(
ulna: 1
name: flyball
gravity: [0, 0, -9.81]
bodies:
  - {name: shaft, mass: 3, inertia: [0.25, 0.25, 0.01]}
  - {name: arm1, mass: 8, centre: [0.8, 0, 0], inertia: [0.01, 0.6, 0.6]}
  - {name: arm2, mass: 8, centre: [0.8, 0, 0], inertia: [0.01, 0.6, 0.6]}
  - {name: base, mass: 3, inertia: [0.005, 0.005, 0.005]}
  - {name: out1, mass: 0}
  - {name: in1, mass: 0}
  - {name: out2, mass: 0}
  - {name: in2, mass: 0}
joints:
  - {name: spin, type: revolute, parent: world, child: shaft, axis: [0, 0, 1]}
  - {name: arm1, type: revolute, parent: shaft, child: arm1, axis: [0, 1, 0], at: {rpy: [0, 60 deg, 0]}}
  - {name: arm2, type: revolute, parent: shaft, child: arm2, axis: [0, 1, 0], at: {rpy: [0, 60 deg, 180 deg]}}
  - {name: base, type: prismatic, parent: shaft, child: base, axis: [0, 0, 1], at: [0, 0, -0.8660254037844386]}
  - {name: foot1, type: revolute, parent: arm1, child: out1, axis: [0, 1, 0], at: {position: [0.5, 0, 0], rpy: [0, 60 deg, 0]}}
  - {name: leg1, type: prismatic, parent: out1, child: in1, axis: [1, 0, 0], at: [0.5, 0, 0], spring: {stiffness: 8e5}, damping: 4e4}
  - {name: eye1, type: revolute, parent: in1, child: base, axis: [0, 1, 0], child_at: {rpy: [0, -120 deg, 0]}, cut: true}
  - {name: foot2, type: revolute, parent: arm2, child: out2, axis: [0, 1, 0], at: {position: [0.5, 0, 0], rpy: [0, 60 deg, 0]}}
  - {name: leg2, type: prismatic, parent: out2, child: in2, axis: [1, 0, 0], at: [0.5, 0, 0], spring: {stiffness: 8e5}, damping: 4e4}
  - {name: eye2, type: revolute, parent: in2, child: base, axis: [0, 1, 0], child_at: {rpy: [0, -120 deg, 180 deg]}, cut: true}
)";

TEST(FlyballGovernor, IsFollowedByEveryIntegratorForStiffSystems) {
  TemporaryFolder folder;
  folder.write("flyball.yaml", flyball);
  const auto final = [&](const std::string& method) {
    const std::string experiment = folder.write(method + ".yaml", R"(
experiment: 1
robot: flyball.yaml
start: {v: {spin: 6.283185307}}
duration: 0.5 s
integrator: {rtol: 1e-8, method: )" + method + "}\n");
    return run_json({"simulate", experiment, "-o", folder.path(method)})["final"]["q"];
  };
  const Json reference = final("dormand-prince");
  for (const char* method : {"sundials-bdf", "ida"}) {
    const Json q = final(method);
    for (std::size_t k = 0; k < q.size(); ++k)
      EXPECT_NEAR(double(q[k]), double(reference[k]), 1e-5) << method << " " << k;
  }
}

TEST(Sweeps, TakeAnyValueOfTheRobotFile) {
  const auto first = [](const std::string& sweep) {
    std::vector<double> hz;
    const Json found = run_json({"modes", "t3r3-frame", "--locked", "all", "--q", "0,1,-1",
                                 "--sweep", sweep, "--count", "1"});
    for (const Json& row : found["frequencies_hz"]) hz.push_back(row[0]);
    return hz;
  };
  const std::vector<double> thick = first("beams.upper_arm.section.outer=140mm:200mm:30mm");
  ASSERT_EQ(thick.size(), 3u);
  EXPECT_LT(thick[0], thick[1]);
  EXPECT_LT(thick[1], thick[2]);
  const std::vector<double> heavy = first("beams.stub.attached.0.mass=0,25,50");
  ASSERT_EQ(heavy.size(), 3u);
  EXPECT_GT(heavy[0], heavy[2]);
  expect_refusal({"modes", "t3r3-frame", "--sweep", "bodies.elbow.mass=1,2"},
                 {"there is no 'elbow'", "upper_arm"});
}

TEST(Ramps, ArePartOfPolylinesWithSharpCorners) {
  TemporaryFolder folder;
  const auto experiment = [&](const std::string& timing) {
    return folder.write("line.yaml", R"(
experiment: 1
robot: puma560
duration: 2 s
start: {q: [0, 45 deg, 180 deg, 0, 60 deg, 0]}
path:
  frame: wrist
  polyline: {points: [[0.5, 0.1, 0.3], [0.6, 0.1, 0.3], [0.6, 0.2, 0.3]]}
)" + timing);
  };
  const std::string trapezoids = experiment(
      "  speed: 0.2\n  ramp: 0.1 s\nrecord: {interval: 50 ms, channels: [frame.wrist]}\n");
  EXPECT_EQ(run_cli({"inverse", trapezoids}).status, 0);
  // Each leg of 0.1 m: 2 m/s^2 for 0.1 s, 0.2 m/s, and back to rest, in 0.1/0.2 + 0.1 s.
  ASSERT_EQ(run_cli({"simulate", trapezoids, "-o", folder.path("run")}).status, 0);
  const std::vector<std::string> rows = lines_of(content_of(folder.path("run/run.csv")));
  const auto expect_at = [&](double t, double x, double y) {
    double at[3];
    std::istringstream row(rows.at(static_cast<std::size_t>(1 + std::lround(t / 0.05))));
    for (double& value : at) {
      std::string text;
      std::getline(row, text, ',');
      value = std::stod(text);
    }
    EXPECT_NEAR(at[0], t, 1e-9);
    EXPECT_NEAR(at[1], x, 1e-6) << t;
    EXPECT_NEAR(at[2], y, 1e-6) << t;
  };
  expect_at(0.05, 0.5025, 0.1);
  expect_at(0.1, 0.51, 0.1);
  expect_at(0.3, 0.55, 0.1);
  expect_at(0.6, 0.6, 0.1);
  expect_at(0.7, 0.6, 0.11);
  expect_at(1.2, 0.6, 0.2);
  expect_refusal({"inverse", experiment("  time: 1\n  ramp: 0.1 s\n")}, {"ramp", "speed"});
}

}  // namespace
}  // namespace ulna::test
