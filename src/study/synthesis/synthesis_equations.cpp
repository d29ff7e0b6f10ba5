#include "synthesis/synthesis_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

int coordinate_named(const Model& model, const std::string& name) {
  const std::vector<std::string>& names = model.coordinate_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw InputError(fmt::format("robot '{}' has no coordinate '{}'", model.name(), name),
                     "inputs by the names of coordinates", nearest_name_hint(name, names));
  return static_cast<int>(found - names.begin());
}

void check_joint(const Robot& robot, const std::string& name) {
  std::vector<std::string> known;
  for (const JointData& joint : robot.joints) {
    if (joint.name == name) return;
    known.push_back(joint.name);
  }
  throw InputError(fmt::format("robot '{}' has no joint '{}'", robot.name, name), {},
                   nearest_name_hint(name, known));
}

}  // namespace

SynthesisEquations::SynthesisEquations(const Robot& robot, const SynthesisTask& task)
    : robot_(robot), task_(task) {
  if (task.targets.empty()) throw InputError("a synthesis without targets", "one or more");
  if (task.variables.empty())
    throw InputError("a synthesis without variables: nothing can change", "one or more");
  for (const DesignVariable& v : task.variables)
    if (!(v.lower < v.upper) || !std::isfinite(v.lower) || !std::isfinite(v.upper))
      throw InputError(fmt::format("variable '{}' from {:.6g} to {:.6g}", v.name, v.lower, v.upper),
                       "finite bounds, the lower one first");
  const Model model(robot);
  model.frame(task.frame);
  coordinates_ = model.coordinates();
  speeds_ = model.speeds();
  length_ = model.length_scale();
  for (const Loop& loop : model.loops()) loop_rows_ += loop.rows;
  first_v_ = variables() + (task.free_phase ? 1 : 0);
  first_q_ = first_v_;
  for (const SynthesisTarget& target : task.targets) {
    inputs_.emplace_back();
    for (const auto& [name, value] : target.inputs)
      inputs_.back().push_back({coordinate_named(model, name), value});
  }
  if (task.transmission)
    for (const std::string& name :
         {task.transmission->from, task.transmission->middle, task.transmission->to})
      check_joint(robot, name);
  if (task.grashof)
    for (const std::string& name : task.grashof->joints) check_joint(robot, name);
  if (task.speed_limit) coordinate_named(model, task.speed_limit->first);
  if (task.free_phase &&
      std::all_of(inputs_.begin(), inputs_.end(), [](const auto& list) { return list.empty(); }))
    throw InputError("a phase of the inputs, and no target gives an input", "inputs at targets");
}

std::unique_ptr<DesignModel> SynthesisEquations::design(const Eigen::VectorXd& values) const {
  try {
    return std::make_unique<DesignModel>(with_design(robot_, task_.variables, values));
  } catch (const InputError&) {  // a rod of no length, for example
    return nullptr;
  }
}

int SynthesisEquations::frame_of(const DesignModel& design) const {
  return design.model.frame(task_.frame);
}

double SynthesisEquations::miss(const DesignModel& d, int k) const {
  const Pose<double> X = frame_pose(d.model, d.work, frame_of(d));
  const SynthesisTarget& target = task_.targets[k];
  const double off = (X.position - target.position).norm();
  if (!target.rotation) return off;
  const Vector3<double> turn = log_quaternion(
      quaternion_from_rotation(Matrix3<double>(target.rotation->transpose() * X.rotation)));
  return std::hypot(off, length_ * turn.norm());
}

Vector3<double> SynthesisEquations::joint_position(const DesignModel& d,
                                                   const std::string& name) const {
  for (const JointData& joint : d.model.robot().joints)
    if (joint.name == name)
      return frame_pose(d.model, d.work, d.model.body(joint.parent)) * joint.X_PF.position;
  return Vector3<double>::Zero();
}

double SynthesisEquations::transmission(const DesignModel& d) const {
  const TransmissionAngle& angle = *task_.transmission;
  const Vector3<double> at = joint_position(d, angle.middle),
                        a = joint_position(d, angle.from) - at,
                        b = joint_position(d, angle.to) - at;
  const double open = std::atan2(a.cross(b).norm(), a.dot(b));
  return std::min(open, M_PI - open);
}

