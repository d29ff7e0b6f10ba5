// What is wrong with a robot is said all at once, each fault with the element it concerns.

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "naive_poses.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/model/repair.hpp"

namespace ulna {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The world, a hinge, an upper arm, a hinge, a lower arm with a tool and a load.
Robot two_links() {
  Robot robot;
  robot.name = "two links";
  Inertial inertial;
  inertial.mass = 2;
  inertial.centre << 0.5, 0, 0;
  inertial.inertia.diagonal() << 0.01, 0.2, 0.2;
  robot.bodies = {{"upper", inertial, {}, {}}, {"lower", inertial, {}, {}}};
  JointData shoulder;
  shoulder.name = "shoulder";
  shoulder.type = JointType::revolute;
  shoulder.child = "upper";
  shoulder.degrees.resize(1);
  JointData elbow = shoulder;
  elbow.name = "elbow";
  elbow.parent = "upper";
  elbow.child = "lower";
  elbow.X_PF.position << 1, 0, 0;
  robot.joints = {shoulder, elbow};
  robot.frames = {{"tool", "lower", Pose<double>::translation({1, 0, 0}), {}}};
  robot.payloads = {{"load", "lower", Pose<double>::translation({1, 0, 0}), inertial, {}}};
  return robot;
}

std::vector<Problem> problems_of(const Robot& robot) {
  try {
    Model model(robot);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

TEST(Problems, OfAGoodRobotAreNone) { EXPECT_TRUE(problems_of(two_links()).empty()); }

TEST(Problems, AreAllReportedAtOnceAndNameTheirElements) {
  Robot robot = two_links();
  robot.bodies[0].inertial.mass = -1;
  robot.bodies[1].inertial.inertia(0, 1) = 0.1;  // and not (1, 0)
  robot.joints[0].axis.setZero();
  robot.frames[0].body = "lowr";
  robot.gravity.y() = nan;
  const std::vector<Problem> problems = problems_of(robot);
  std::vector<std::string> elements;
  for (const Problem& problem : problems) {
    elements.push_back(problem.element);
    EXPECT_FALSE(problem.message.empty());
    EXPECT_FALSE(problem.expectation.empty()) << problem.text();
  }
  EXPECT_THAT(elements,
              ::testing::UnorderedElementsAre("body 'upper'", "body 'lower'", "frame 'tool'",
                                              "joint 'shoulder'", "gravity"));
}

TEST(Problems, OfConnectionAndOfNumbersComeTogether) {
  Robot robot = two_links();
  robot.bodies[0].inertial.mass = -1;
  robot.bodies.push_back({"lost", {}, {}, {}});
  EXPECT_EQ(problems_of(robot).size(), 2u);
}

TEST(Problems, KeepTheirPlaceInTheFile) {
  Robot robot = two_links();
  robot.joints[1].mark = {"arm.yaml", 12, 5};
  robot.joints[1].axis.setZero();
  const std::vector<Problem> problems = problems_of(robot);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0].text(), ::testing::StartsWith("arm.yaml:12:5: joint 'elbow': axis"));
}

// One fault, one problem: its element and words of its text.
struct Fault {
  std::string what;
  std::function<void(Robot&)> make;
  std::string element;
  std::string words;

  friend void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.what; }
};

std::string test_name(const ::testing::TestParamInfo<Fault>& fault) {
  std::string name = fault.param.what;
  std::replace(name.begin(), name.end(), ' ', '_');
  std::erase(name, '-');
  return name;
}

class EachFault : public ::testing::TestWithParam<Fault> {};

TEST_P(EachFault, IsOneProblemThatNamesItsElement) {
  Robot robot = two_links();
  GetParam().make(robot);
  const std::vector<Problem> problems = problems_of(robot);
  std::string all;
  for (const Problem& problem : problems) all += problem.text() + "\n";
  ASSERT_EQ(problems.size(), 1u) << all;
  EXPECT_EQ(problems[0].element, GetParam().element);
  EXPECT_THAT(problems[0].text(), HasSubstr(GetParam().words));
}

void follow(JointData& joint, const std::string& leader, double multiplier = 1) {
  joint.mimic = Mimic{leader, multiplier, 0};
}

