#include "ulna/dynamics/platform_dynamics.hpp"

#include <fmt/format.h>

#include "platform/leg_dynamics.hpp"
#include "ulna/dynamics/elements.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/kinematics/platform_singularity.hpp"
#include "ulna/model/kernels/spring.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

/// J' x = b for as many drives as freedoms. False where pivots say singular.
template <int n>
bool solve_square(const Platform& platform, const PlatformMotion& motion, const Vector6<double>& F,
                  Eigen::VectorXd& efforts) {
  const Eigen::Matrix<double, 6, n> S = platform.basis();
  Eigen::Matrix<double, n, n> J_t;
  for (int k = 0; k < n; ++k) J_t.col(k) = S.transpose() * motion.legs[k].row;
  const dense::SmallLu<n> lu(J_t);
  const Eigen::Matrix<double, n, 1> pivots = lu.pivots().cwiseAbs();
  if (!(pivots.minCoeff() > 1e-7 * pivots.maxCoeff())) return false;
  const Eigen::Matrix<double, n, 1> b = S.transpose() * F;
  efforts.head<n>() = lu.solve(b);
  return true;
}

void check_rods(const PlatformData& data) {
  for (const PlatformLeg& leg : data.legs) {
    if (!leg.crank_balls) continue;
    const Matrix3<double>& J = leg.rod.inertia;
    const double size = J.norm() + leg.rod.mass * leg.rod.centre.squaredNorm();
    Matrix3<double> rest = J;
    rest(0, 0) = 0;
    rest(1, 1) = rest(2, 2) = 0;
    if (std::abs(J(1, 1) - J(2, 2)) > 1e-9 * size || rest.norm() > 1e-9 * size ||
        leg.rod.centre.tail<2>().norm() > 1e-9 * leg.rod_length)
      throw InputError(Problem{{},
                               fmt::format("rod of leg '{}'", leg.name),
                               "between two balls, but not a body of revolution about its line",
                               "equal moments of inertia across, the centre of mass on the line",
                               "a universal joint at the crank"});
  }
}

}  // namespace

Wrench<double> element_load(const Model& model, const Platform& platform, const VectorRef& q,
                            const VectorRef& v) {
  Wrench<double> sum;
  if (model.elements().empty()) return sum;
  const Eigen::VectorXd held = element_efforts(model, q, v);
  for (int k = 0; k < 3; ++k) {
    Twist<double> turn, shift;
    turn.angular(k) = shift.linear(k) = 1;
    sum.moment(k) = -held.dot(platform_rates(model, platform, q, turn, {}).v);
    sum.force(k) = -held.dot(platform_rates(model, platform, q, shift, {}).v);
  }
  return sum;
}

PlatformDynamics::PlatformDynamics(const Platform& platform, const Model& model)
    : platform_(platform),
      model_(model.elements().empty() ? nullptr : &model),
      motion_(platform),
      efforts_(platform.legs()) {
  check_rods(platform.data());
}

PlatformDynamics::PlatformDynamics(const Platform& platform)
    : platform_(platform), motion_(platform), efforts_(platform.legs()) {
  check_rods(platform.data());
  if (!platform.data().element.empty())
    throw InputError(Problem{{},
                             fmt::format("element '{}'", platform.data().element),
                             "acts on a platform that is given without its robot",
                             "PlatformDynamics(platform, model)",
                             {}});
}

Vector6<double> PlatformDynamics::loads(const Pose<double>& pose, const Twist<double>& twist,
                                        const Wrench<double>& external) const {
  Vector6<double> sum = external.vector();
  if (!model_) return sum;
  const Eigen::VectorXd q = platform_posture(*model_, platform_, pose),
                        v = platform_rates(*model_, platform_, q, twist, {}).v;
  return sum + element_load(*model_, platform_, q, v).vector();
}

