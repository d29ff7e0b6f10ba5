#include "ulna/kinematics/parallel_robot.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"
#include "ulna/kinematics/state.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/numerics/internal/rank.hpp"
#include "ulna/scalar/internal/interruption.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

constexpr double freedom_tolerance = 1e-7;  ///< singular values below are no freedom

/// Twists with turns by the radius, so that all entries have one unit.
Vector6<double> twist_scale(double radius) {
  Vector6<double> scale = Vector6<double>::Ones();
  scale.head<3>().setConstant(radius);
  return scale;
}

/// A joint with a limit of its effort, or with a rotor, has a motor.
bool is_marked(const Robot& robot, const std::string& name) {
  return std::any_of(robot.joints.begin(), robot.joints.end(), [&](const JointData& joint) {
    return joint.name == name && !joint.degrees.empty() &&
           (std::isfinite(joint.degrees[0].effort_limit) || joint.degrees[0].rotor_inertia > 0);
  });
}

/// From one pose to another as a twist in world axes, the rotation as a vector.
Vector6<double> pose_step(const Pose<double>& from, const Pose<double>& to) {
  const Eigen::AngleAxisd turn(to.rotation * from.rotation.transpose());
  Vector6<double> step;
  step << turn.angle() * turn.axis(), to.position - from.position;
  return step;
}

/// InputError for another number of values, or for one that is not finite.
void check_drives(const ParallelRobot& robot, const Eigen::VectorXd& values) {
  if (values.size() != std::ssize(robot.drives()))
    throw InputError(fmt::format("{} drives for robot '{}'", values.size(), robot.model().name()),
                     fmt::format("{}", robot.drives().size()));
  if (!values.allFinite())
    throw InputError(
        fmt::format("a drive of robot '{}' is not a finite number", robot.model().name()),
        "finite numbers");
}

/// How the loops are closed with these drives, from a posture nearby if there is one.
AssemblyOptions with_drives(const Model& model, const DriveCoordinates& drives,
                            const Eigen::VectorXd& values, const Eigen::VectorXd& near = {}) {
  AssemblyOptions options = assembly_options(model, drives.named(values));
  for (Eigen::Index k = 0; k < near.size(); ++k)
    if (std::ranges::count(options.held, k) == 0) options.start(k) = near(k);
  options.tolerance = 1e-11;
  return options;
}

}  // namespace

ParallelRobot::ParallelRobot(const Model& model, const ParallelRobotOptions& options)
    : model_(model), body_(options.body), drives_(options.drives) {
  if (LoopClosure(model).rows() == 0)
    throw InputError(fmt::format("robot '{}' is not a platform: it has no loops", model.name()),
                     "legs that hold the platform");
  if (body_ < 0) find_body();
  const std::vector<std::string> names = all_speed_names(model);
  for (const int k : drives_)
    if (k < 0 || k >= std::ssize(names))
      throw InputError(fmt::format("speed number {} among the drives", k),
                       fmt::format("numbers 0 .. {}", names.size() - 1));
  AssemblyOptions assembly;
  assembly.tolerance = 1e-11;
  home_ = placed(assembled(model, assembly));
  find_radius();
  if (drives_.empty()) choose_drives();
  for (const int k : drives_) drive_names_.push_back(names[static_cast<std::size_t>(k)]);
  coordinates_.emplace(model, drive_names_);
}

void ParallelRobot::find_body() {
  std::map<std::string, int> joints;
  for (const JointData& joint : model_.robot().joints) {
    ++joints[joint.parent];
    ++joints[joint.child];
    const bool floats = joint.type == JointType::free || joint.type == JointType::planar;
    if (joint.parent == world_name && floats && body_ < 0) body_ = model_.body(joint.child);
  }
  if (body_ >= 0 && joints[model_.bodies()[body_].name] > 1) return;
  int most = 2;
  body_ = -1;
  for (const BodyData& body : model_.robot().bodies)
    if (joints[body.name] > most) {
      most = joints[body.name];
      body_ = model_.body(body.name);
    }
  if (body_ < 0) body_ = model_.frames()[model_.tip_frame()].body;
}

void ParallelRobot::find_radius() {
  // Mean distance of the other joints of the platform from its origin.
  double sum = 0;
  int count = 0;
  for (const JointData& joint : model_.robot().joints) {
    const std::string& name = model_.bodies()[body_].name;
    if (joint.type == JointType::free || joint.type == JointType::planar) continue;
    if (joint.parent == name) sum += joint.X_PF.position.norm();
    if (joint.child == name) sum += joint.X_MC.inverse().position.norm();
    count += joint.parent == name || joint.child == name;
  }
  radius_ = count > 0 && sum > 0 ? sum / count : model_.length_scale();
}