INSTANTIATE_TEST_SUITE_P(
    Names, EachFault,
    ::testing::Values(
        Fault{"twice", [](Robot& r) { r.joints[1].name = "shoulder"; }, "joint 'shoulder'",
              "used twice"},
        Fault{"frame as a body", [](Robot& r) { r.frames[0].name = "upper"; }, "frame 'upper'",
              "used twice"},
        Fault{"a second world",
              [](Robot& r) {
                r.bodies.push_back({world_name, {}, {}, {}});
              },
              "body 'world'", "used twice"},
        Fault{"payload twice", [](Robot& r) { r.payloads.push_back(r.payloads[0]); },
              "payload 'load'", "used twice"},
        Fault{"none", [](Robot& r) { r.frames[0].name.clear(); }, "frame", "has no name"},
        Fault{"unknown child",
              [](Robot& r) {
                r.joints.push_back(r.joints[1]);
                r.joints[2].name = "third";
                r.joints[2].child = "lwer";
              },
              "joint 'third'",
              "there is no body 'lwer'; expected the name of a body; did you "
              "mean 'lower'?"},
        Fault{"unknown parent", [](Robot& r) { r.joints[1].parent = "Upper"; }, "joint 'elbow'",
              "did you mean 'upper'?"},
        Fault{"unknown body of a payload", [](Robot& r) { r.payloads[0].body = "hand"; },
              "payload 'load'", "there is no body 'hand'"},
        Fault{"joined to itself",
              [](Robot& r) {
                r.joints.push_back(r.joints[1]);
                r.joints[2].name = "third";
                r.joints[2].parent = "lower";
              },
              "joint 'third'", "joins body 'lower' to itself"}),
    test_name);

INSTANTIATE_TEST_SUITE_P(
    Geometry, EachFault,
    ::testing::Values(
        Fault{"zero axis", [](Robot& r) { r.joints[1].axis.setZero(); }, "joint 'elbow'",
              "axis is the zero vector"},
        Fault{"axis not a number", [](Robot& r) { r.joints[1].axis.x() = nan; }, "joint 'elbow'",
              "axis has an entry that is not a finite number"},
        Fault{"zero axis of a universal joint",
              [](Robot& r) {
                r.joints[1].type = JointType::universal;
                r.joints[1].axis.setZero();
              },
              "joint 'elbow'", "axis is the zero vector"},
        Fault{"parallel axes of a universal joint",
              [](Robot& r) {
                r.joints[1].type = JointType::universal;
                r.joints[1].axis2 = -3 * r.joints[1].axis;
              },
              "joint 'elbow'", "its two axes are parallel"},
        Fault{"infinite position", [](Robot& r) { r.joints[1].X_PF.position.z() = infinity; },
              "joint 'elbow'", "not a finite number"},
        Fault{"left-handed axes", [](Robot& r) { r.joints[1].X_MC.rotation.col(0) *= -1; },
              "joint 'elbow'", "not a right-handed orthonormal matrix"},
        Fault{"skew axes of a frame", [](Robot& r) { r.frames[0].X_BF.rotation(0, 1) = 1e-3; },
              "frame 'tool'", "not a right-handed orthonormal matrix"},
        Fault{"payload placed at infinity", [](Robot& r) { r.payloads[0].X_BL.position.x() = nan; },
              "payload 'load'", "not a finite number"},
        Fault{"pitch", [](Robot& r) { r.joints[1].pitch = nan; }, "joint 'elbow'", "pitch"}),
    test_name);

INSTANTIATE_TEST_SUITE_P(
    Inertias, EachFault,
    ::testing::Values(
        Fault{"mass not a number", [](Robot& r) { r.bodies[0].inertial.mass = nan; },
              "body 'upper'", "mass nan"},
        Fault{"inertia not a number", [](Robot& r) { r.bodies[0].inertial.inertia(1, 1) = nan; },
              "body 'upper'", "not a finite number"},
        Fault{"inertia of a payload not a number",
              [](Robot& r) { r.payloads[0].inertial.inertia(1, 1) = nan; }, "payload 'load'",
              "not a finite number"},
        Fault{"negative mass", [](Robot& r) { r.payloads[0].inertial.mass = -2; }, "payload 'load'",
              "mass -2; expected a mass that is not negative"},
        Fault{"centre at infinity", [](Robot& r) { r.bodies[0].inertial.centre.x() = infinity; },
              "body 'upper'", "centre of mass is not finite"},
        Fault{"not symmetric", [](Robot& r) { r.bodies[0].inertial.inertia(0, 1) = 0.1; },
              "body 'upper'", "not symmetric"}),
    test_name);

