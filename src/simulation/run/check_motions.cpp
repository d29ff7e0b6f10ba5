#include "run/check_motions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "run/effort_formulas.hpp"
#include "run/times.hpp"
#include "ulna/simulation/internal/reference.hpp"

namespace ulna {
namespace {

class MotionChecker {
 public:
  MotionChecker(const Experiment& experiment, const Experiment* checked, const MotionRanges& known,
                std::vector<Problem>& problems)
      : e_(experiment),
        model_(*experiment.model),
        checked_(checked),
        known_(known),
        problems_(problems) {
    // Over another duration, or between other limits, functions of time are others.
    if (checked &&
        (checked->end != e_.end || checked->drives.size() != e_.drives.size() ||
         checked->model->lower() != model_.lower() || checked->model->upper() != model_.upper()))
      checked_ = nullptr;
  }

  /// Values of functions, the start against the motions, the motions against the limits.
  void run() {
    for (std::size_t j = 0; j < e_.drives.size(); ++j) {
      const Joint& joint = model_.joints()[j];
      const Drive& drive = e_.drives[j];
      for (std::size_t k = 0; k < drive.effort.size(); ++k)
        if (!is_checked(drive.effort[k], j, &Drive::effort))
          check_finite(*drive.effort[k], fmt::format("effort of joint '{}'", joint.name),
                       drive.mark);
      check_formulas(drive, fmt::format("effort of joint '{}'", joint.name));
      for (std::size_t k = 0; k < drive.motion.size(); ++k) {
        if (is_checked(drive.motion[k], j, &Drive::motion)) continue;
        check_motion(*drive.motion[k], model_.coordinate_of_speed()[joint.v + k], drive.kind,
                     fmt::format("motion of joint '{}'", joint.name), drive.mark);
      }
      if (drive.kind == DriveKind::locked && e_.v.size() > 0 &&
          e_.v.segment(joint.v, joint.speeds).any())
        complain(fmt::format("start of joint '{}'", joint.name),
                 "the joint is locked and starts with a speed", "speed 0", drive.mark);
    }
    for (const AppliedWrench& w : e_.wrenches)
      for (int k = 0; k < 3; ++k) {
        if (w.force[k]) check_finite(*w.force[k], "force", {});
        if (w.moment[k]) check_finite(*w.moment[k], "moment", {});
      }
    if (problems_.empty()) check_start();
  }

 private:
  void complain(std::string element, std::string message, std::string expectation = {},
                SourceMark where = {}, std::string hint = {}) {
    if (where.file.empty()) where.file = e_.source;
    problems_.push_back(
        {where, std::move(element), std::move(message), std::move(expectation), std::move(hint)});
  }

  bool is_checked(const ScalarMotionPtr& f, std::size_t j,
                  std::vector<ScalarMotionPtr> Drive::*functions) const {
    if (!checked_) return false;
    const Drive& drive = checked_->drives[j];
    return drive.kind == e_.drives[j].kind && std::ranges::count(drive.*functions, f) > 0;
  }

  /// An effort may depend on what follows from the state, not on what follows from efforts.
  void check_formulas(const Drive& drive, const std::string& element) {
    for (const auto& formula : drive.effort_formulas) {
      if (!formula) continue;
      for (const std::string& name : formula->variables()) try {
          const std::string reason = why_no_effort_of(e_, name);
          if (!reason.empty())
            complain(element, fmt::format("its formula refers to '{}', which {}", name, reason),
                     "t, q, v, reference, frame, twist, closing, energy.kinetic or another channel "
                     "that follows from coordinates and speeds",
                     drive.mark);
        } catch (const InputError& error) {
          for (const Problem& p : error.problems())
            complain(element, p.message, p.expectation, drive.mark, p.hint);
        }
    }
  }

  /// Values over the duration are finite; `see` is told each.
  template <class See>
  bool check_finite(const ScalarMotion& f, const std::string& element, const SourceMark& mark,
                    const See& see) {
    const auto holds = [&](double t) {
      bool finite = false;
      try {
        const MotionValue x = f.at(t);
        finite = std::isfinite(x.value) && std::isfinite(x.rate) && std::isfinite(x.acceleration);
        if (finite) see(t, x.value);
      } catch (const ComputationError&) {  // formulas say so themselves
        finite = false;
      }
      if (!finite) complain(element, fmt::format("at t = {:.6g} s it is not finite", t), {}, mark);
      return finite;
    };
    if (dynamic_cast<const ConstantMotion*>(&f)) return holds(0);
    constexpr int samples = 500;
    for (int k = 0; k <= samples; ++k)
      if (!holds(e_.end * k / samples)) return false;
    for (const double time : f.breakpoints())
      if (time >= 0 && time <= e_.end && !holds(time)) return false;
    return true;
  }

  bool check_finite(const ScalarMotion& f, const std::string& element, const SourceMark& mark) {
    return is_known_between(f, -INFINITY, INFINITY) ||
           check_finite(f, element, mark, [](double, double) {});
  }