ParallelPosture ParallelRobot::placed(Eigen::VectorXd q) const {
  ParallelPosture posture;
  posture.pose = pose(q);
  posture.q = std::move(q);
  return posture;
}

Pose<double> ParallelRobot::pose(const Eigen::VectorXd& q) const {
  Workspace work(model_);
  update_poses(model_, work, q);
  return frame_pose(model_, work, body_);
}

ParallelRates ParallelRobot::rates(const Eigen::VectorXd& q) const {
  Workspace work(model_);
  LoopClosure closure(model_);
  closure.update(work, q);
  // Freedoms of the mechanism, modes at rest; in units of the robot's length.
  const int n = model_.joint_speeds();
  const Eigen::MatrixXd A = closure.scaled_jacobian().leftCols(n);
  const Eigen::MatrixXd N = rank_by_svd(A, loop_rank_tolerance_of(model_)).null_space;
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(model_.speeds(), N.cols());
  all.topRows(n) = closure.column_scale().head(n).asDiagonal() * N;
  const Eigen::MatrixXd T =
      twist_scale(radius_).asDiagonal() * (jacobian(model_, work, q, {body_}) * all);
  ParallelRates out;
  if (N.cols() == 0) {
    out.basis.resize(6, 0);
    out.speeds = out.idle = all;
    out.J.resize(std::ssize(drives_), 0);
    out.J_idle = out.J;
    return out;
  }
  const dense::Svd svd = dense::svd(T, dense::SvdParts::full);
  const double size = std::max(svd.values(0), 1e-12 * model_.length_scale());
  int m = 0;
  while (m < svd.values.size() && svd.values(m) > freedom_tolerance * size) ++m;
  out.basis = twist_scale(radius_).cwiseInverse().asDiagonal() * svd.U.leftCols(m);
  out.speeds = all * svd.V.leftCols(m) * svd.values.head(m).cwiseInverse().asDiagonal();
  out.idle = all * svd.V.rightCols(N.cols() - m);
  // Rates of the drives: speeds of the tree, or of closing joints.
  const std::vector<ClosingDegree> closing = closing_degrees(model_);
  out.J.resize(std::ssize(drives_), m);
  out.J_idle.resize(std::ssize(drives_), N.cols() - m);
  for (Eigen::Index k = 0; k < std::ssize(drives_); ++k) {
    const int place = drives_[static_cast<std::size_t>(k)];
    if (place < model_.speeds()) {
      out.J.row(k) = out.speeds.row(place);
      out.J_idle.row(k) = out.idle.row(place);
      continue;
    }
    const ClosingDegree& at = closing[static_cast<std::size_t>(place - model_.speeds())];
    const Eigen::RowVectorXd row = closure.closing_jacobian(work, at.loop).row(at.degree);
    const std::vector<int>& columns = closure.blocks()[at.loop].columns;
    out.J.row(k) = row * out.speeds(columns, Eigen::all);
    out.J_idle.row(k) = row * out.idle(columns, Eigen::all);
  }
  return out;
}