/// Eq. 3. Lengths of the four links from the places of their joints, which are rigid in them.
Eigen::VectorXd SynthesisEquations::shape_faults(const DesignModel& d) const {
  Eigen::VectorXd faults = Eigen::VectorXd::Zero(4);
  if (task_.grashof) {
    Vector3<double> p[4];
    for (int k = 0; k < 4; ++k) p[k] = joint_position(d, task_.grashof->joints[k]);
    double l[4];  // crank, coupler, rocker, frame
    for (int k = 0; k < 4; ++k) l[k] = (p[(k + 1) % 4] - p[k]).norm();
    const auto [shortest, longest] = std::minmax_element(l, l + 4);
    const double sum = l[0] + l[1] + l[2] + l[3];
    faults(0) = std::max(0.0, 2 * (*shortest + *longest) - sum) / length_;
    const int wanted[] = {0, 3, 1, -1};
    const int which = wanted[static_cast<int>(task_.grashof->type)];
    if (which >= 0) faults(1) = (l[which] - *shortest) / length_;
  }
  if (std::isfinite(task_.size)) {
    double largest = 0;
    for (const JointData& a : d.model.robot().joints)
      for (const JointData& b : d.model.robot().joints)
        largest = std::max(largest, (joint_position(d, a.name) - joint_position(d, b.name)).norm());
    faults(2) = std::max(0.0, largest - task_.size) / length_;
  }
  if (task_.transmission) faults(3) = std::max(0.0, task_.transmission->least - transmission(d));
  return faults;
}

int SynthesisEquations::rows_at(int k) const {
  return loop_rows_ + (task_.targets[k].rotation ? 6 : 3) + static_cast<int>(inputs_[k].size()) + 4;
}

int SynthesisEquations::rows() const {
  int count = 0;
  for (int k = 0; k < targets(); ++k) count += rows_at(k);
  return count;
}

/// Eq. 1, 2 at one target; J has tangent columns.
void SynthesisEquations::rows_of_target(DesignModel& d, const Eigen::VectorXd& x, int k,
                                        Eigen::Ref<Eigen::VectorXd> r, Eigen::MatrixXd* J,
                                        int first) const {
  const Eigen::VectorXd q = posture_of(x, k);
  const SynthesisTarget& target = task_.targets[k];
  const int column = first_v_ + k * speeds_;
  d.closure.update(d.work, q);
  const Eigen::VectorXd& scale = d.closure.row_scale();
  r.head(loop_rows_) = scale.cwiseProduct(d.closure.residual());
  const Pose<double> X = frame_pose(d.model, d.work, frame_of(d));
  int row = loop_rows_;
  r.segment<3>(row) = (X.position - target.position) / length_;
  if (target.rotation)
    r.segment<3>(row + 3) =
        *target.rotation * log_quaternion(quaternion_from_rotation(
                               Matrix3<double>(target.rotation->transpose() * X.rotation)));
  const int turns = target.rotation ? 3 : 0, input_row = row + 3 + turns;
  for (std::size_t i = 0; i < inputs_[k].size(); ++i) {
    const auto [place, value] = inputs_[k][i];
    r(input_row + static_cast<int>(i)) = q(place) - value - phase_of(x);
  }
  const int shape_row = input_row + static_cast<int>(inputs_[k].size());
  r.segment<4>(shape_row) = shape_faults(d);
  if (!J) return;
  J->block(first, column, loop_rows_, speeds_) = scale.asDiagonal() * d.closure.jacobian();
  const Jacobian& G = jacobian(d.model, d.work, q, {frame_of(d)});
  J->block(first + row, column, 3, speeds_) = G.bottomRows<3>() / length_;
  if (turns) J->block(first + row + 3, column, 3, speeds_) = G.topRows<3>();
  for (std::size_t i = 0; i < inputs_[k].size(); ++i) {
    const int at = first + input_row + static_cast<int>(i);
    for (int v = 0; v < d.model.speeds(); ++v)
      if (d.model.coordinate_of_speed()[v] == inputs_[k][i].first) (*J)(at, column + v) = 1;
    if (task_.free_phase) (*J)(at, variables()) = -1;
  }
  // The shape hardly depends on the posture but for the transmission angle: differences.
  if (!task_.transmission || r(shape_row + 3) == 0) return;
  for (int c = 0; c < speeds_; ++c) {
    constexpr double h = 1e-6;
    Eigen::VectorXd step = Eigen::VectorXd::Zero(speeds_);
    step(c) = h;
    update_poses(d.model, d.work, d.model.integrate(q, step));
    (*J)(first + shape_row + 3, column + c) = (shape_faults(d)(3) - r(shape_row + 3)) / h;
  }
}

