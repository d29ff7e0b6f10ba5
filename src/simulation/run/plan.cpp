#include "ulna/simulation/internal/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/planned_motion.hpp"
#include "ulna/elastic/modal_body.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/motion/internal/arc_length.hpp"
#include "ulna/motion/internal/combined_motion.hpp"
#include "ulna/motion/minimum_time.hpp"

namespace ulna {
namespace {

/// A motion that goes on, until a time.
class CutMotion final : public ScalarMotion {
 public:
  CutMotion(ScalarMotionPtr motion, double end)
      : motion_(std::move(motion)), end_(end), depth_(depth_around(motion_->depth())) {}
  MotionValue at(double t) const override { return motion_->at(t); }
  std::vector<double> breakpoints() const override { return motion_->breakpoints(); }
  double duration() const override { return end_; }
  int depth() const override { return depth_; }

 private:
  ScalarMotionPtr motion_;
  double end_;
  int depth_;
};

/// All motions faster by one factor: any robot, any joint.
TimingResult scaled(Experiment& e, double end, double scale) {
  for (Drive& drive : e.drives)
    for (ScalarMotionPtr& f : drive.motion) f = std::make_shared<ShiftedMotion>(f, 0.0, scale);
  TimingResult result;
  result.scale = scale;
  result.duration = end / scale;
  return result;
}

/// The rates of all joints along a planned motion.
class RatesOf final : public Motion {
 public:
  RatesOf(PlannedMotion& motion, int speeds, double end, std::vector<double> breakpoints)
      : motion_(motion), speeds_(speeds), end_(end), breakpoints_(std::move(breakpoints)) {}
  int size() const override { return speeds_; }
  void at(double t, Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> v,
          Eigen::Ref<Eigen::VectorXd> a) const override {
    q.setZero();
    v = motion_.at(t).v;
    a.setZero();
  }
  std::vector<double> breakpoints() const override { return breakpoints_; }
  double duration() const override { return end_; }

 private:
  PlannedMotion& motion_;
  int speeds_;
  double end_;
  std::vector<double> breakpoints_;
};

/// The motions of all joints as one; those without a motion rest where they start, or follow the
/// loops. Flexible bodies are taken as rigid: efforts and rates are those of the joints that the
/// flexible robot is to follow.
class Planner {
 public:
  explicit Planner(Experiment& experiment)
      : e_(experiment),
        twin_(rigid_twin(experiment.model)),
        model_(*twin_),
        end_(motions_end(experiment)) {
    e_.drives.resize(model_.joints().size());
    const auto rest = std::make_shared<ConstantMotion>(0.0);
    coordinates_.assign(static_cast<std::size_t>(model_.speeds()), rest);
    for (std::size_t j = 0; j < e_.drives.size(); ++j)
      std::copy(e_.drives[j].motion.begin(), e_.drives[j].motion.end(),
                coordinates_.begin() + model_.joints()[j].v);
  }

  TimingResult within(const PlanLimits& all) {
    const PlanLimits limits = joints_of(all);
    PlannedMotion motion(e_, twin_, end_);
    TimeScale best;
    best.alpha = INFINITY;
    std::string limit;
    if (limits.rates.size() > 0 && limits.rates.array().isFinite().any()) {
      const RatesOf rates(motion, model_.speeds(), end_, JointMotion(until_end()).breakpoints());
      best = alpha_for_rates(rates, limits.rates);
      limit = "the rate of";
    }
    if (limits.efforts.size() > 0 && limits.efforts.array().isFinite().any()) {
      const TimeScale by_effort = alpha_for_efforts([&](double t) { return motion.terms(t); }, end_,
                                                    -limits.efforts, limits.efforts);
      if (by_effort.alpha < best.alpha) {
        best = by_effort;
        limit = "the effort of";
      }
    }
    if (!std::isfinite(best.alpha))
      throw InputError("nothing limits the motion", "limits of rates or efforts");
    TimingResult result = scaled(e_, end_, best.alpha);
    result.limit = fmt::format("{} '{}' at t = {:.6g} s{}", limit,
                               model_.speed_names()[static_cast<std::size_t>(best.coordinate)],
                               best.time / best.alpha, rigid_note());
    return result;
  }