void ParallelRobot::choose_drives() {
  chosen_ = true;
  const ParallelRates at_home = rates(home_.q);
  const int m = at_home.dof();
  if (m == 0)
    throw ComputationError(
        fmt::format("body '{}' of robot '{}' cannot move: it is held by its legs without drives",
                    model_.bodies()[body_].name, model_.name()));
  // Joints of one degree, those without the platform's own, from the base outward.
  std::vector<int> marked, slides, others, several;
  std::map<int, int> depth;
  for (const Joint& joint : model_.joints()) {
    depth[joint.child] = depth[joint.parent] + 1;
    if (joint.speeds != 1)
      for (int k = 0; k < joint.speeds; ++k) several.push_back(joint.v + k);
    if (joint.speeds != 1) continue;
    if (is_marked(model_.robot(), joint.name)) marked.push_back(joint.v);
    (joint.type == JointType::prismatic ? slides : others).push_back(joint.v);
  }
  const auto joint_of = [&](int speed) -> const Joint& {
    return *std::find_if(model_.joints().begin(), model_.joints().end(),
                         [&](const Joint& j) { return speed >= j.v && speed < j.v + j.speeds; });
  };
  std::stable_sort(others.begin(), others.end(), [&](int a, int b) {
    return depth[joint_of(a).child] < depth[joint_of(b).child];
  });
  if (determine(at_home.speeds, marked)) {
    drives_ = marked;
    return;
  }
  // One kind alone: all slides, or all joints on the base. A telescope beside cranks is passive.
  std::vector<int> on_base;
  std::copy_if(others.begin(), others.end(), std::back_inserter(on_base),
               [&](int k) { return joint_of(k).parent == 0; });
  // As many as raise the rank.
  std::vector<int> candidates = slides;
  if (!determine(at_home.speeds, slides) && determine(at_home.speeds, on_base))
    candidates = on_base;
  candidates.insert(candidates.end(), others.begin(), others.end());
  // Robots with fewer legs than freedoms: joints of several degrees, the platform's own last.
  std::stable_partition(several.begin(), several.end(),
                        [&](int k) { return joint_of(k).child != body_; });
  candidates.insert(candidates.end(), several.begin(), several.end());
  const Eigen::VectorXd scale = LoopClosure(model_).column_scale();
  Eigen::MatrixXd rows(0, m);
  int rank = 0;
  for (const int k : candidates) {
    if (rank == m) break;
    Eigen::MatrixXd more(rows.rows() + 1, m);
    more << rows, at_home.speeds.row(k) * (radius_ / scale(k));
    const int now = rank_by_svd(more, 1e-6).rank;
    if (now == rank) continue;
    rank = now;
    rows = more;
    drives_.push_back(k);
  }
  if (rank < m)
    throw InputError(
        fmt::format("the joints of the tree do not determine the {} degrees of freedom of body "
                    "'{}' of robot '{}'",
                    m, model_.bodies()[body_].name, model_.name()),
        "the drives by name, closing joints included");
}

bool ParallelRobot::determine(const Eigen::MatrixXd& speeds,
                              const std::vector<int>& of_drives) const {
  if (std::ssize(of_drives) < speeds.cols()) return false;
  return rank_by_svd(speeds(of_drives, Eigen::all), 1e-6).rank == speeds.cols();
}

bool ParallelRobot::move_to(Eigen::VectorXd& q, const Pose<double>& wanted) const {
  constexpr int most = 60;
  Workspace work(model_);
  LoopClosure closure(model_);
  const int n = model_.joint_speeds();
  const Vector6<double> scale = twist_scale(radius_);
  double before = INFINITY;
  for (int k = 0; k < most; ++k) {
    closure.update(work, q);
    const Eigen::VectorXd columns = closure.column_scale().head(n);
    const RankDecision held =
        rank_by_svd(closure.scaled_jacobian().leftCols(n), loop_rank_tolerance_of(model_));
    const dense::LeastNorm solver(closure.scaled_jacobian().leftCols(n),
                                  loop_rank_tolerance_of(model_));
    const Eigen::VectorXd close =
        -solver.solve(closure.row_scale().cwiseProduct(closure.residual()));
    const Eigen::MatrixXd G =
        scale.asDiagonal() * jacobian(model_, work, q, {body_}).leftCols(n) * columns.asDiagonal();
    const Vector6<double> miss =
        scale.cwiseProduct(pose_step(frame_pose(model_, work, body_), wanted));
    const Eigen::VectorXd u =
        dense::LeastNorm(G * held.null_space, freedom_tolerance).solve(miss - G * close);
    Eigen::VectorXd step = close + held.null_space * u;
    const double size = step.cwiseAbs().maxCoeff();
    if (!std::isfinite(size)) return false;
    if (size > 0.5) step *= 0.5 / size;
    Eigen::VectorXd all = Eigen::VectorXd::Zero(model_.speeds());
    all.head(n) = columns.cwiseProduct(step);
    q = model_.integrate(q, all);
    if (size < 1e-13 || (size < 1e-9 && size >= 0.5 * before)) {
      closure.update(work, q);
      return closure.largest_gap(work) < 1e-9 * (1 + model_.length_scale());
    }
    before = size;
  }
  closure.update(work, q);
  return closure.largest_gap(work) < 1e-10 * (1 + model_.length_scale());
}