bool SynthesisEquations::residual(const Eigen::VectorXd& x, Eigen::VectorXd& r) const {
  ++evaluations;
  const auto d = design(values_of(x));
  r.setConstant(rows(), std::numeric_limits<double>::infinity());
  if (!d) return false;
  int first = 0;
  for (int k = 0; k < targets(); ++k) {
    const int count = rows_at(k);
    rows_of_target(*d, x, k, r.segment(first, count), nullptr, first);
    first += count;
  }
  return true;
}

LeastSquaresProblem SynthesisEquations::posture_problem(DesignModel& d, const Eigen::VectorXd& x,
                                                        int k) const {
  LeastSquaresProblem problem;
  problem.evaluate = [this, &d, x, k](const Eigen::VectorXd& q, Eigen::VectorXd& r,
                                      Eigen::MatrixXd* J) {
    ++evaluations;
    Eigen::VectorXd at = x;
    set_posture(at, k, q);
    r.setZero(rows_at(k));
    Eigen::MatrixXd all;
    if (J) all.setZero(rows_at(k), first_v_ + targets() * speeds_);
    rows_of_target(d, at, k, r, J ? &all : nullptr, 0);
    if (J) *J = all.middleCols(first_v_ + k * speeds_, speeds_);
  };
  return problem;
}

LeastSquaresProblem SynthesisEquations::problem() const {
  LeastSquaresProblem problem;
  const double infinite = std::numeric_limits<double>::infinity();
  problem.lower.setConstant(unknowns(), -infinite);
  problem.upper.setConstant(unknowns(), infinite);
  for (int k = 0; k < variables(); ++k) {
    problem.lower(k) = task_.variables[k].lower;
    problem.upper(k) = task_.variables[k].upper;
  }
  problem.evaluate = [this](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    if (!residual(x, r) || !J) return;
    J->setZero(rows(), first_v_ + targets() * speeds_);
    const auto d = design(values_of(x));
    int first = 0;
    for (int k = 0; k < targets(); ++k) {
      const int count = rows_at(k);
      rows_of_target(*d, x, k, r.segment(first, count), J, first);
      first += count;
    }
    Eigen::VectorXd above, below, at = x;
    for (int k = 0; k < variables(); ++k) {
      const double h = 1e-6 * std::max(length_, std::abs(x(k)));
      at(k) = x(k) + h;
      const bool up = residual(at, above);
      at(k) = x(k) - h;
      const bool down = residual(at, below);
      at(k) = x(k);
      if (up && down) J->col(k) = (above - below) / (2 * h);
      // At the edge of what can be built, from one side.
      if (up != down) J->col(k) = up ? (above - r) / h : (r - below) / h;
    }
  };
  if (!curved()) return problem;
  problem.euclidean.assign(static_cast<std::size_t>(first_v_ + targets() * speeds_), -1);
  for (int k = 0; k < first_v_; ++k) problem.euclidean[k] = k;
  problem.retract = [this](const Eigen::VectorXd& x, const Eigen::VectorXd& dx) {
    Eigen::VectorXd next = x;
    next.head(first_v_) += dx.head(first_v_);
    const auto d = design(values_of(x));
    for (int k = 0; d && k < targets(); ++k)
      set_posture(
          next, k,
          d->model.integrate(posture_of(x, k), dx.segment(first_v_ + k * speeds_, speeds_)));
    return next;
  };
  return problem;
}

}  // namespace ulna
