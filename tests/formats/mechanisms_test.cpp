// A biped after Cassie, a gripper after Robotiq's and a delta robot, each as a MuJoCo model with
// equalities, as SDF and as a URDF with <constraint> elements: their loops close, the formulations
// agree on them, and all bodies fall the same way as those of the robot file.

#include <set>

#include "../support/places.hpp"
#include "reading.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/kinematics/loop_closure.hpp"
#include "ulna/kinematics/posture.hpp"
#include "ulna/simulation/simulate.hpp"
#include "ulna/study/verify.hpp"

namespace ulna {
namespace {

using ModelPtr = std::shared_ptr<const Model>;

struct Mechanism {
  std::string file;
  RobotFormat format;
};

std::string ending_of(RobotFormat format) {
  return format == RobotFormat::urdf ? ".urdf" : format == RobotFormat::mjcf ? ".xml" : ".sdf";
}

/// Without what the format cannot say: rotors, and in URDF springs. The posture closes the loops.
ModelPtr source(const Mechanism& of) {
  Robot robot = read_robot(of.file == "delta" ? of.file : testing::example_file(of.file)).robot;
  for (JointData& joint : robot.joints) {
    for (DegreeData& degree : joint.degrees) {
      if (of.format != RobotFormat::mjcf) degree.rotor_inertia = 0;
      if (of.format == RobotFormat::urdf) degree.stiffness = degree.rest = 0;
      degree.lower = -DegreeData::unlimited;
      degree.upper = DegreeData::unlimited;
    }
    if (of.format == RobotFormat::sdf) joint.mimic.reset();
  }
  const Model model(robot);
  const Eigen::VectorXd q = complete_state(model, {}).q;
  PostureData start{"start", {}, {}};
  for (const Joint& joint : model.joints())
    if (joint.coordinates > 0)
      start.places.push_back(
          {joint.name, {q.data() + joint.q, q.data() + joint.q + joint.coordinates}});
  robot.postures = {start};
  return std::make_shared<const Model>(robot);
}

/// Where each body is after everything was let go for a tenth of a second.
std::map<std::string, Vector3<double>> fall(const ModelPtr& model, const Eigen::VectorXd& q) {
  Experiment experiment(model);
  experiment.q = q;
  experiment.v = Eigen::VectorXd::Zero(model->speeds());
  experiment.end = 0.1;
  experiment.integrator.tolerances = {1e-10, 1e-12};
  const RunSummary summary = simulate(experiment, RunOptions{});
  Workspace work(*model);
  update_poses(*model, work, summary.q);
  std::map<std::string, Vector3<double>> places;
  for (const Frame& frame : model->frames())
    places[frame.name] = frame_pose(*model, work, model->frame(frame.name)).position;
  return places;
}

/// The start in the coordinates of the model that was read.
Eigen::VectorXd start_of(const Model& before, const Model& after, RobotFormat format) {
  if (format == RobotFormat::sdf) return after.neutral();
  if (format == RobotFormat::mjcf) return posture(after, "start");
  Eigen::VectorXd q = after.neutral();
  const Eigen::VectorXd given = posture(before, "start");
  for (int k = 0; k < before.coordinates(); ++k)
    for (int j = 0; j < after.coordinates(); ++j)
      if (before.coordinate_names()[k] == after.coordinate_names()[j]) q(j) = given(k);
  return q;
}

class Mechanisms : public ::testing::TestWithParam<Mechanism> {};

TEST_P(Mechanisms, CloseAgreeAndFallAlike) {
  const Mechanism& of = GetParam();
  const ModelPtr before = source(of);
  const WrittenRobot written = write_robot(*before, of.format);
  if (of.format == RobotFormat::sdf && complaint([&] {
                                         read_robot_text(written.text, "r.sdf");
                                       }).find("without libsdformat") != std::string::npos)
    GTEST_SKIP() << "built without libsdformat";
  const auto after = std::make_shared<const Model>(
      read_robot_text(written.text, "written" + ending_of(of.format)).robot);
  ASSERT_FALSE(after->loops().empty());
  const Eigen::VectorXd q = start_of(*before, *after, of.format);
  LoopClosure closure(*after);
  Workspace work(*after);
  closure.update(work, q);
  EXPECT_LT(closure.residual().cwiseAbs().maxCoeff(), 1e-9);
  VerifyOptions few;
  few.states = 3;
  EXPECT_TRUE(verify(*after, few).ok());
  const auto expected = fall(before, posture(*before, "start")), found = fall(after, q);
  for (const auto& [body, place] : expected) {
    const auto there = found.find(body);
    if (there == found.end()) continue;
    EXPECT_LT((there->second - place).norm(), 1e-7) << body;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Mechanisms,
                         ::testing::Values(Mechanism{"formats/biped.yaml", RobotFormat::mjcf},
                                           Mechanism{"formats/biped.yaml", RobotFormat::sdf},
                                           Mechanism{"formats/biped.yaml", RobotFormat::urdf},
                                           Mechanism{"formats/gripper.yaml", RobotFormat::mjcf},
                                           Mechanism{"formats/gripper.yaml", RobotFormat::sdf},
                                           Mechanism{"formats/gripper.yaml", RobotFormat::urdf},
                                           Mechanism{"delta", RobotFormat::mjcf},
                                           Mechanism{"delta", RobotFormat::sdf},
                                           Mechanism{"delta", RobotFormat::urdf}),
                         [](const auto& each) {
                           const std::string file = each.param.file;
                           const std::string name =
                               file == "delta" ? file : file.substr(8, file.find(".yaml") - 8);
                           return name + "_" + ending_of(each.param.format).substr(1);
                         });

}  // namespace
}  // namespace ulna
