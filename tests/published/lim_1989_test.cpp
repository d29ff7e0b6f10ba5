// Lim, Freeman and Tesar, "Modeling and Simulation of a Stewart Platform Type Parallel Structure
// Robot", University of Texas at Austin, NASA grant NAG 9-188, 1989: the Dynamic Docking Test
// System. Its printed tables come from a program with two defects, which are reproduced here, in
// the test, only to show that the method is understood to the last digit:
//   D1  of the platform's rotary inertia only the third column is kept, on the diagonal;
//   D2  the rod's angular coefficients have the slide's axis as a third column.
// Snapshots and peaks are of an independent computation without them (tests/data/lim_1989.json).
// The report has translation first, X up, no gravity, and one-sided second order arrays.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/json_data.hpp"
#include "support/platforms.hpp"
#include "ulna/dynamics/internal/coordinate_transfer.hpp"
#include "ulna/dynamics/platform_dynamics.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/motion/program.hpp"

namespace ulna {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::ddts_platform;
using testing::ddts_pose;
using testing::degree;
using testing::Json;
using testing::numbers;

Json lim_data() { return testing::read_data("lim_1989.json"); }
MatrixXd matrix(const Json& rows) {
  MatrixXd m(rows.size(), rows[0].size());
  for (std::size_t k = 0; k < rows.size(); ++k) m.row(static_cast<int>(k)) = numbers(rows[k]);
  return m;
}

/// Where the platform is at time t: D climbs, E moves sideways, both turn by -60 degrees.
struct Sample {
  Pose<double> pose;
  Twist<double> twist, acceleration;
};
Sample sample(char trajectory, const std::string& law, double t) {
  const MotionValue shift = program_named(law, 0, 1, 2)->at(t),
                    turn = program_named(law, 0, -60 * degree, 2)->at(t);
  const Vector3<double> along =
      trajectory == 'D' ? Vector3<double>::UnitX() : Vector3<double>::UnitZ();
  return {ddts_pose(Vector3<double>(3, 0, 0) + shift.value * along, turn.value),
          {turn.rate * Vector3<double>::UnitX(), shift.rate * along},
          {turn.acceleration * Vector3<double>::UnitX(), shift.acceleration * along}};
}
VectorXd translation_first(const Twist<double>& V) {
  VectorXd u(6);
  u << V.linear, V.angular;
  return u;
}

struct Masses {
  double cross = 10, cylinder = 200, rod = 175, platform = 2250;
  bool defects = false;
};

/// One leg as the open chain of the report (eq. 3-1 of the report): hinge about the tangent, hinge
/// across, slide.
Robot leg_chain(int leg, const Masses& masses) {
  constexpr double angle[] = {0, 5, 120, 125, 240, 245};
  const double b = angle[leg] * degree;
  Robot robot;
  robot.name = "leg";
  robot.gravity.setZero();
  const auto body = [&](const char* name, double mass, double z, const Vector3<double>& inertia) {
    BodyData data;
    data.name = name;
    data.inertial = {mass, {0, 0, z}, inertia.asDiagonal()};
    robot.bodies.push_back(data);
  };
  body("cross", masses.cross, 0, masses.cross / 10 * Vector3<double>(0.009, 0.009, 0.018));
  body("cylinder", masses.cylinder, -1.5, masses.cylinder * 9 / 12 * Vector3<double>(1, 1, 0));
  body("rod", masses.rod, 1.5, masses.rod * 9 / 12 * Vector3<double>(1, 1, 0));
  const auto joint = [&](const char* name, JointType type, const char* parent, const char* child,
                         const Vector3<double>& axis) {
    JointData data;
    data.name = name;
    data.type = type;
    data.parent = parent;
    data.child = child;
    data.axis = axis;
    robot.joints.push_back(data);
  };
  joint("theta1", JointType::revolute, world_name, "cross", {0, 0, 1});
  robot.joints[0].X_PF = {Eigen::AngleAxisd(b, Vector3<double>::UnitX()).toRotationMatrix(),
                          Vector3<double>(0, 3 * std::cos(b), 3 * std::sin(b))};
  joint("theta2", JointType::revolute, "cross", "cylinder", {0, -1, 0});
  joint("L3", JointType::prismatic, "cylinder", "rod", {0, 0, -1});
  return robot;
}

/// Everything of one pose in the report's coordinates u = (centre; angular).
struct Platform89 {
  DynamicModel u = DynamicModel::zero(6);
  CoordinateMap theta1, length;  ///< inputs from u
};

/// Second order of a platform point in the report's upper-triangular convention (section 3).
CoordinateMap platform_point(const Vector3<double>& W) {
  CoordinateMap map;
  map.G.resize(3, 6);
  map.G << Matrix3<double>::Identity(), -skew(W);
  map.gamma.setZero(3);
  map.H.assign(3, MatrixXd::Zero(6, 6));
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 3; ++i)
      if (i != k) {
        map.H[k](3 + i, 3 + i) = -W(k);
        map.H[k](3 + std::min(i, k), 3 + std::max(i, k)) = W(i);
      }
  }
  return map;
}