INSTANTIATE_TEST_SUITE_P(
    Degrees, EachFault,
    ::testing::Values(
        Fault{"limits crossed",
              [](Robot& r) {
                r.joints[1].degrees[0].lower = 1;
                r.joints[1].degrees[0].upper = -1;
              },
              "joint 'elbow'", "limits 1 .. -1"},
        Fault{"limit not a number", [](Robot& r) { r.joints[1].degrees[0].upper = nan; },
              "joint 'elbow'", "limits"},
        Fault{"limits both at infinity",
              [](Robot& r) {
                r.joints[1].degrees[0].lower = r.joints[1].degrees[0].upper = infinity;
              },
              "joint 'elbow'", "limits"},
        Fault{"negative damping", [](Robot& r) { r.joints[1].degrees[0].damping = -1; },
              "joint 'elbow'", "damping is -1"},
        Fault{"gear ratio zero", [](Robot& r) { r.joints[1].degrees[0].gear_ratio = 0; },
              "joint 'elbow'", "gear ratio is 0"},
        Fault{"too many degrees", [](Robot& r) { r.joints[1].degrees.resize(2); }, "joint 'elbow'",
              "at most 1 for a revolute joint"},
        Fault{"a spring on a ball",
              [](Robot& r) {
                r.joints[1].type = JointType::spherical;
                r.joints[1].degrees[0].stiffness = 1;
              },
              "joint 'elbow'", "a spring on a spherical joint"}),
    test_name);

INSTANTIATE_TEST_SUITE_P(
    Mimic, EachFault,
    ::testing::Values(Fault{"unknown leader", [](Robot& r) { follow(r.joints[1], "sholder"); },
                            "joint 'elbow'", "did you mean 'shoulder'?"},
                      Fault{"itself", [](Robot& r) { follow(r.joints[1], "elbow"); },
                            "joint 'elbow'", "in a circle"},
                      Fault{"multiplier not a number",
                            [](Robot& r) { follow(r.joints[1], "shoulder", nan); }, "joint 'elbow'",
                            "multiplier or offset"},
                      Fault{"leader with two degrees",
                            [](Robot& r) {
                              r.joints[0].type = JointType::universal;
                              follow(r.joints[1], "shoulder");
                            },
                            "joint 'elbow'", "of type universal"},
                      Fault{"follower without degrees",
                            [](Robot& r) {
                              r.joints[1].type = JointType::fixed;
                              r.joints[1].degrees.clear();
                              follow(r.joints[1], "shoulder");
                            },
                            "joint 'elbow'", "a fixed joint cannot mimic"}),
    test_name);

TEST(Problems, OfACircleOfMimicJointsAreSaidForEachOfThem) {
  Robot robot = two_links();
  follow(robot.joints[0], "elbow");
  follow(robot.joints[1], "shoulder");
  const std::vector<Problem> problems = problems_of(robot);
  ASSERT_EQ(problems.size(), 2u);
  for (const Problem& problem : problems) EXPECT_THAT(problem.message, HasSubstr("in a circle"));
}

TEST(Problems, OfABodyThatHangsOnNothingSayWhatToAdd) {
  Robot robot = two_links();
  robot.joints.erase(robot.joints.begin());
  const std::vector<Problem> problems = problems_of(robot);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].element, "body 'upper'");
  EXPECT_EQ(problems[1].element, "body 'lower'");
  EXPECT_THAT(problems[0].text(),
              AllOf(HasSubstr("connects it to the world"), HasSubstr("parent: world")));
}

// Robots that people have break the triangle inequality: no energy is negative for that.
TEST(ImpossibleInertias, OfTheTriangleInequalityAreDoubtfulAndCanBeRepaired) {
  Robot robot = two_links();
  robot.bodies[0].inertial.inertia.diagonal() << 1, 2, 4;
  robot.payloads[0].inertial.inertia.diagonal() << 4, 1, 2;
  const std::vector<Problem> warnings = Model(robot).warnings();
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_THAT(warnings[0].text(),
              AllOf(HasSubstr("body 'upper'"), HasSubstr("triangle inequality: 1 + 2 < 4")));
  EXPECT_THAT(warnings[1].text(), HasSubstr("payload 'load'"));
  const std::vector<InertiaRepair> repaired = repair_inertias(robot);
  ASSERT_EQ(repaired.size(), 2u);
  EXPECT_TRUE(Model(robot).warnings().empty());
  // Second moments (2.5, 1.5, -0.5) become (2.5, 1.5, 0): moments 1.5, 2.5 and 4.
  EXPECT_LT((robot.bodies[0].inertial.inertia.diagonal() - Vector3<double>(1.5, 2.5, 4)).norm(),
            1e-14);
  EXPECT_NEAR(repaired[0].change, std::sqrt(0.5 / 21), 1e-14);
}