ParallelPosture ParallelRobot::at_pose(const Pose<double>& wanted) const {
  const Vector6<double> way = pose_step(home_.pose, wanted),
                        sized = twist_scale(radius_).cwiseProduct(way);
  const double longest = 0.1 * std::max(radius_, 0.1 * model_.length_scale());
  const double many = sized.norm() / longest;
  if (!(many < 1e5))
    throw ComputationError(fmt::format("robot '{}' cannot follow from its home pose to {}: it is "
                                       "{:.3g} m away (turns by the platform's radius)",
                                       model_.name(), pose_text(wanted), sized.norm()),
                           sized.norm());
  const int steps = std::max(1, static_cast<int>(std::ceil(many)));
  Eigen::VectorXd q = home_.q;
  for (int k = 1; k <= steps; ++k) {
    interruption_point();
    const double share = static_cast<double>(k) / steps;
    const Pose<double> there{
        exp_rotation(Vector3<double>(share * way.head<3>())) * home_.pose.rotation,
        home_.pose.position + share * way.tail<3>()};
    if (!move_to(q, k == steps ? wanted : there))
      throw ComputationError(
          fmt::format("robot '{}' cannot follow from its home pose to {}: its loops open after "
                      "{:.3g} of the way",
                      model_.name(), pose_text(wanted), share),
          share);
  }
  ParallelPosture found = placed(q);
  found.off = twist_scale(radius_).cwiseProduct(pose_step(found.pose, wanted)).norm();
  return found;
}

std::optional<Eigen::VectorXd> ParallelRobot::led_from_home(const Eigen::VectorXd& values) const {
  constexpr double longest = 0.25, shortest = 1e-4;  // radians, or lengths of the robot
  constexpr int most_tries = 200;  // beside singular postures it would creep on without end
  const Eigen::VectorXd from = drive_values(home_.q), scale = LoopClosure(model_).column_scale();
  Eigen::VectorXd q = home_.q;
  double share = 0, step = 1;
  for (int tries = 0; share < 1; ++tries) {
    interruption_point();
    if (tries == most_tries) return {};
    // Predictor: all drives along their rates, whatever else is idle at rest.
    const ParallelRates there = rates(q);
    const Eigen::VectorXd way =
        there.speeds * dense::LeastNorm(there.J).solve(Eigen::VectorXd(values - from));
    const double size = way.cwiseQuotient(scale).cwiseAbs().maxCoeff();
    step = std::min({step, 1 - share, longest / std::max(size, 1e-12)});
    const double next = step == 1 - share ? 1 : share + step;
    const Eigen::VectorXd predicted = model_.integrate(q, step * way);
    AssemblyOptions options =
        with_drives(model_, *coordinates_, from + next * (values - from), predicted);
    options.restarts = 0;
    const AssemblyResult found = assemble(model_, options);
    const bool near = !found.solutions.empty() && model_.difference(predicted, found.solutions[0].q)
                                                          .cwiseQuotient(scale)
                                                          .cwiseAbs()
                                                          .maxCoeff() < longest;
    if (!near) {
      step *= 0.5;
      if (step * std::max(size, 1.0) < shortest) return {};
      continue;
    }
    q = found.solutions[0].q;
    share = next;
    step *= 2;
  }
  return q;
}

ParallelPosture ParallelRobot::at_drives(const Eigen::VectorXd& values) const {
  check_drives(*this, values);
  const AssemblyOptions options = with_drives(model_, *coordinates_, values, home_.q);
  if (const std::optional<Eigen::VectorXd> led = led_from_home(values)) return placed(*led);
  const AssemblyResult found = assemble(model_, options);
  if (found.solutions.empty()) throw ComputationError(found.reason, found.nearest_gap);
  ParallelPosture posture = placed(found.solutions[0].q);
  posture.home_branch = false;
  return posture;
}

ParallelRobot::All ParallelRobot::all_at_drives(const Eigen::VectorXd& values, int starts,
                                                unsigned seed) const {
  check_drives(*this, values);
  AssemblyOptions options = with_drives(model_, *coordinates_, values);
  options.all = true;
  options.restarts = starts;
  options.seed = seed;
  options.limits = false;
  options.distinct_frame = body_;
  const AssemblyResult found = assemble(model_, options);
  All all;
  all.postures = found.postures;
  all.starts = found.starts;
  for (const Assembly& one : found.solutions) all.poses.push_back(placed(one.q));
  return all;
}

Eigen::VectorXd ParallelRobot::drive_values(const Eigen::VectorXd& q) const {
  Workspace work(model_);
  LoopClosure closure(model_);
  return coordinates_->values(closure, work, q);
}

