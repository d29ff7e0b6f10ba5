// Each way of saying where a joint is gives the poses its formula says, multiplied out by hand.

#include "ulna/model/parts/placement.hpp"

#include "naive_poses.hpp"

namespace ulna {
namespace {

using Eigen::AngleAxisd;
using Eigen::Isometry3d;
using Eigen::Translation3d;
using testing::Generator;
using testing::random_vector;
using testing::uniform;

Isometry3d Rx(double a) { return Isometry3d(AngleAxisd(a, Vector3<double>::UnitX())); }
Isometry3d Rz(double a) { return Isometry3d(AngleAxisd(a, Vector3<double>::UnitZ())); }
Isometry3d T(double x, double y, double z) { return Isometry3d(Translation3d(x, y, z)); }

/// A chain whose k-th joint stands at placements[k].
Robot chain(const std::vector<Placement>& placements, const std::vector<JointType>& types) {
  Robot robot;
  robot.name = "chain";
  for (std::size_t k = 0; k < placements.size(); ++k) {
    const std::string name = "b" + std::to_string(k);
    robot.bodies.push_back({name, {}, {}, {}});
    JointData joint;
    joint.name = "j" + std::to_string(k);
    joint.type = types[k];
    joint.parent = k == 0 ? world_name : "b" + std::to_string(k - 1);
    joint.child = name;
    joint.X_PF = placements[k].X_PF;
    joint.X_MC = placements[k].X_MC;
    robot.joints.push_back(joint);
  }
  return robot;
}

Matrix4<double> tip(const Model& model, const Eigen::VectorXd& q) {
  Workspace work(model);
  update_poses(model, work, q);
  return frame_pose(model, work, model.tip_frame()).matrix();
}

struct DhRow {
  double theta, d, b, a, alpha;
  JointType type;
};

class DenavitHartenberg : public ::testing::TestWithParam<int> {
 protected:
  DenavitHartenberg() {
    for (int k = 0; k < 6; ++k) {
      const bool slides = g() % 3 == 0;
      rows.push_back({uniform(g, -3, 3), uniform(g, -1, 1), uniform(g, -1, 1), uniform(g, -1, 1),
                      uniform(g, -3, 3), slides ? JointType::prismatic : JointType::revolute});
      types.push_back(rows.back().type);
    }
    q = testing::random_entries(g, 6, 2);
  }
  double angle(int k) const {
    return rows[k].theta + (rows[k].type == JointType::revolute ? q(k) : 0);
  }
  double shift(int k) const {
    return rows[k].d + (rows[k].type == JointType::prismatic ? q(k) : 0);
  }