// Mechanics feels only the sum of what is welded together, and nothing of what stands still.
TEST(ImpossibleInertias, AreNoFaultWhereMechanicsDoesNotFeelThem) {
  Robot robot = two_links();
  BodyData shell;
  shell.name = "shell";
  shell.inertial.mass = 0.1;
  shell.inertial.inertia.diagonal() << -0.001, 0.001, 0.005;
  JointData weld;
  weld.name = "weld";
  weld.child = "shell";
  robot.bodies.push_back(shell);
  robot.joints.push_back(weld);
  const auto said = [&] {
    EXPECT_TRUE(problems_of(robot).empty());
    const std::vector<Problem> warnings = Model(robot).warnings();
    return warnings.size() == 1 ? warnings[0].text() : "";
  };
  EXPECT_THAT(said(), HasSubstr("harmless: it does not move"));  // on the world
  robot.joints.back().parent = "lower";
  EXPECT_THAT(said(), HasSubstr("harmless: the bodies it is welded to compensate for it"));
  robot.bodies.back().inertial.inertia *= 1000;
  EXPECT_THAT(said(),
              AllOf(HasSubstr("principal moment -1 is negative"), Not(HasSubstr("harmless"))));
  robot.bodies.back().inertial.inertia /= 1000;
  robot.joints.back().type = JointType::revolute;
  EXPECT_THAT(said(), AllOf(HasSubstr("is negative"), Not(HasSubstr("harmless"))));
}

TEST(UnknownNames, GetTheNearestKnownOne) {
  const Model model(two_links());
  const auto complaint = [](auto&& ask) -> std::string {
    try {
      ask();
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(model.frames()[model.frame("tool")].name, "tool");
  EXPECT_EQ(model.frames()[model.frame("lower")].name, "lower");
  EXPECT_EQ(model.frame(world_name), 0);
  EXPECT_THAT(complaint([&] { model.frame("tol"); }), HasSubstr("did you mean 'tool'?"));
  EXPECT_THAT(complaint([&] { model.body("louer"); }), HasSubstr("did you mean 'lower'?"));
  EXPECT_THAT(complaint([&] { model.joint("elbo"); }), HasSubstr("did you mean 'elbow'?"));
  EXPECT_THAT(complaint([&] { model.joint("windscreen"); }),
              ::testing::AllOf(::testing::Not(HasSubstr("did you mean")),
                               HasSubstr("expected one of shoulder, elbow")));
  // The beginning of a long name is near to it, however many letters are missing.
  EXPECT_EQ(nearest_name_hint("articulated", {"automatic", "articulated-body"}),
            "did you mean 'articulated-body'?");
  EXPECT_EQ(nearest_name_hint("w", {"world"}), "");
}

// Points, rods, laminas and bodies without mass are limits of real bodies, and legal. Only who
// needs the inverse of a mass matrix that has none is told so.
TEST(LimitsOfRealBodies, AreLegal) {
  for (const Vector3<double>& moments :
       {Vector3<double>(0, 0, 0), Vector3<double>(0, 1, 1), Vector3<double>(1, 2, 3)}) {
    Robot robot = two_links();
    for (BodyData& body : robot.bodies) body.inertial.inertia = moments.asDiagonal();
    EXPECT_TRUE(problems_of(robot).empty()) << moments.transpose();
  }
  Robot robot = two_links();
  robot.payloads.clear();
  robot.bodies[1].inertial = {};
  const Model model(robot);
  Workspace work(model);
  const Eigen::VectorXd q = Eigen::VectorXd::Ones(2);
  EXPECT_NO_THROW(inverse_dynamics(model, work, q, q, q));
  for (ForwardMethod method : {ForwardMethod::articulated_body, ForwardMethod::composite_body}) {
    try {
      forward_dynamics(model, work, q, q, q, {}, method);
      ADD_FAILURE() << "a joint that moves nothing has no acceleration";
    } catch (const ComputationError& error) {
      EXPECT_THAT(error.what(), HasSubstr("joint 'elbow'"));
    }
  }
}

}  // namespace
}  // namespace ulna
