// The start of a run on closed loops. docs/theory/simulation.md, eq. 42.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "loops/closed.hpp"
#include "loops/constraints.hpp"
#include "ulna/kinematics/assembly.hpp"

namespace ulna {
namespace {

std::string names_of(const std::vector<std::string>& names, const std::vector<char>& chosen) {
  std::string text;
  for (std::size_t k = 0; k < chosen.size(); ++k)
    if (chosen[k]) text += (text.empty() ? "'" : ", '") + names[k] + "'";
  return text;
}

/// A motion that an event begins has to begin where its joint is.
void require_near(const Reference& reference, const Model& model, const Eigen::VectorXd& q,
                  int joint) {
  Eigen::VectorXd error(model.speeds());
  reference.error_from(model.normalized(q), error);
  const Joint& moved = model.joints()[static_cast<std::size_t>(joint)];
  const double off = error.segment(moved.v, moved.speeds).cwiseAbs().maxCoeff();
  if (off > 1e-6 * (1 + q.segment(moved.q, moved.coordinates).cwiseAbs().maxCoeff()))
    throw ComputationError(
        fmt::format("joint '{}' is {:.6g} away from its motion, and would have to jump there; the "
                    "action move begins where the joint is",
                    moved.name, off));
}

/// With the names of what moves no mass, which the accelerations at rest find.
[[noreturn]] void refuse_start(const Model& model, const Eigen::VectorXd& q) {
  const std::string text = fmt::format(
      "robot '{}' starts where its masses and loops do not determine its speeds", model.name());
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model.speeds());
  try {
    Workspace work(model);
    LoopDynamics(model).forward(work, q, rest, rest);
  } catch (const ComputationError& error) {
    throw ComputationError(fmt::format("{}: {}", text, error.what()));
  }
  throw ComputationError(text);
}

}  // namespace

void Constraints::require_all_drives(const Experiment& experiment, const Eigen::VectorXd& q) {
  const Model& model = s_.model();
  const std::vector<char>& driven = s_.layout.driven;
  std::vector<char> actuated(static_cast<std::size_t>(model.speeds()), 0);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
  for (const int k : formulation_.inverse(q, zero, zero).actuated) actuated[k] = 1;
  const bool any = std::find(driven.begin(), driven.end(), 1) != driven.end();
  if (!any || driven == actuated) return;
  throw InputError(
      Problem{experiment.dynamics_mark,
              "method",
              fmt::format("'{}' finds the efforts of {}, and this experiment prescribes {}",
                          experiment.method, names_of(model.speed_names(), actuated),
                          names_of(model.speed_names(), driven)),
              "motions for all of these drives or for none, or another formulation",
              {}});
}

/// Joints without a motion have their start as reference.
void Constraints::refer_to(const Eigen::VectorXd& q, const std::vector<Drive>& drives) {
  for (std::size_t j = 0; j < s_.model().joints().size(); ++j) {
    const Joint& joint = s_.model().joints()[j];
    if (j >= drives.size() || !leads(drives[j]))
      s_.controls.reference.q.segment(joint.q, joint.coordinates) =
          q.segment(joint.q, joint.coordinates);
  }
}

void Constraints::close_start(const Experiment& experiment, Eigen::VectorXd& q,
                              Eigen::VectorXd& v) {
  if (!loops_) return;
  const Model& model = s_.model();
  std::vector<Drive> drives = experiment.drives;
  drives.resize(model.joints().size());
  std::vector<char> held(static_cast<std::size_t>(model.coordinates()), 0);
  if (!experiment.keep_q.empty()) held = experiment.keep_q;
  for (std::size_t j = 0; j < drives.size(); ++j) {
    const Joint& joint = model.joints()[j];
    const bool follows =
        drives[j].kind == DriveKind::motion || (leads(drives[j]) && experiment.q.size() == 0);
    for (int k = 0; k < joint.coordinates && follows; ++k) held[joint.q + k] = 1;
  }
  AssemblyOptions options;
  options.start = q;
  options.tolerance = 1e-11;
  for (int k = 0; k < model.coordinates(); ++k)
    if (held[k]) options.held.push_back(k);
  // What is open by rounding is closed after this, as in every step.
  const double nearly = 1e-9 * (1 + model.length_scale());
  loops_->update_closure(s_.work, q);
  if (loops_->closure().largest_gap(s_.work) > nearly) {
    const AssemblyResult found = assemble(model, options);
    if (found.solutions.empty())
      throw ComputationError(
          fmt::format("the start of the experiment cannot be assembled{}: {}",
                      options.held.empty()
                          ? ""
                          : " with " + names_of(model.coordinate_names(), held) + " as given",
                      found.reason),
          found.nearest_gap);
    q = found.solutions[0].q;
  }
  refer_to(q, drives);
  close_start_speeds(experiment, q, v);
  if (whole_) require_all_drives(experiment, q);
}