void append(CoordinateMap& map, const CoordinateMap& row) {
  MatrixXd G(map.G.rows() + 1, 6);
  if (map.G.rows() > 0) G.topRows(map.G.rows()) = map.G;
  G.bottomRows(1) = row.G;
  map.G = G;
  map.gamma.setZero(G.rows());
  map.H.push_back(row.H[0]);
}

Platform89 report_model(const Pose<double>& pose, const Masses& masses) {
  const PlatformData data = ddts_platform();
  Platform89 out;
  for (int k = 0; k < 6; ++k) {
    const Model model(leg_chain(k, masses));
    Workspace work(model);
    const Vector3<double> W = pose.rotation * data.legs[k].platform;
    // Closed form of the leg (section 3), in the leg's frame.
    const Vector3<double> p = model.robot().joints[0].X_PF.inverse() * (pose.position + W);
    const double L = p.norm(), psi1 = std::acos(p.z() / L), psi2 = std::atan2(p.y(), p.x());
    VectorXd phi(3);
    phi << M_PI + psi2, M_PI + psi1, L;
    DynamicModel leg = dynamic_model(model, work, phi);
    if (masses.defects) {
      const double extra = masses.rod * 9 / 12 * std::sin(phi(1));
      leg.P[0](1, 2) -= extra;
      leg.P[1](0, 2) += extra;
      leg.P[2](0, 1) -= extra;
      leg.P[2](1, 0) += extra;
    }
    const CoordinateMap p_phi =
        rows_of(influence_coefficients(model, work, model.frame("rod")), {3, 4, 5});
    EXPECT_LT((frame_pose(model, work, model.frame("rod")).position - pose.position - W).norm(),
              1e-14);
    const CoordinateMap phi_u = compose(inverse(p_phi), platform_point(W));
    out.u += transfer(leg, phi_u);
    append(out.theta1, rows_of(phi_u, {0}));
    append(out.length, rows_of(phi_u, {2}));
  }
  CoordinateMap centre = CoordinateMap::identity(6);
  centre.G << MatrixXd::Zero(3, 3), Matrix3<double>::Identity(), Matrix3<double>::Identity(),
      MatrixXd::Zero(3, 3);
  const Matrix3<double> J =
      pose.rotation * (masses.platform / 2250 * data.inertial.inertia) * pose.rotation.transpose();
  DynamicModel platform = body_model(centre, masses.platform, J, Vector3<double>::Zero());
  if (masses.defects) platform.I.bottomRightCorner<3, 3>() = J.col(2).asDiagonal();
  out.u += platform;
  return out;
}

