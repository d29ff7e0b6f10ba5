// Frames of parallel robots without closed form led along paths: the drives of their legs carry
// them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/places.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/parallel_robot.hpp"
#include "ulna/motion/cartesian_motion.hpp"
#include "ulna/motion/pose_path.hpp"
#include "ulna/motion/program.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

Model parallel_robot(const std::string& name) {
  return Model(read_robot(testing::data_file("parallel/" + name + ".yaml")).robot);
}

/// In one second from the home pose to another one, shifted and turned by a rotation vector.
PathMotion from_home(const Model& model, const Vector3<double>& shift,
                     const Vector3<double>& turn) {
  const Pose<double> home = ParallelRobot(model).home().pose;
  const auto path = std::make_shared<LinePath>(
      home, Pose<double>{exp_rotation(turn) * home.rotation, home.position + shift});
  return {path, program_named("poly345", 0, path->length(), 1)};
}

/// The pose of the platform with the drives where the motion says.
Pose<double> reached(const Model& model, const CartesianMotion& joints, double t) {
  const int m = joints.size();
  Eigen::VectorXd q(m), v(m), a(m);
  joints.at(t, q, v, a);
  return ParallelRobot(model, {joints.driven(), -1}).at_drives(q).pose;
}

TEST(ParallelMotion, IsCarriedByTheDrivesOfTheLegs) {
  struct Case {
    const char* name;
    Vector3<double> shift, turn;
  };
  for (const Case& c : {Case{"three-rps", {0, 0, 0.05}, {0, 0, 0}},
                        {"three-prs", {0, 0, 0.05}, {0, 0, 0}},
                        {"stewart-1965", {0.03, -0.02, 0.05}, {0.1, -0.05, 0.08}}}) {
    const Model model = parallel_robot(c.name);
    const PathMotion motion = from_home(model, c.shift, c.turn);
    const CartesianMotion joints(model, model.body("platform"), motion);
    EXPECT_EQ(joints.driven(), ParallelRobot(model).drives()) << c.name;
    for (const double t : {0.3, 0.77, 1.0}) {
      const Pose<double> at = reached(model, joints, t), wish = motion.at(t).pose;
      EXPECT_LT((at.position - wish.position).norm(), 1e-8) << c.name;
      EXPECT_LT((at.rotation - wish.rotation).norm(), 1e-8) << c.name;
    }
  }
}

TEST(ParallelMotion, APathOutOfTheFreedomsSaysSo) {
  // The middle leg of a tricept cannot move its platform aside without turning it.
  const Model model = parallel_robot("tricept");
  const PathMotion motion = from_home(model, {0.02, 0, 0}, {0, 0, 0});
  try {
    CartesianMotion(model, model.body("platform"), motion);
    FAIL() << "the platform has no such freedom";
  } catch (const ComputationError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("in 3 of the 6 prescribed directions"));
    EXPECT_THAT(error.what(), ::testing::Not(::testing::HasSubstr("singular")));
  }
}

TEST(ParallelMotion, ATiltedTripodShiftsWhereThePathLeavesItFree) {
  // Its balls keep the planes of their hinges: the tilt by theta of a 3-RPS with the radius r moves
  // the centre by at most r (1 - cos(theta)) / 2.
  for (const char* name : {"three-rps", "three-prs"}) {
    const Model model = parallel_robot(name);
    const PathMotion motion = from_home(model, {0, 0, 0.03}, {0.2, 0.1, 0});
    EXPECT_THROW(CartesianMotion(model, model.body("platform"), motion), ComputationError);
    CartesianMotionOptions options;
    options.held = {false, false, true};
    const CartesianMotion joints(model, model.body("platform"), motion, options);
    for (const double t : {0.4, 1.0}) {
      const Pose<double> at = reached(model, joints, t), wish = motion.at(t).pose;
      EXPECT_NEAR(at.position.z(), wish.position.z(), 1e-8) << name;
      EXPECT_LT((at.rotation - wish.rotation).norm(), 1e-8) << name;
      EXPECT_GT((at.position - wish.position).norm(), 1e-5) << name;
    }
    const double tilt = std::hypot(0.2, 0.1);
    const Vector3<double> home = ParallelRobot(model).home().pose.position;
    EXPECT_LE((reached(model, joints, 1).position - home).head<2>().norm(),
              0.5 * 0.2 * (1 - std::cos(tilt)) + 1e-9)
        << name;
  }
}

}  // namespace
}  // namespace ulna