Eigen::VectorXd ParallelRobot::freedoms(const ParallelRates& rates, const Twist<double>& twist,
                                        const char* what) const {
  const Vector6<double> scale = twist_scale(radius_), wanted = scale.cwiseProduct(twist.vector());
  const Eigen::MatrixXd B = scale.asDiagonal() * rates.basis;  // orthonormal
  const Eigen::VectorXd x = B.transpose() * wanted;
  const double wrong = (wanted - B * x).norm();
  if (wrong > 1e-6 * (wanted.norm() + 1e-300))
    throw ComputationError(
        fmt::format("body '{}' of robot '{}' cannot have this {}: it has {} degrees of freedom "
                    "here, and the nearest {} differs by {:.3g} of it",
                    model_.bodies()[body_].name, model_.name(), what, rates.dof(), what,
                    wrong / wanted.norm()),
        wrong);
  return x;
}

ParallelRobot::Motion ParallelRobot::motion(const Eigen::VectorXd& q, const Twist<double>& twist,
                                            const Twist<double>& acceleration) const {
  const ParallelRates at = rates(q);
  Workspace work(model_);
  LoopClosure closure(model_);
  Motion out;
  out.v = at.speeds * freedoms(at, twist, "twist");
  closure.update_rates(work, q, out.v);
  const Eigen::VectorXd still =
      compatible_accelerations(closure, Eigen::VectorXd::Zero(model_.speeds()));
  update_motions(model_, work, q, out.v, still);
  const Vector6<double> rest =
      acceleration.vector() - frame_acceleration(model_, work, body_).vector();
  // The part that the motion itself brings need not be one of the freedoms: what is wanted beyond
  // it must be, unless nothing was asked for.
  const Vector6<double> scale = twist_scale(radius_);
  const Eigen::MatrixXd B = scale.asDiagonal() * at.basis;
  Eigen::VectorXd x = B.transpose() * scale.cwiseProduct(rest);
  if (acceleration.vector().norm() > 0 && twist.vector().norm() == 0)
    x = freedoms(at, acceleration, "acceleration");
  out.a = still + at.speeds * x;
  out.drive_rates = at.J * freedoms(at, twist, "twist");
  closure.update_rates(work, q, out.v);
  const std::vector<ClosingDegree> closing = closing_degrees(model_);
  out.drive_accelerations.resize(std::ssize(drives_));
  for (Eigen::Index k = 0; k < std::ssize(drives_); ++k) {
    const int place = drives_[static_cast<std::size_t>(k)];
    if (place < model_.speeds()) {
      out.drive_accelerations(k) = out.a(place);
      continue;
    }
    const ClosingDegree& degree = closing[static_cast<std::size_t>(place - model_.speeds())];
    out.drive_accelerations(k) =
        closure.closing_state(work, degree.loop, q, out.v, out.a).a(degree.degree);
  }
  return out;
}

PlatformSingularity ParallelRobot::singularity(const ParallelRates& rates,
                                               const Pose<double>& pose) const {
  // Drives by the robot's own length: slides count as they are, turns by the radius.
  Eigen::MatrixXd J = rates.J;
  const Eigen::VectorXd scale = LoopClosure(model_).column_scale();
  for (Eigen::Index k = 0; k < J.rows(); ++k) {
    const int place = drives_[static_cast<std::size_t>(k)];
    const bool slides = place < model_.speeds() && scale(place) != 1;
    if (!slides) J.row(k) *= radius_;
  }
  PlatformSingularity result = singularity_of_rows(J, rates.J, rates.basis, radius_, pose);
  // The rows are on freedoms that count turns by the radius; the determinant is that on plain
  // twists, as of platforms with closed form.
  if (rates.dof() == 6)
    result.determinant /= dense::determinant(rates.basis);
  else if (rates.dof() > 0)
    result.determinant /= std::sqrt(dense::determinant(rates.basis.transpose() * rates.basis));
  return result;
}

Matrix6<double> ParallelRobot::stiffness(const ParallelRates& rates,
                                         const Eigen::VectorXd& drive_stiffness) const {
  if (drive_stiffness.size() != rates.J.rows() || !(drive_stiffness.minCoeff() > 0))
    throw InputError(fmt::format("{} stiffnesses of drives", drive_stiffness.size()),
                     fmt::format("{} numbers above zero", rates.J.rows()));
  const Eigen::MatrixXd rows = rates.J * dense::LeastNorm(rates.basis).pseudo_inverse();
  return rows.transpose() * drive_stiffness.asDiagonal() * rows;
}

}  // namespace ulna