TEST(Lim1989, SpecialCaseOfCrossesOnly) {
  // Section 6.1: input = first hinge of each leg, only the crosses have mass.
  Masses crosses;
  crosses.cylinder = crosses.rod = crosses.platform = 0;
  const Platform89 m = report_model(ddts_pose({3, 0, 0}, 0), crosses);
  // As printed in eq. 6-9 of the report, to its rounding.
  EXPECT_LT((m.u.I - matrix(lim_data()["special_case_I_uu"])).cwiseAbs().maxCoeff(), 5.1e-5);
  const DynamicModel d = transfer_along(m.u, m.theta1);
  EXPECT_LT((d.I - 0.018 * MatrixXd::Identity(6, 6)).norm(), 1e-15);
  for (const MatrixXd& plane : d.P) EXPECT_LT(plane.norm(), 1e-14);
}

TEST(Lim1989, SpecialCaseThroughTheLoopsOfTheRobot) {
  // The same from the ordinary robot with loops, its hinges as inputs.
  PlatformData only = ddts_platform();
  only.inertial = {};
  for (PlatformLeg& leg : only.legs) leg.cylinder = leg.rod = {};
  const Robot robot = platform_robot(only);
  const Model model(robot);
  const Platform platform(platform_of(robot));
  Workspace work(model);
  LoopClosure closure(model);
  const VectorXd q = platform_posture(model, platform, ddts_pose({3, 0, 0}, 0));
  std::vector<int> inputs;
  for (int k = 1; k <= 6; ++k)
    inputs.push_back(model.joints()[model.joint("leg" + std::to_string(k) + "_hinge")].v);
  const DynamicModel d =
      transfer(dynamic_model(model, work, q), map_from_inputs(closure, work, q, inputs));
  EXPECT_LT((d.I - 0.018 * MatrixXd::Identity(6, 6)).norm(), 1e-14);
  for (const MatrixXd& plane : d.P) EXPECT_LT(plane.norm(), 1e-11);
}

TEST(Lim1989, RowsRatesAndAccelerationsOfTheLegs) {
  // Section 6.1: the row of a leg's length is (s3, W x s3); rates and accelerations from G and H
  // are those of the differentiated square of the length.
  const Platform platform(ddts_platform());
  PlatformMotion motion(platform);
  for (char trajectory : {'D', 'E'})
    for (double t = 0.1; t < 2; t += 0.1) {
      const Sample s = sample(trajectory, "poly345", t);
      platform.inverse(s.pose, s.twist, s.acceleration, motion);
      const Platform89 m = report_model(s.pose, {});
      const VectorXd u = translation_first(s.twist), du = translation_first(s.acceleration);
      const VectorXd rate = m.length.G * u, rate2 = m.length.G * du + m.length.gamma_at(u);
      for (int k = 0; k < 6; ++k) {
        const LegMotion& leg = motion.legs[k];
        const Vector3<double> P = leg.P - leg.E;
        VectorXd row(6);
        row << P.normalized(), leg.W.cross(P.normalized());
        EXPECT_LT((m.length.G.row(k).transpose() - row).norm(), 1e-12);
        const double L = P.norm(), dL = P.dot(leg.dP) / L,
                     ddL = (P.dot(leg.ddP) + leg.dP.squaredNorm() - dL * dL) / L;
        EXPECT_NEAR(rate(k), dL, 1e-12);
        EXPECT_NEAR(rate2(k), ddL, 1e-12);
        EXPECT_NEAR(leg.rate, dL, 1e-12);
        EXPECT_NEAR(leg.acceleration, ddL, 1e-12);
      }
    }
}

void expect_table(const Json& table, const DynamicModel& d, int plane) {
  EXPECT_LT((d.I - matrix(table["I_dd"])).cwiseAbs().maxCoeff(), 0.15);
  EXPECT_LT((d.P[plane] - matrix(table["P_ddd_plane"])).cwiseAbs().maxCoeff(), 0.15);
}