  TimingResult least_time(const Timing& timing) {
    const PlanLimits limits = joints_of(timing.limits);
    const ArcLengthPath path = by_arc_length(JointMotion(until_end()), end_);
    Experiment by_length = e_;
    put_into(by_length, path.coordinates);
    PlannedMotion along(by_length, twin_, path.length);
    MinimumTimeProblem problem;
    problem.length = path.length;
    problem.upper = limits.efforts;
    problem.lower = -limits.efforts;
    problem.intervals = timing.intervals;
    const bool damped = viscous(along, path.length);
    problem.coefficients = [&](double s) {
      const EffortTerms terms = along.terms(s);
      PathCoefficients out;
      out.m = along.starting_efforts(s) - along.resting_efforts(s);
      out.c = terms.inertial;
      out.g = terms.constant;
      if (damped) out.d = terms.viscous;
      return out;
    };
    if (limits.rates.size() > 0 && limits.rates.array().isFinite().any())
      problem.speed_limit = [&](double s) {
        const Eigen::VectorXd& v = along.at(s).v;
        double limit = INFINITY;
        for (long k = 0; k < v.size(); ++k)
          if (v(k) != 0) limit = std::min(limit, limits.rates(k) / std::abs(v(k)));
        return limit;
      };
    const MinimumTimeResult found = minimum_time(problem);
    for (std::size_t k = 0; k < coordinates_.size(); ++k)
      coordinates_[k] = std::make_shared<RetimedMotion>(path.coordinates[k], found.law);
    put_into(e_, coordinates_);
    TimingResult result;
    result.duration = found.duration;
    result.scale = end_ / found.duration;
    for (const double s : found.switches) result.switches.push_back(time_at(found, s));
    result.limit = fmt::format("efforts or rates at every time, {} switches{}",
                               found.switches.size(), rigid_note());
    result.warning = beyond_rest(along.resting_efforts(path.length), limits.efforts);
    return result;
  }

 private:
  static double interpolated(const std::vector<double>& x, const std::vector<double>& y,
                             double at) {
    if (x.empty()) return 0;
    const auto after = std::upper_bound(x.begin(), x.end(), at);
    if (after == x.begin()) return y.front();
    if (after == x.end()) return y.back();
    const auto k = static_cast<std::size_t>(after - x.begin());
    return y[k - 1] + (y[k] - y[k - 1]) * (at - x[k - 1]) / (x[k] - x[k - 1]);
  }
  static double time_at(const MinimumTimeResult& found, double s) {
    return interpolated(found.s, found.time, s);
  }

  /// The motion ends at rest, and nothing in the least time asks whether the robot can stay there.
  std::string beyond_rest(const Eigen::VectorXd& rest, const Eigen::VectorXd& most) const {
    for (long k = 0; k < rest.size(); ++k)
      if (std::abs(rest(k)) > most(k) * (1 + 1e-9))
        return fmt::format(
            "the robot cannot rest where the motion ends: '{}' needs the effort {:.6g} there, and "
            "its limit is {:.6g}",
            model_.speed_names()[static_cast<std::size_t>(k)], rest(k), most(k));
    return {};
  }

  /// Whether efforts have a share that grows with the speed, beyond rounding.
  static bool viscous(PlannedMotion& along, double length) {
    constexpr int places = 16;
    double most = 0, all = 0;
    for (int k = 0; k < places; ++k) {
      const EffortTerms terms = along.terms(length * (k + 0.5) / places);
      most = std::max(most, terms.viscous.cwiseAbs().maxCoeff());
      all = std::max(
          {all, terms.inertial.cwiseAbs().maxCoeff(), terms.constant.cwiseAbs().maxCoeff()});
    }
    return most > 1e-10 * all;
  }

  /// Without the modes, which have no limits.
  PlanLimits joints_of(const PlanLimits& all) const {
    const auto head = [&](const Eigen::VectorXd& x) {
      return x.size() > model_.speeds() ? Eigen::VectorXd(x.head(model_.speeds())) : x;
    };
    return {head(all.rates), head(all.efforts)};
  }
  std::string rigid_note() const {
    return e_.model->modes() > 0 ? " (of the robot with rigid links)" : "";
  }
  /// Formulas are asked for until the end of the motions only.
  std::vector<ScalarMotionPtr> until_end() const {
    std::vector<ScalarMotionPtr> all;
    for (const ScalarMotionPtr& f : coordinates_)
      all.push_back(std::isfinite(f->duration()) ? f : std::make_shared<CutMotion>(f, end_));
    return all;
  }

  /// Motions for the joints that have one; one per speed.
  void put_into(Experiment& e, const std::vector<ScalarMotionPtr>& motions) const {
    for (std::size_t j = 0; j < e.drives.size(); ++j)
      std::copy_n(motions.begin() + model_.joints()[j].v, e.drives[j].motion.size(),
                  e.drives[j].motion.begin());
  }