/// Where something is led from now on that was free, it is led from where it is. What led before
/// has its motion still; the rest moves the least way.
void Constraints::go_on(const Experiment& experiment, Eigen::VectorXd& q, Eigen::VectorXd& v) {
  const Model& model = s_.model();
  Reference& reference = s_.controls.reference;
  std::vector<Drive> drives = experiment.drives;
  drives.resize(model.joints().size());
  std::vector<char> moved(static_cast<std::size_t>(model.speeds()), 0);
  for (std::size_t j = 0; j < drives.size(); ++j) {
    if (drives[j].kind != DriveKind::motion) continue;
    const Joint& joint = model.joints()[j];
    require_near(reference, model, q, static_cast<int>(j));
    std::fill_n(moved.begin() + joint.v, joint.speeds, 1);
    q.segment(joint.q, joint.coordinates) = reference.q.segment(joint.q, joint.coordinates);
  }
  if (loops_) {
    loops_->hold(moved);
    if (!loops_->close_positions(s_.work, q, closed_loop_gap))
      throw ComputationError(loops_->why_open(s_.work));
    refer_to(q, drives);
  }
  Eigen::VectorXd given = Eigen::VectorXd::Zero(v.size());
  for (const int k : s_.layout.driven_v) given(k) = reference.v(k) - v(k);
  response_->hold(s_.layout.driven);
  if (!response_->lead(s_.work, q, given, v) || !v.allFinite())
    throw ComputationError(
        fmt::format("the speeds of {} do not fit together: no speeds of the other joints keep the "
                    "loops of robot '{}' closed",
                    names_of(model.speed_names(), s_.layout.driven), model.name()));
  if (whole_) require_all_drives(experiment, q);
}

void Constraints::close_start_speeds(const Experiment& experiment, Eigen::VectorXd& q,
                                     Eigen::VectorXd& v) {
  const Model& model = s_.model();
  std::vector<char> held = s_.layout.driven;
  for (std::size_t k = 0; k < experiment.keep_v.size(); ++k)
    if (experiment.keep_v[k]) held[k] = 1;
  for (const int k : s_.layout.driven_v) v(k) = s_.controls.reference.v(k);
  const Eigen::VectorXd wanted = v;
  const auto close = [&](const std::vector<char>& which) {
    loops_->hold(which);
    v = wanted;
    if (!loops_->close_positions(s_.work, q, closed_loop_gap) ||
        !loops_->close_speeds(s_.work, q, v)) {
      if (which != held) return double(INFINITY);
      refuse_start(model, q);
    }
    return loops_->closure().times(v).norm();
  };
  // Controlled joints keep the rates of their motions, and modes theirs, where the remaining joints
  // can close the loops.
  std::vector<char> with_modes = held, with_motions = held;
  std::fill(with_modes.end() - model.modes(), with_modes.end(), 1);
  const bool follows = experiment.v.size() == 0 || !experiment.keep_v.empty();
  for (std::size_t j = 0; j < experiment.drives.size(); ++j) {
    const Joint& joint = model.joints()[j];
    if (follows && experiment.drives[j].kind == DriveKind::controller)
      std::fill_n(with_motions.begin() + joint.v, joint.speeds, 1);
  }
  std::vector<char> with_both = with_motions;
  std::fill(with_both.end() - model.modes(), with_both.end(), 1);
  double open = INFINITY;
  for (const std::vector<char>* which : {&with_both, &with_motions, &with_modes, &held})
    if (which == &held || *which != held) {
      open = close(*which);
      if (open <= 1e-9 * (1 + v.norm())) break;
    }
  if (open > 1e-9 * (1 + v.norm()))
    throw InputError(
        Problem{{experiment.source},
                "start",
                fmt::format("the speeds of {} do not fit together: the loops of robot '{}' would "
                            "open at {:.3g} (m/s, rad/s)",
                            names_of(model.speed_names(), held), model.name(), open),
                "speeds of as many joints as the robot has degrees of freedom",
                {}});
  if (!experiment.keep_v.empty() || experiment.v.size() == 0) return;
  const double change = (v - wanted).norm();
  if (change > 1e-6 * (1 + wanted.norm()))
    throw InputError(Problem{{experiment.source},
                             "start",
                             fmt::format("v does not keep the loops of robot '{}' closed: the "
                                         "nearest speeds that do differ by {:.3g}",
                                         model.name(), change),
                             "speeds that fit the loops",
                             "give those of some joints as a map: the others follow"});
}

}  // namespace ulna