TEST(Lim1989, Table62WithTheDefectsOfTheProgram) {
  Masses masses;
  masses.defects = true;
  const Platform89 m = report_model(sample('D', "poly345", 0.8).pose, masses);
  expect_table(lim_data()["table_6_2"], transfer_along(m.u, m.length), 2);
}
TEST(Lim1989, Table64WithoutLegMasses) {
  Masses masses;
  masses.cross = masses.cylinder = masses.rod = 0;
  masses.defects = true;
  const Platform89 m = report_model(sample('E', "poly345", 1.6).pose, masses);
  expect_table(lim_data()["table_6_4"], transfer_along(m.u, m.length), 0);
}
TEST(Lim1989, Table65WithoutPlatformMass) {
  Masses masses;
  masses.platform = 0;
  masses.defects = true;
  const Platform89 m = report_model(sample('E', "poly345", 1.3).pose, masses);
  expect_table(lim_data()["table_6_5"], transfer_along(m.u, m.length), 1);
}

const std::pair<const char*, const char*> law_names[] = {{"p2_const_acc", "constant-acceleration"},
                                                         {"p3_345", "poly345"},
                                                         {"p4_4567", "poly4567"},
                                                         {"p4_trap", "trapezoidal-jerk"}};

TEST(Lim1989, SnapshotsOfTheCorrectModel) {
  const Platform platform(ddts_platform());
  PlatformDynamics dynamics(platform);
  const Json snapshots = lim_data()["snapshots"];
  int compared = 0;
  for (const auto& [key, law] : law_names)
    for (char trajectory : {'D', 'E'}) {
      const std::string name = std::string(1, trajectory) + "_" + key;
      if (!snapshots.contains(name)) continue;
      for (const Json& shot : snapshots[name]) {
        const Sample s = sample(trajectory, law, shot["t"]);
        const VectorXd F = dynamics.inverse(s.pose, s.twist, s.acceleration);
        const auto near = [&](const VectorXd& x, const char* what, double tolerance) {
          EXPECT_LT((x - numbers(shot[what])).cwiseAbs().maxCoeff(), tolerance)
              << name << " t " << shot["t"] << " " << what;
        };
        near(dynamics.motion().q(), "L", 1e-8);
        near(dynamics.motion().rates(), "Ld", 1e-8);
        near(dynamics.motion().accelerations(), "Ldd", 1e-8);
        near(F, "F", 1e-5);
        // The shares of accelerations and velocities, by influence coefficients.
        const Platform89 m = report_model(s.pose, {});
        const DynamicModel d = transfer_along(m.u, m.length);
        near(d.from_accelerations(dynamics.motion().accelerations()), "F_acc", 1.1e-5);
        near(d.from_velocities(dynamics.motion().rates()), "F_vel", 1.1e-5);
        ++compared;
      }
    }
  EXPECT_EQ(compared, 27);
}

TEST(Lim1989, PeakForcesAndSymmetry) {
  const Platform platform(ddts_platform());
  PlatformDynamics dynamics(platform);
  const std::map<std::string, double> peaks = {
      {"D_p2_const_acc", 2927}, {"D_p3_345", 3821}, {"D_p4_4567", 4817}, {"D_p4_trap", 5941},
      {"E_p2_const_acc", 4916}, {"E_p3_345", 6599}, {"E_p4_4567", 8309}, {"E_p4_trap", 10235}};
  for (const auto& [key, law] : law_names)
    for (char trajectory : {'D', 'E'}) {
      double peak = 0, unlike = 0;
      for (int k = 0; k <= 200; ++k) {
        const Sample s = sample(trajectory, law, 0.01 * k);
        const VectorXd F = dynamics.inverse(s.pose, s.twist, s.acceleration);
        peak = std::max(peak, F.cwiseAbs().maxCoeff());
        for (int leg = 0; leg < 6; ++leg)
          unlike = std::max(unlike, std::abs(F(leg) - F((leg + 2) % 6)));
      }
      const double expected = peaks.at(std::string(1, trajectory) + "_" + key);
      EXPECT_NEAR(peak, expected, 1e-3 * expected) << trajectory << key;
      // Climbing, every other leg does the same: rounding of forces of 1e4 N.
      if (trajectory == 'D') {
        EXPECT_LT(unlike, 1e-9) << key;
      }
    }
}

