// Robots written in the formats of other programs and read again: the same mass matrix at the same
// coordinates, and a list of what was lost.

#include <algorithm>
#include <iostream>

#include "reading.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/loop_closure.hpp"
#include "ulna/kinematics/posture.hpp"
#include "ulna/model/model.hpp"

namespace ulna {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

ReadResult read_again(const std::string& text, RobotFormat format) {
  switch (format) {
    case RobotFormat::urdf:
      return read_urdf_text(text, "written.urdf");
    case RobotFormat::mjcf:
      return read_mjcf_text(text, "written.xml");
    case RobotFormat::sdf:
      return read_sdf_text(text, "written.sdf");
    default:
      return read_robot_yaml_text(text, "written.yaml");
  }
}

const char* name_of_format(RobotFormat format) {
  const char* const names[] = {"yaml", "urdf", "mjcf", "sdf"};
  return names[static_cast<int>(format)];
}

/// SDF is read by a library that need not be there.
bool sdf_is_read() {
  return complaint([] {
           read_sdf_text("<sdf version='1.9'><model name='m'><link name='l'/></model></sdf>",
                         "m.sdf");
         }).find("without libsdformat") == std::string::npos;
}

bool loses(const WrittenRobot& written, const std::vector<std::string>& words) {
  for (const ImportNote& note : written.lost)
    for (const std::string& word : words)
      if (note.what.find(word) != std::string::npos) return true;
  return false;
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

/// q and speeds of `other` in the order of `model`, by name.
std::vector<int> places_of(const std::vector<std::string>& names,
                           const std::vector<std::string>& other) {
  std::vector<int> places;
  for (const std::string& name : names)
    places.push_back(static_cast<int>(std::find(other.begin(), other.end(), name) - other.begin()));
  return places;
}

/// Without what closes its loops.
Robot opened(const Model& model) {
  Robot robot = model.robot();
  for (const Loop& loop : model.loops())
    std::erase_if(robot.joints, [&](const JointData& joint) { return joint.name == loop.joint; });
  robot.constraints.clear();
  robot.postures.clear();
  return robot;
}

/// How far mass matrices and efforts are apart at three states, relative to their size; -1 where
/// the joints are not the same.
struct Difference {
  double mass = 0, efforts = 0;
};

Difference difference_of(const Model& before_loops, const Model& after_loops,
                         const Eigen::VectorXd& zero) {
  const Model before(opened(before_loops)), after(opened(after_loops));
  if (sorted(before.speed_names()) != sorted(after.speed_names())) return {-1, -1};
  const std::vector<int> q_at = places_of(before.coordinate_names(), after.coordinate_names()),
                         v_at = places_of(before.speed_names(), after.speed_names());
  Workspace work(before), other_work(after);
  std::mt19937_64 random(5);
  const auto apart = [](const auto& one, const auto& two) {
    return one.size() == 0
               ? 0.0
               : (one - two).cwiseAbs().maxCoeff() / std::max(1.0, one.cwiseAbs().maxCoeff());
  };
  Difference worst;
  for (int k = 0; k < 3; ++k) {
    const Eigen::VectorXd q = before.random(random);
    Eigen::VectorXd other(q.size()), v(before.speeds()), a(v), other_v(v), other_a(v);
    other(q_at) = q - zero;
    for (double& x : v) x = std::uniform_real_distribution<>(-1, 1)(random);
    for (double& x : a) x = std::uniform_real_distribution<>(-1, 1)(random);
    other_v(v_at) = v, other_a(v_at) = a;
    const Eigen::MatrixXd M = mass_matrix(before, work, q),
                          N = Eigen::MatrixXd(mass_matrix(after, other_work, other))(v_at, v_at);
    worst.mass = std::max(worst.mass, apart(M, N));
    const Eigen::VectorXd tau = inverse_dynamics(before, work, q, v, a),
                          other_tau = Eigen::VectorXd(
                              inverse_dynamics(after, other_work, other, other_v, other_a))(v_at);
    worst.efforts = std::max(worst.efforts, apart(tau, other_tau));
  }
  return worst;
}

double mass_difference(const Model& before, const Model& after, const Eigen::VectorXd& zero) {
  return difference_of(before, after, zero).mass;
}

void expect_same_loops(const Model& before, const Model& after) {
  if (before.loops().empty()) return;
  // A posture that closes the loops of one closes those of the other.
  const Eigen::VectorXd q = complete_state(before, {}).q;
  Eigen::VectorXd other(q.size());
  other(places_of(before.coordinate_names(), after.coordinate_names())) = q;
  LoopClosure closure(after);
  Workspace work(after);
  closure.update(work, other);
  EXPECT_LT(closure.residual().cwiseAbs().maxCoeff(), 1e-9);
}

class Converted : public ::testing::TestWithParam<RobotFormat> {};

TEST_P(Converted, ShippedRobotsHaveTheSameMassMatrix) {
  const RobotFormat format = GetParam();
  if (format == RobotFormat::sdf && !sdf_is_read()) GTEST_SKIP() << "built without libsdformat";
  int compared = 0, efforts = 0, all = 0;
  std::string left_out;  // what the format cannot say, robot by robot
  for (const ShippedRobot& shipped : shipped_robots()) {
    SCOPED_TRACE(shipped.name);
    ++all;
    const Model model(read_robot(shipped.name).robot);
    const WrittenRobot written = write_robot(model, format);
    Robot read = read_again(written.text, format).robot;
    if (format == RobotFormat::urdf) read.gravity = model.robot().gravity;  // it has none
    const Model again(read);
    const auto leave_out = [&] {
      ASSERT_FALSE(written.lost.empty()) << "not the same robot, and nothing said of it";
      left_out += "  " + std::string(shipped.name) + ": " + written.lost.front().text() + "\n";
    };
    if (loses(written, {"flexible", "rotor inertia is not", "is a screw"})) {
      leave_out();
      continue;
    }
    Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.coordinates());
    if (loses(written, {"count from a posture"})) {
      zero = complete_state(model, {}).q;
      if (model.coordinates() != model.speeds()) {  // quaternions do not subtract
        leave_out();
        continue;
      }
    }
    const Difference difference = difference_of(model, again, zero);
    if (difference.mass < 0) {
      leave_out();
      continue;
    }
    EXPECT_LT(difference.mass, 1e-12);
    if (!loses(written, {"spring", "damping", "friction", "element", "its coordinates become"})) {
      EXPECT_LT(difference.efforts, 1e-12);
      ++efforts;
    }
    if (!loses(written,
               {"closes a loop", "not written", "its coordinates become", "count from a posture"}))
      expect_same_loops(model, again);
    ++compared;
  }
  std::cout << name_of_format(format) << ": " << compared << " of " << all << " robots compared, "
            << efforts << " with their efforts; not compared, and why:\n"
            << left_out;
  EXPECT_GT(3 * compared, all);
}

INSTANTIATE_TEST_SUITE_P(Formats, Converted,
                         ::testing::Values(RobotFormat::yaml, RobotFormat::urdf, RobotFormat::mjcf,
                                           RobotFormat::sdf),
                         [](const auto& each) { return name_of_format(each.param); });

/// One joint of every type in a chain.
Robot every_type() {
  return robot_of(R"(ulna: 1
name: every
bodies:
  - {name: a, mass: 1, centre: [0.1, 0, 0], inertia: [0.1, 0.2, 0.15]}
  - {name: b, mass: 2, centre: [0, 0.1, 0], inertia: [0.1, 0.2, 0.15]}
  - {name: c, mass: 1, inertia: [0.1, 0.2, 0.15]}
  - {name: d, mass: 1, inertia: [0.1, 0.2, 0.15]}
  - {name: e, mass: 1, inertia: [0.1, 0.2, 0.15]}
  - {name: f, mass: 1, inertia: [0.1, 0.2, 0.15]}
joints:
  - {name: hinge, type: revolute, parent: world, child: a, axis: [0, 1, 1], at: {position: [0, 0, 1], rpy: [0.1, 90 deg, 0.3]}, child_at: {position: [0.2, 0, 0], rpy: [0.3, 0.2, 0.1]}, limits: {lower: -1, upper: 2, effort: 5, velocity: 3}, damping: 0.1, friction: 0.2}
  - {name: slide, type: prismatic, parent: a, child: b, axis: [1, 0, 0], at: [0.1, 0.2, 0.3]}
  - {name: cross, type: universal, parent: b, child: c, axis: [1, 0, 0], axis2: [0, 1, 0], child_at: [0, 0, 0.3]}
  - {name: shaft, type: cylindrical, parent: c, child: d, axis: [0, 1, 1]}
  - {name: table, type: planar, parent: d, child: e, axis: [1, 1, 0]}
  - {name: weld, type: fixed, parent: e, child: f, at: [0, 0.5, 0]}
frames:
  - {name: tool, body: f, at: {position: [0.1, 0, 0], rpy: [0, 0.5, 0]}}
)");
}

TEST_P(Converted, JointsOfEveryTypeKeepTheirMechanics) {
  const RobotFormat format = GetParam();
  if (format == RobotFormat::sdf && !sdf_is_read()) GTEST_SKIP() << "built without libsdformat";
  const Model model(every_type());
  const WrittenRobot written = write_robot(model, format);
  const Model again(read_again(written.text, format).robot);
  const double difference =
      mass_difference(model, again, Eigen::VectorXd::Zero(model.coordinates()));
  EXPECT_GE(difference, 0) << written.text;
  EXPECT_LT(difference, 1e-12);
  EXPECT_NO_THROW(again.frame("tool"));
  const DegreeData& degree = again.robot().joints[0].degrees[0];
  EXPECT_EQ(degree.lower, -1);
  EXPECT_EQ(degree.upper, 2);
  EXPECT_EQ(degree.effort_limit, 5);
  EXPECT_EQ(degree.damping, 0.1);
  EXPECT_EQ(degree.friction, 0.2);
}

TEST(Convert, WhatIsLostIsListedAndStrictRefusesIt) {
  Robot robot = every_type();
  robot.joints[0].degrees[0].stiffness = 7;
  robot.joints[1].degrees[0].rotor_inertia = 1e-3;
  robot.gravity = {0, 0, -1.62};
  const Model model(robot);
  std::vector<std::string> lost;
  for (const ImportNote& note : write_robot(model, RobotFormat::urdf).lost)
    lost.push_back(note.text());
  EXPECT_THAT(lost, Contains(HasSubstr("joint 'hinge': its spring is not written")));
  EXPECT_THAT(lost, Contains(HasSubstr("joint 'slide': its rotor inertia is not written")));
  EXPECT_THAT(lost, Contains(HasSubstr("gravity: not written")));
  EXPECT_THAT(complaint([&] { write_robot(model, RobotFormat::urdf, {.strict = true}); }),
              HasSubstr("its spring is not written"));
  EXPECT_TRUE(write_robot(model, RobotFormat::yaml, {.strict = true}).lost.empty());
  // MuJoCo's format has springs, rotors and gravity.
  const Robot mjcf =
      read_again(write_robot(model, RobotFormat::mjcf).text, RobotFormat::mjcf).robot;
  EXPECT_EQ(mjcf.gravity, robot.gravity);
  EXPECT_EQ(mjcf.joints[0].degrees[0].stiffness, 7);
}

TEST(Convert, LoopsInUrdfAreWrittenByChoice) {
  const Model model(read_robot("four-bar").robot);
  using Loops = WriteOptions::UrdfLoops;
  for (const Loops how : {Loops::constraint, Loops::loop_joint}) {
    const WrittenRobot written = write_robot(model, RobotFormat::urdf, {.urdf_loops = how});
    EXPECT_THAT(written.text,
                HasSubstr(how == Loops::constraint ? "<constraint " : "<loop_joint "));
    const Model again(read_again(written.text, RobotFormat::urdf).robot);
    ASSERT_EQ(again.loops().size(), model.loops().size());
    EXPECT_EQ(again.loops()[0].rows, model.loops()[0].rows);
    expect_same_loops(model, again);
  }
  const WrittenRobot open = write_robot(model, RobotFormat::urdf, {.urdf_loops = Loops::none});
  EXPECT_TRUE(Model(read_again(open.text, RobotFormat::urdf).robot).loops().empty());
  EXPECT_TRUE(loses(open, {"closes a loop and is not written"}));
}

TEST(Convert, KeyframesAreThePosturesOfARobotFile) {
  Robot robot = every_type();
  robot.postures.push_back({"home", {{"hinge", {0.3}}, {"table", {0.1, 0.2, 0.4}}}, {}});
  const Model model(robot);
  const Model again(
      read_again(write_robot(model, RobotFormat::mjcf).text, RobotFormat::mjcf).robot);
  const Eigen::VectorXd q = posture(model, "home"), other = posture(again, "home");
  Eigen::VectorXd expected(q.size());
  expected(places_of(model.coordinate_names(), again.coordinate_names())) = q;
  EXPECT_LT((other - expected).norm(), 1e-15);
}

/// Joints of one body of a MuJoCo model are read as a chain of massless bodies and written as
/// joints of that body again. A body that carries something stays a body.
TEST(Convert, MasslessBodiesBetweenJointsAreJointsOfOneBodyInMujoco) {
  const auto text = [](const std::string& more) {
    return "<mujoco><compiler angle='radian'/><worldbody><body name='a' pos='0 0 1' quat='1 0.2 "
           "0.3 "
           "0.1'><joint name='x' type='slide' axis='1 0 0' ref='0.1'/><joint name='turn' axis='0 1 "
           "0' pos='0.1 0 0.2' ref='0.3'/><joint name='ball' type='ball' pos='0 0.1 0'/><inertial "
           "mass='3' pos='0.1 0.2 0' diaginertia='0.1 0.2 0.25'/>" +
           more + "</body></worldbody></mujoco>";
  };
  const Model model(read_mjcf_text(text(""), "robot.xml").robot);
  ASSERT_EQ(model.robot().bodies.size(), 3u);
  const WrittenRobot written = write_robot(model, RobotFormat::mjcf, {.strict = true});
  EXPECT_EQ(written.text.find("<body", written.text.find("<body") + 1), std::string::npos);
  const Model again(read_mjcf_text(written.text, "robot.xml").robot);
  EXPECT_EQ(again.coordinate_names(), model.coordinate_names());
  EXPECT_LT(mass_difference(model, again, Eigen::VectorXd::Zero(model.coordinates())), 1e-12);
  EXPECT_GE(mass_difference(model, again, Eigen::VectorXd::Zero(model.coordinates())), 0);

  Robot named = model.robot();
  for (BodyData& body : named.bodies)
    if (body.name == "a_1") body.name = "carriage";
  for (JointData& joint : named.joints)
    for (std::string* end : {&joint.parent, &joint.child})
      if (*end == "a_1") *end = "carriage";
  EXPECT_TRUE(loses(write_robot(Model(named), RobotFormat::mjcf),
                    {"its joints are written as joints of body 'a'"}));
  named.frames.push_back({"pointer", "carriage", {}, {}});
  const std::string kept = write_robot(Model(named), RobotFormat::mjcf).text;
  EXPECT_THAT(kept, HasSubstr("<body name=\"carriage\""));
}

/// Names of nested models are no names for a file.
TEST(Convert, NamesOfNestedModelsAreWrittenPlainInSdf) {
  Robot robot = every_type();
  robot.bodies[5].name = "hand::palm";
  for (JointData& joint : robot.joints)
    if (joint.child == "f") joint.child = "hand::palm";
  robot.joints[5].name = "hand::weld";
  robot.frames[0].body = "hand::palm";
  const WrittenRobot written = write_robot(Model(robot), RobotFormat::sdf);
  EXPECT_EQ(written.text.find("::"), std::string::npos);
  EXPECT_TRUE(loses(written, {"is called 'hand__palm'"}));
  EXPECT_TRUE(loses(written, {"is called 'hand__weld'"}));
  if (!sdf_is_read()) GTEST_SKIP() << "built without libsdformat";
  EXPECT_EQ(read_sdf_text(written.text, "r.sdf").robot.frames[0].body, "hand__palm");
}

TEST(Convert, TheEndingSaysTheFormat) {
  EXPECT_EQ(robot_format("a/b.urdf"), RobotFormat::urdf);
  EXPECT_EQ(robot_format("b.xml"), RobotFormat::mjcf);
  EXPECT_EQ(robot_format("b.sdf"), RobotFormat::sdf);
  EXPECT_EQ(robot_format("b.yml"), RobotFormat::yaml);
  EXPECT_FALSE(robot_format("b.json").has_value());
  EXPECT_THAT(complaint([] { write_robot(Model(every_type()), "robot.json"); }),
              HasSubstr("the file extension is not that of a robot format"));
}

}  // namespace
}  // namespace ulna
