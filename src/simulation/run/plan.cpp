#include "ulna/simulation/internal/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/elastic/modal_body.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/motion/internal/arc_length.hpp"
#include "ulna/motion/internal/combined_motion.hpp"
#include "ulna/motion/internal/time_scale.hpp"
#include "ulna/motion/minimum_time.hpp"
#include "ulna/simulation/internal/reference.hpp"

namespace ulna {
namespace {

/// The efforts of a motion q(alpha t) as a polynomial in alpha (motions.md, eq. 29).
class Efforts {
 public:
  explicit Efforts(const Model& model) : model_(model), work_(model) {}

  EffortTerms terms(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a) {
    const Eigen::VectorXd t1 = at(q, v, a), t2 = at(q, 2 * v, 4 * a), t3 = at(q, 3 * v, 9 * a);
    EffortTerms terms;
    terms.inertial = (t3 - 2 * t2 + t1) / 2;
    terms.viscous = t2 - t1 - 3 * terms.inertial;
    terms.constant = t1 - terms.inertial - terms.viscous;
    return terms;
  }
  Eigen::VectorXd at(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a) {
    return inverse_dynamics(model_, work_, q, v, a);
  }

 private:
  const Model& model_;
  Workspace work_;
};

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

/// The motions of all joints as one; those without a motion rest where they start. Flexible bodies
/// are taken as rigid: efforts and rates are those of the joints that the flexible robot is to
/// follow.
class Planner {
 public:
  explicit Planner(Experiment& experiment)
      : e_(experiment),
        twin_(rigid_twin(experiment.model)),
        model_(*twin_),
        end_(motions_end(experiment)) {
    model_.require_tree("planning a timing");
    Reference start(e_);
    start.update(0);
    coordinates_.resize(static_cast<std::size_t>(model_.speeds()));
    for (std::size_t j = 0; j < model_.joints().size(); ++j) {
      const Joint& joint = model_.joints()[j];
      const bool has = j < e_.drives.size() && !e_.drives[j].motion.empty();
      if (joint.coordinates != joint.speeds)
        throw InputError(fmt::format("joint '{}' is a {} joint", joint.name, name_of(joint.type)),
                         "timing of robots with one coordinate for each speed");
      for (int k = 0; k < joint.speeds; ++k)
        coordinates_[static_cast<std::size_t>(joint.v + k)] =
            has ? e_.drives[j].motion[static_cast<std::size_t>(k)]
                : std::make_shared<ConstantMotion>(start.q(joint.q + k));
    }
  }

  TimingResult within(const PlanLimits& all) {
    const PlanLimits limits = joints_of(all);
    TimeScale best;
    best.alpha = INFINITY;
    std::string limit;
    if (limits.rates.size() > 0 && limits.rates.array().isFinite().any()) {
      best = alpha_for_rates(JointMotion(until_end()), limits.rates);
      limit = "the rate of";
    }
    if (limits.efforts.size() > 0 && limits.efforts.array().isFinite().any()) {
      Efforts efforts(model_);
      const JointMotion motion(until_end());
      Eigen::VectorXd q(motion.size()), v(motion.size()), a(motion.size());
      const TimeScale by_effort = alpha_for_efforts(
          [&](double t) {
            motion.at(t, q, v, a);
            return efforts.terms(q, v, a);
          },
          end_, -limits.efforts, limits.efforts);
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
    const JointMotion along(path.coordinates);
    Eigen::VectorXd q(along.size()), v(along.size()), a(along.size());
    Efforts efforts(model_);
    MinimumTimeProblem problem;
    problem.length = path.length;
    problem.upper = limits.efforts;
    problem.lower = -limits.efforts;
    problem.intervals = timing.intervals;
    const bool damped = viscous();
    problem.coefficients = [&](double s) {
      along.at(s, q, v, a);
      const EffortTerms terms = efforts.terms(q, v, a);
      const Eigen::VectorXd zero = Eigen::VectorXd::Zero(v.size());
      PathCoefficients out;
      out.m = efforts.at(q, zero, v) - efforts.at(q, zero, zero);
      out.c = terms.inertial;
      out.g = terms.constant;
      if (damped) out.d = terms.viscous;
      return out;
    };
    if (limits.rates.size() > 0 && limits.rates.array().isFinite().any())
      problem.speed_limit = [&](double s) {
        along.at(s, q, v, a);
        double limit = INFINITY;
        for (long k = 0; k < v.size(); ++k)
          if (v(k) != 0) limit = std::min(limit, limits.rates(k) / std::abs(v(k)));
        return limit;
      };
    const MinimumTimeResult found = minimum_time(problem);
    for (std::size_t k = 0; k < coordinates_.size(); ++k)
      coordinates_[k] = std::make_shared<RetimedMotion>(path.coordinates[k], found.law);
    put_back();
    TimingResult result;
    result.duration = found.duration;
    result.scale = end_ / found.duration;
    for (const double s : found.switches) result.switches.push_back(time_at(found, s));
    result.limit = fmt::format("efforts or rates at every time, {} switches{}",
                               found.switches.size(), rigid_note());
    along.at(path.length, q, v, a);
    result.warning =
        beyond_rest(efforts.at(q, Eigen::VectorXd::Zero(v.size()), Eigen::VectorXd::Zero(v.size())),
                    limits.efforts);
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

  bool viscous() const {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model_.speeds());
    Efforts efforts(model_);
    const Eigen::VectorXd one = Eigen::VectorXd::Ones(model_.speeds());
    return efforts.terms(model_.neutral(), one, zero).viscous.cwiseAbs().maxCoeff() > 0;
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

  void put_back() {
    for (std::size_t j = 0; j < e_.drives.size(); ++j) {
      const Joint& joint = model_.joints()[j];
      if (e_.drives[j].motion.empty()) continue;
      for (int k = 0; k < joint.speeds; ++k)
        e_.drives[j].motion[static_cast<std::size_t>(k)] =
            coordinates_[static_cast<std::size_t>(joint.v + k)];
    }
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