  Experiment& e_;
  std::shared_ptr<const Model> twin_;
  const Model& model_;
  double end_;
  std::vector<ScalarMotionPtr> coordinates_;  ///< one per speed
};

}  // namespace

double motion_end(const ScalarMotion& motion) {
  const auto* const formula = dynamic_cast<const Formula*>(&motion);
  return formula ? std::min(formula->duration(), formula->rests_from()) : motion.duration();
}

double motions_end(const Experiment& experiment) {
  double end = 0;
  for (const Drive& drive : experiment.drives)
    for (const ScalarMotionPtr& f : drive.motion) {
      // Formulas and what never ends go on for as long as the experiment is said to last.
      const bool formula = dynamic_cast<const Formula*>(f.get()) != nullptr;
      const bool open = formula || !std::isfinite(f->duration());
      end = std::max(end, open && experiment.end > 0 ? experiment.end : motion_end(*f));
    }
  return end;
}

std::string cut_motions(const Experiment& experiment) {
  std::string names;
  double latest = 0;
  for (std::size_t j = 0; j < experiment.drives.size(); ++j)
    for (const ScalarMotionPtr& f : experiment.drives[j].motion) {
      const auto* const formula = dynamic_cast<const Formula*>(f.get());
      const double end = formula ? formula->rests_from() : f->duration();
      if (!std::isfinite(end) || end <= experiment.end * (1 + 1e-9)) continue;
      if (f->at(experiment.end).rate == 0) continue;
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", experiment.model->joints()[j].name);
      latest = std::max(latest, end);
      break;
    }
  if (names.empty()) return {};
  return fmt::format(
      "the run ends at t = {:.6g} s, before the motion of {} is complete at {:.6g} s; a longer "
      "duration lets it end",
      experiment.end, names, latest);
}

std::shared_ptr<const Model> rigid_twin(const std::shared_ptr<const Model>& model) {
  if (model->modes() == 0) return model;
  return std::make_shared<const Model>(with_rigid_links(model->robot()));
}

void plan_frame_motion(Experiment& experiment, int frame, const PoseMotion& motion,
                       const CartesianMotionOptions& options) {
  // Led along the path is the robot with rigid links; the flexible one follows with its joints.
  const std::shared_ptr<const Model> twin = rigid_twin(experiment.model);
  const Model& model = *twin;
  const bool loops = !model.loops().empty();
  experiment.drives.resize(model.joints().size());
  CartesianMotionOptions how = options;
  if (how.start.size() > model.coordinates())
    how.start = Eigen::VectorXd(how.start.head(model.coordinates()));
  // In a mechanism the joints that are driven by motion or controller carry the path.
  for (std::size_t j = 0; j < model.joints().size() && loops && options.driven.empty(); ++j)
    for (int k = 0; k < model.joints()[j].speeds; ++k)
      if (experiment.drives[j].kind == DriveKind::motion ||
          experiment.drives[j].kind == DriveKind::controller)
        how.driven.push_back(model.joints()[j].v + k);
  const CartesianMotion joints(model, frame, motion, how);
  std::vector<int> place(static_cast<std::size_t>(model.speeds()), -1);
  for (std::size_t i = 0; i < joints.driven().size(); ++i)
    place[static_cast<std::size_t>(joints.driven()[i])] = static_cast<int>(i);
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    Drive& drive = experiment.drives[j];
    if (joint.speeds == 0 || place[static_cast<std::size_t>(joint.v)] < 0) continue;
    drive.motion.clear();
    for (int k = 0; k < joint.speeds; ++k) {
      const int i = place[static_cast<std::size_t>(joint.v + k)];
      if (i < 0)
        throw InputError(
            fmt::format("joint '{}' would carry the path with some of its speeds only", joint.name),
            "drives: motion for joints of one freedom");
      drive.motion.push_back(std::make_shared<PiecewisePolynomial>(joints.coordinate(i)));
    }
    if (drive.kind == DriveKind::free) drive.kind = DriveKind::motion;
  }
  if (!loops) return;
  // The others begin where the loops put them: that is the branch that was followed.
  experiment.q = Eigen::VectorXd::Zero(experiment.model->coordinates());
  experiment.q.head(model.coordinates()) = joints.start();
  experiment.keep_q.clear();
}

TimingResult plan_timing(Experiment& experiment, const Timing& timing) {
  const double end = motions_end(experiment);
  if (end == 0) throw InputError("no joint has a motion", "motions, or a path of a frame");
  if (!std::isfinite(end))
    throw InputError("a formula of the motions does not come to rest",
                     "duration: how long the motions last before their timing");
  if (timing.kind == TimingKind::scale) {
    if (!(timing.scale > 0) || !std::isfinite(timing.scale))
      throw InputError(fmt::format("the scale is {}", timing.scale), "a number above 0");
    return scaled(experiment, end, timing.scale);
  }
  Planner planner(experiment);
  return timing.kind == TimingKind::limits ? planner.within(timing.limits)
                                           : planner.least_time(timing);
}

}  // namespace ulna