  bool is_known_between(const ScalarMotion& f, double lower, double upper) const {
    const auto range = known_.find(&f);
    return range != known_.end() && range->second.least >= lower && range->second.most <= upper;
  }

  /// The motion of coordinate k (-1: of none).
  void check_motion(const ScalarMotion& f, int k, DriveKind kind, const std::string& element,
                    const SourceMark& mark) {
    const double lower = k < 0 ? -INFINITY : model_.lower()(k);
    const double upper = k < 0 ? INFINITY : model_.upper()(k);
    std::optional<std::pair<double, double>> outside;
    const auto see = [&](double t, double x) {
      const double slack = 1e-9 * std::max(1.0, std::abs(x));
      if (!outside && !(x >= lower - slack && x <= upper + slack)) outside.emplace(t, x);
    };
    if (!is_known_between(f, lower, upper) && !check_finite(f, element, mark, see)) return;
    if (kind == DriveKind::motion) check_jumps(f, element, mark);
    if (outside)
      complain(element,
               fmt::format("at t = {:.6g} s it is at {:.6g}, outside the joint's limits",
                           outside->first, outside->second),
               fmt::format("{:.6g} to {:.6g}", lower, upper), mark);
  }

  /// A joint cannot be elsewhere at once. Its rate may jump by an impulse, which contacts, rolling
  /// and what is free at the very start would have to answer as well.
  void check_jumps(const ScalarMotion& f, const std::string& element, const SourceMark& mark) {
    std::vector<double> times = f.breakpoints();
    times.push_back(0);
    for (const double t : times) {
      if (t < 0 || t >= e_.end) continue;
      const double h = time_rounding(t);
      const MotionValue before = f.at(t > 0 ? t - h : 0), after = f.at(t + h);
      const double fastest = std::max(std::abs(before.rate), std::abs(after.rate));
      const double away = std::max(std::abs(before.value), std::abs(after.value));
      if (std::abs(after.value - before.value) > 1e-9 * (1 + away) + 3 * h * fastest) {
        complain(element,
                 fmt::format("at t = {:.6g} s it jumps from {:.6g} to {:.6g}", t, before.value,
                             after.value),
                 "a motion without jumps", mark, "a controller can follow a reference that jumps");
        return;
      }
      const bool refused = t == 0 || !e_.contacts.empty() || !e_.nonholonomic.empty();
      const double hardest = std::max(std::abs(before.acceleration), std::abs(after.acceleration));
      if (refused && any_free() &&
          std::abs(after.rate - before.rate) > 1e-6 * fastest + 3 * h * hardest) {
        complain(element,
                 fmt::format("at t = {:.6g} s its rate jumps from {:.6g} to {:.6g}", t, before.rate,
                             after.rate),
                 t == 0 ? "a motion that begins with its rate at 0 s"
                        : "no jump, with contacts or rolling and joints that are not driven",
                 mark, "poly345 and cycloidal begin and end at rest");
        return;
      }
    }
  }

  bool any_free() const {
    if (model_.modes() > 0 || e_.drives.size() < model_.joints().size()) return true;
    for (std::size_t j = 0; j < e_.drives.size(); ++j)
      if (model_.joints()[j].speeds > 0 && e_.drives[j].kind != DriveKind::motion &&
          e_.drives[j].kind != DriveKind::locked)
        return true;
    return false;
  }

  void check_start() {
    Reference reference(e_);
    reference.update(0);
    for (std::size_t j = 0; j < e_.drives.size(); ++j) {
      if (e_.drives[j].kind != DriveKind::motion) continue;
      const Joint& joint = model_.joints()[j];
      const std::string element = fmt::format("start of joint '{}'", joint.name);
      if (e_.q.size() > 0) {
        Eigen::VectorXd error(model_.speeds());
        reference.error_from(model_.normalized(e_.q), error);
        const double off = error.segment(joint.v, joint.speeds).cwiseAbs().maxCoeff();
        if (off > 1e-9)
          complain(element, fmt::format("q is {:.6g} away from where its motion begins", off),
                   "the start of the motion", e_.drives[j].mark,
                   "omit it: the motion determines where the joint starts");
      }
      if (e_.v.size() > 0) {
        const double off =
            (e_.v - reference.v).segment(joint.v, joint.speeds).cwiseAbs().maxCoeff();
        if (off > 1e-9)
          complain(element, fmt::format("v is {:.6g} away from the rate of its motion", off),
                   "the rate of the motion", e_.drives[j].mark);
      }
    }
  }

  const Experiment& e_;
  const Model& model_;
  const Experiment* checked_;
  const MotionRanges& known_;
  std::vector<Problem>& problems_;
};

}  // namespace

void check_motions(const Experiment& experiment, const Experiment* checked,
                   const MotionRanges& known, std::vector<Problem>& problems) {
  MotionChecker(experiment, checked, known, problems).run();
}

}  // namespace ulna