TEST(Lim1989, ForcesDoTheWorkOfTheKineticEnergy) {
  const Platform platform(ddts_platform());
  PlatformDynamics dynamics(platform);
  const auto kinetic = [&](double t) {
    const Sample s = sample('E', "poly4567", t);
    const VectorXd u = translation_first(s.twist);
    return 0.5 * u.dot(report_model(s.pose, {}).u.I * u);
  };
  for (double t = 0.2; t < 2; t += 0.2) {
    const Sample s = sample('E', "poly4567", t);
    const VectorXd F = dynamics.inverse(s.pose, s.twist, s.acceleration);
    const double h = 1e-3;
    const double rate =
        (8 * (kinetic(t + h) - kinetic(t - h)) - (kinetic(t + 2 * h) - kinetic(t - 2 * h))) /
        (12 * h);
    EXPECT_NEAR(F.dot(dynamics.motion().rates()), rate, 1e-7 * (1000 + std::abs(rate)));
  }
}

TEST(Lim1989, ForwardRunFromTheForcesReturnsTheTrajectory) {
  const Platform platform(ddts_platform());
  PlatformDynamics dynamics(platform);
  for (char trajectory : {'D', 'E'}) {
    Pose<double> pose = sample(trajectory, "poly345", 0).pose;
    Twist<double> twist;
    // Classical Runge-Kutta on the position and, by rotation vectors from the step's start (whose
    // rate is w + r x w / 2 + r x (r x w) / 12), on the rotation.
    const double h = 0.005;
    for (int step = 0; step < 400; ++step) {
      using Vector12 = Eigen::Matrix<double, 12, 1>;
      const auto rate = [&](double t, const Vector12& x) {
        const Vector3<double> r = x.head<3>();
        const Pose<double> at{
            (r.norm() > 0 ? Eigen::AngleAxisd(r.norm(), r.normalized()).toRotationMatrix()
                          : Matrix3<double>::Identity()) *
                pose.rotation,
            x.segment<3>(3)};
        const Twist<double> V = Twist<double>::from_vector(x.tail<6>());
        const Sample s = sample(trajectory, "poly345", t);
        const VectorXd F = dynamics.inverse(s.pose, s.twist, s.acceleration);
        Vector12 dx;
        dx.head<3>() = V.angular - 0.5 * r.cross(V.angular) + r.cross(r.cross(V.angular)) / 12;
        dx.segment<3>(3) = V.linear;
        dx.tail<6>() = dynamics.forward(at, V, F).vector();
        return dx;
      };
      const double t = h * step;
      Vector12 x;
      x << Vector3<double>::Zero(), pose.position, twist.vector();
      const Vector12 k1 = rate(t, x), k2 = rate(t + h / 2, x + h / 2 * k1),
                     k3 = rate(t + h / 2, x + h / 2 * k2), k4 = rate(t + h, x + h * k3);
      x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      const double angle = x.head<3>().norm();
      if (angle > 0)
        pose.rotation =
            Eigen::AngleAxisd(angle, x.head<3>() / angle).toRotationMatrix() * pose.rotation;
      pose.position = x.segment<3>(3);
      twist = Twist<double>::from_vector(x.tail<6>());
    }
    const Sample end = sample(trajectory, "poly345", 2);
    // The error of the method with this step.
    EXPECT_LT((pose.position - end.pose.position).norm(), 1e-8) << trajectory;
    EXPECT_LT((pose.rotation - end.pose.rotation).norm(), 1e-8) << trajectory;
    EXPECT_LT(twist.vector().norm(), 1e-8) << trajectory;
  }
}

}  // namespace
}  // namespace ulna