Vector6<double> PlatformDynamics::required(const Pose<double>& pose, const Twist<double>& twist,
                                           const Twist<double>& acceleration,
                                           const Vector3<double>& gravity) {
  platform_.inverse(pose, twist, acceleration, motion_);
  const BodyNeed body(platform_.data().inertial, pose.rotation, twist.angular, acceleration.angular,
                      acceleration.linear - gravity);
  Vector6<double> F;
  F << body.moment, body.force;
  for (int k = 0; k < platform_.legs(); ++k) {
    const PlatformLeg& data = platform_.data().legs[k];
    const Platform::Leg& leg = platform_.leg(k);
    const LegMotion& m = motion_.legs[k];
    const LegNeed need = leg.kind == LegKind::slider ? slider_need(data, leg, m, gravity)
                                                     : crank_need(data, leg, m, gravity);
    F.head<3>() += m.W.cross(need.across);  // eq. 20
    F.tail<3>() += need.across;
    F += need.drive * m.row;
  }
  return F;
}

double PlatformDynamics::passive(int k) const {
  const DegreeData& drive = platform_.data().legs[k].drive;
  const LegMotion& m = motion_.legs[k];
  double effort = drive.damping * m.rate + drive.friction * sign(m.rate);
  if (drive.has_spring()) effort += spring_effort(drive, m.q - drive.rest);
  return effort + drive.gear_ratio * drive.gear_ratio * drive.rotor_inertia * m.acceleration;
}

const Eigen::VectorXd& PlatformDynamics::inverse(const Pose<double>& pose,
                                                 const Twist<double>& twist,
                                                 const Twist<double>& acceleration,
                                                 const Wrench<double>& external) {
  if (platform_.legs() < platform_.dof())
    throw InputError(fmt::format("platform '{}' has {} drives for {} degrees of freedom",
                                 platform_.data().name, platform_.legs(), platform_.dof()),
                     "at least as many drives");
  Vector6<double> F = required(pose, twist, acceleration, platform_.data().gravity);
  F -= loads(pose, twist, external);
  bool solved = false;
  if (platform_.legs() == platform_.dof())
    solved = platform_.dof() == 6 ? solve_square<6>(platform_, motion_, F, efforts_)
                                  : solve_square<3>(platform_, motion_, F, efforts_);
  if (!solved) {
    require_regular(platform_, pose, motion_);
    efforts_ = dense::LeastNorm(platform_.jacobian(motion_).transpose())
                   .solve(platform_.basis().transpose() * F);
  }
  for (int k = 0; k < platform_.legs(); ++k) efforts_(k) += passive(k);
  return efforts_;
}

PlatformDynamics::Equations PlatformDynamics::equations(const Pose<double>& pose,
                                                        const Twist<double>& twist,
                                                        const Wrench<double>& external) {
  const Eigen::Matrix<double, 6, Eigen::Dynamic>& S = platform_.basis();
  const int n = platform_.dof();
  Equations out;
  out.mass.resize(n, n);
  // Columns: what unit accelerations need, at rest and without weight. eq. 21
  for (int j = 0; j < n; ++j) {
    const Vector6<double> F =
        required(pose, {}, Twist<double>::from_vector(S.col(j)), Vector3<double>::Zero());
    out.mass.col(j) = S.transpose() * F;
  }
  Vector6<double> F = required(pose, twist, {}, platform_.data().gravity);
  F -= loads(pose, twist, external);
  out.drives = platform_.jacobian(motion_).transpose();
  Eigen::VectorXd held(platform_.legs());
  for (int k = 0; k < platform_.legs(); ++k) {
    const DegreeData& drive = platform_.data().legs[k].drive;
    held(k) = passive(k);
    out.mass += drive.gear_ratio * drive.gear_ratio * drive.rotor_inertia * out.drives.col(k) *
                out.drives.col(k).transpose();
  }
  out.bias = S.transpose() * F + out.drives * held;
  out.mass = (0.5 * (out.mass + out.mass.transpose())).eval();
  return out;
}

Twist<double> PlatformDynamics::forward(const Pose<double>& pose, const Twist<double>& twist,
                                        const Eigen::VectorXd& efforts,
                                        const Wrench<double>& external) {
  const Equations e = equations(pose, twist, external);
  const dense::Ldlt solver(e.mass);
  if (!(solver.pivots().minCoeff() > 1e-14 * e.mass.diagonal().maxCoeff()))
    throw ComputationError(fmt::format("the mass matrix of platform '{}' is singular at {}",
                                       platform_.data().name, pose_text(pose)));
  const Eigen::VectorXd right = e.drives * efforts - e.bias;
  return Twist<double>::from_vector(platform_.basis() * solver.solve(right));  // eq. 22
}

}  // namespace ulna