  Generator g{static_cast<std::uint64_t>(GetParam())};
  std::vector<DhRow> rows;
  std::vector<JointType> types;
  Eigen::VectorXd q;
};

TEST_P(DenavitHartenberg, StandardIsRzTzTxRx) {
  std::vector<Placement> placements;
  Isometry3d X = Isometry3d::Identity();
  for (int k = 0; k < 6; ++k) {
    const DhRow& row = rows[k];
    placements.push_back(standard_dh(row.theta, row.d, row.a, row.alpha));
    X = X * Rz(angle(k)) * T(0, 0, shift(k)) * T(row.a, 0, 0) * Rx(row.alpha);
  }
  testing::expect_near(tip(Model(chain(placements, types)), q), X.matrix(), 1e-14);
}

TEST_P(DenavitHartenberg, ModifiedIsRxTxRzTz) {
  std::vector<Placement> placements;
  Isometry3d X = Isometry3d::Identity();
  for (int k = 0; k < 6; ++k) {
    const DhRow& row = rows[k];
    placements.push_back(modified_dh(row.theta, row.d, row.a, row.alpha));
    X = X * Rx(row.alpha) * T(row.a, 0, 0) * Rz(angle(k)) * T(0, 0, shift(k));
  }
  testing::expect_near(tip(Model(chain(placements, types)), q), X.matrix(), 1e-14);
}

TEST_P(DenavitHartenberg, ExtendedIsRzTzTxTyRx) {
  std::vector<Placement> placements;
  Isometry3d X = Isometry3d::Identity();
  for (int k = 0; k < 6; ++k) {
    const DhRow& row = rows[k];
    placements.push_back(extended_dh(row.theta, row.d, row.b, row.a, row.alpha));
    X = X * Rz(angle(k)) * T(0, 0, shift(k)) * T(row.a, 0, 0) * T(0, row.b, 0) * Rx(row.alpha);
  }
  testing::expect_near(tip(Model(chain(placements, types)), q), X.matrix(), 1e-14);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DenavitHartenberg, ::testing::Range(1, 21));

/// exp of a unit turn or slide about an axis fixed in the world.
Isometry3d screw_motion(const Vector3<double>& direction, const Vector3<double>& point,
                        JointType type, double q) {
  const Vector3<double> z = direction.normalized();
  if (type == JointType::prismatic) return Isometry3d(Translation3d(q * z));
  return Isometry3d(Translation3d(point) * AngleAxisd(q, z) * Translation3d(-point));
}

TEST(ScrewAxes, GiveTheProductOfExponentials) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Generator g(seed);
    std::vector<Placement> placements;
    std::vector<JointType> types;
    Isometry3d motion = Isometry3d::Identity();
    Pose<double> X_WP, X_WC;
    const Eigen::VectorXd q = testing::random_entries(g, 6, 2);
    for (int k = 0; k < 6; ++k) {
      types.push_back(g() % 3 == 0 ? JointType::prismatic : JointType::revolute);
      // Of any length. Against z, where the shortest turn from z is not unique, and beside it.
      Vector3<double> direction = random_vector(g);
      if (k == 2) direction << 0, 0, -3;
      if (k == 4) direction << std::pow(10.0, uniform(g, -9, -1)), 0, -1;
      const Vector3<double> point = random_vector(g);
      X_WC = {testing::random_rotation(g), random_vector(g)};
      placements.push_back(screw_axis(direction, point, X_WP, X_WC));
      motion = motion * screw_motion(direction, point, types[k], q(k));
      X_WP = X_WC;
    }
    const Isometry3d X = motion * testing::isometry(X_WC);
    testing::expect_near(tip(Model(chain(placements, types)), q), X.matrix(), 1e-14);
  }
}

// The plane of a planar joint lies across its axis. x, y and the axis are right-handed whatever the
// direction, and a small change of the axis changes them little (but for one direction: the hairs
// of a ball cannot all be combed).
TEST(PlanarJoints, SlideAcrossTheirAxisAndTurnRightHanded) {
  const auto axes = [](const Vector3<double>& axis) {
    Robot robot = chain({Placement{}}, {JointType::planar});
    robot.joints[0].axis = axis;
    const Model model(robot);
    Matrix3<double> xyz;
    xyz.col(0) = tip(model, Eigen::Vector3d(1, 0, 0)).topRightCorner<3, 1>();
    xyz.col(1) = tip(model, Eigen::Vector3d(0, 1, 0)).topRightCorner<3, 1>();
    const AngleAxisd turn(tip(model, Eigen::Vector3d(0, 0, 1)).topLeftCorner<3, 3>());
    xyz.col(2) = turn.axis() * turn.angle();
    return xyz;
  };
  Generator g(2);
  std::vector<Vector3<double>> directions;
  for (int k = 0; k < 3; ++k)
    for (double sign : {1.0, -1.0}) directions.push_back(sign * Vector3<double>::Unit(k));
  for (double sign : {1.0, -1.0}) {
    directions.emplace_back(1, sign, 0);
    directions.emplace_back(sign, 0, 1);
    directions.emplace_back(0, 1, sign);
    directions.emplace_back(1, 1, sign);
  }
  for (int k = 0; k < 10; ++k) directions.push_back(random_vector(g));
  for (const Vector3<double>& axis : directions) {
    const Matrix3<double> xyz = axes(axis);
    EXPECT_LT((xyz.col(2) - axis.normalized()).norm(), 1e-14) << axis.transpose();
    EXPECT_LT((xyz.transpose() * xyz - Matrix3<double>::Identity()).norm(), 1e-14);
    EXPECT_NEAR(xyz.determinant(), 1, 1e-14) << axis.transpose();
    if (axis.normalized().z() < -0.999) continue;
    const Vector3<double> near = axis.normalized() + Vector3<double>(1e-7, 2e-7, -1e-7);
    EXPECT_LT((axes(near) - xyz).norm(), 1e-5) << axis.transpose();
  }
  EXPECT_LT((axes(Vector3<double>::UnitZ()) - Matrix3<double>::Identity()).norm(), 1e-15);
}

}  // namespace
}  // namespace ulna
