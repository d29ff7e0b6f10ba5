// The checks of an experiment before it runs: all problems at once.

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "contact/check_contacts.hpp"
#include "run/check_control.hpp"
#include "run/check_dynamics.hpp"
#include "run/check_motions.hpp"
#include "run/check_units.hpp"
#include "run/element_forces.hpp"
#include "ulna/dynamics/formulation.hpp"
#include "ulna/kinematics/loop_closure.hpp"
#include "ulna/simulation/experiment.hpp"
#include "ulna/simulation/internal/check_again.hpp"
#include "ulna/simulation/internal/reference.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {

const char* name_of(DriveKind kind) {
  constexpr const char* names[] = {"free", "locked", "motion", "effort", "controller"};
  return names[static_cast<int>(kind)];
}

namespace {

class Checker {
 public:
  explicit Checker(const Experiment& experiment, const Experiment* checked = nullptr,
                   const MotionRanges& known = {})
      : e_(experiment), model_(*experiment.model), checked_(checked), known_(known) {}

  void run() {
    check_times();
    check_integrator();
    check_state();
    check_stops();
    check_loops();
    check_drives();
    check_controllers();
    if (problems_.empty()) check_control(e_, problems_);
    check_wrenches();
    check_contacts(e_, problems_);
    check_joint_friction();
    if (problems_.empty()) check_motions(e_, checked_, known_, problems_);
    check_channels();
    check_dynamics(e_, problems_);
    check_units(e_, problems_);
    check_inputs(e_, problems_);
    if (!problems_.empty()) throw InputError(std::move(problems_));
  }

 private:
  void complain(std::string element, std::string message, std::string expectation = {},
                SourceMark where = {}, std::string hint = {}) {
    if (where.file.empty()) where.file = e_.source;
    problems_.push_back(
        {where, std::move(element), std::move(message), std::move(expectation), std::move(hint)});
  }

  void check_times() {
    if (!(e_.end > 0) || !std::isfinite(e_.end))
      complain("experiment", fmt::format("it ends at {} s", e_.end), "an end time above 0");
    if (!(e_.record.interval >= 0) || !std::isfinite(e_.record.interval))
      complain("record", fmt::format("the interval is {} s", e_.record.interval),
               "an interval above 0");
    else if (e_.record.interval > 0 && e_.end / e_.record.interval > 1e8)
      complain("record", fmt::format("{:.3g} records", e_.end / e_.record.interval),
               "at most 100 million");
  }

  void check_integrator() {
    const IntegratorOptions& o = e_.integrator;
    const auto positive = [&](double x, const char* what, bool may_be_infinite = false) {
      if (!(x > 0) || (!may_be_infinite && !std::isfinite(x)))
        complain("integrator", fmt::format("{} is {}", what, x), "a number above 0");
    };
    positive(o.tolerances.relative, "the relative tolerance");
    // By default the absolute one follows from the relative one: one mistake, one complaint.
    const bool relative_holds = o.tolerances.relative > 0 && std::isfinite(o.tolerances.relative);
    if (relative_holds) positive(o.tolerances.absolute, "the absolute tolerance");
    positive(o.largest_step, "the largest step", true);
    if (o.most_steps < 1)
      complain("integrator", fmt::format("most_steps is {}", o.most_steps), "1 or more");
    if (relative_holds && o.tolerances.relative < 1e-14)
      complain(
          "integrator",
          fmt::format("the relative tolerance {:.3g} is below rounding", o.tolerances.relative),
          "at least 1e-14");
    if (o.fixed_step() && o.step == 0)
      complain("integrator", fmt::format("{} needs step, its length", name_of(o.method)),
               "such as step: 1 ms");
    else if (o.fixed_step())
      positive(o.step, "the step");
    else if (!(o.step >= 0) || !std::isfinite(o.step))
      complain("integrator", fmt::format("the first step is {}", o.step), "0 or more");
    if (!is_available(o.method))
      complain("integrator", fmt::format("this build has no {}", name_of(o.method)),
               "a library built with SUNDIALS (libsundials-dev)");
    const bool own = !o.fixed_step() && o.method != IntegratorMethod::sundials_bdf &&
                     o.method != IntegratorMethod::sundials_erk &&
                     o.method != IntegratorMethod::ida;
    if (o.method == IntegratorMethod::ida && model_.loops().empty())
      complain("integrator",
               fmt::format("ida is for loops, and robot '{}' has none", model_.name()),
               "another method", {}, "radau5 is for stiff systems");
    if (e_.record.interpolate && !own)
      complain("record", fmt::format("{} has no dense output here", name_of(o.method)),
               "dormand-prince, dop853 or radau5");
    if (o.method == IntegratorMethod::symplectic) check_symplectic();
  }

  /// The variational rule is one of free coordinates: nothing is prescribed, held or touched.
  void check_symplectic() {
    const auto refuse = [&](const std::string& what) {
      complain("integrator", "symplectic is for rigid trees that nothing holds; found " + what,
               "another method", {}, "dop853 keeps energy to its tolerance");
    };
    for (const Loop& loop : model_.loops()) return refuse(loop_name(loop));
    if (model_.modes() > 0) refuse("flexible bodies");
    if (!e_.contacts.empty() || !e_.nonholonomic.empty()) refuse("contacts or nonholonomic rows");
    if (e_.stops.enabled || !e_.joint_friction.empty()) refuse("stops or friction at rest");
    if (!inputs_of(e_).empty()) refuse("inputs of actuator elements");
    for (const DegreeTerms& term : model_.degree_terms())
      if (term.friction > 0) return refuse("Coulomb friction");
    for (const Drive& drive : e_.drives)
      if (drive.kind == DriveKind::motion || drive.kind == DriveKind::locked)
        return refuse("joints that follow motions or are locked");
  }

  void check_joint_friction() {
    for (const JointFriction& f : e_.joint_friction) {
      if (f.v < 0 || f.v >= model_.speeds()) {
        complain("friction", fmt::format("there is no speed number {}", f.v), "one of the robot's");
        continue;
      }
      double moving = 0;
      for (const DegreeTerms& term : model_.degree_terms())
        if (term.v == f.v) moving += term.friction * std::abs(term.multiplier);
      const std::string element = fmt::format("friction of '{}'", model_.speed_names()[f.v]);
      if (!(f.at_rest >= moving) || !std::isfinite(f.at_rest))
        complain(element, fmt::format("the static friction is {}", f.at_rest),
                 fmt::format("at least that of the robot in motion, {}", moving));
      if (!(f.stribeck_speed >= 0) || !std::isfinite(f.stribeck_speed))
        complain(element, fmt::format("the Stribeck speed is {}", f.stribeck_speed), "0 or more");
    }
  }

  /// A closing joint without a coordinate (neither of its bodies has mass) cannot be held at rest.
  void check_loops() {
    for (const Loop& loop : model_.loops())
      for (const DegreeData& degree : loop.degrees)
        if (degree.friction != 0)
          complain(fmt::format("joint '{}'", loop.joint),
                   "it closes a loop and has Coulomb friction, which could not hold it at rest",
                   "a body with mass at this joint, another joint of the loop with 'cut: true', or "
                   "friction 0");
  }

  bool moves_freely(int joint) const {
    const auto j = static_cast<std::size_t>(joint);
    const DriveKind kind = j < e_.drives.size() ? e_.drives[j].kind : DriveKind::free;
    return kind != DriveKind::motion && kind != DriveKind::locked;
  }

  void check_stops() {
    if (!(e_.stops.restitution >= 0 && e_.stops.restitution <= 1))
      complain("stops", fmt::format("the restitution is {}", e_.stops.restitution), "0 to 1");
    if (!(e_.stops.rest_speed > 0))
      complain("stops", fmt::format("the rest speed is {}", e_.stops.rest_speed), "above 0");
    if (!e_.stops.enabled) return;
    for (const DegreeOfFreedom& degree : model_.degrees())
      if (degree.joint >= 0 && degree.q >= 0 && moves_freely(degree.joint) &&
          model_.upper()(degree.q) - model_.lower()(degree.q) < 1e-9)
        complain("stops",
                 fmt::format("'{}' has no way between its limits, {:.6g} and {:.6g}",
                             model_.coordinate_names()[degree.q], model_.lower()(degree.q),
                             model_.upper()(degree.q)),
                 "limits that are apart", {}, "the drive 'locked' keeps a joint in place");
    // With loops the posture is only where the search for a closed one begins (Contacts::start).
    if (e_.q.size() != model_.coordinates() || !model_.loops().empty()) return;
    for (int k = 0; k < model_.coordinates(); ++k)
      if (e_.q(k) > model_.upper()(k) || e_.q(k) < model_.lower()(k))
        complain("start",
                 fmt::format("q of '{}' is {:.6g}, beyond its stop", model_.coordinate_names()[k],
                             e_.q(k)),
                 fmt::format("{:.6g} to {:.6g}", model_.lower()(k), model_.upper()(k)));
  }

  void check_state() {
    if (e_.q.size() > 0 && e_.q.size() != model_.coordinates())
      complain("start", fmt::format("q has {} entries", e_.q.size()),
               fmt::format("{}", model_.coordinates()));
    else if (!e_.q.allFinite())
      complain("start", "q holds a value that is not finite");
    if (e_.v.size() > 0 && e_.v.size() != model_.speeds())
      complain("start", fmt::format("v has {} entries", e_.v.size()),
               fmt::format("{}", model_.speeds()));
    else if (!e_.v.allFinite())
      complain("start", "v holds a value that is not finite");
  }

  void check_drives() {
    if (!e_.drives.empty() && e_.drives.size() != model_.joints().size())
      complain("drives", fmt::format("{} drives", e_.drives.size()),
               fmt::format("one for each of the {} joints", model_.joints().size()));
    for (std::size_t j = 0; j < std::min(e_.drives.size(), model_.joints().size()); ++j) {
      const Joint& joint = model_.joints()[j];
      const Drive& drive = e_.drives[j];
      const std::string element = fmt::format("drive of joint '{}'", joint.name);
      const auto fits = [&](const std::vector<ScalarMotionPtr>& f, const char* what) {
        if (!f.empty() && static_cast<int>(f.size()) != joint.speeds)
          complain(
              element, fmt::format("{} functions for its {}", f.size(), what),
              fmt::format("{}, one per speed of the {} joint", joint.speeds, name_of(joint.type)),
              drive.mark);
        for (const ScalarMotionPtr& x : f)
          if (!x) complain(element, fmt::format("a function of its {} is missing", what));
      };
      fits(drive.motion, "motion");
      fits(drive.effort, "effort");
      if (!drive.effort_formulas.empty() &&
          static_cast<int>(drive.effort_formulas.size()) != joint.speeds)
        complain(element, fmt::format("{} formulas of its effort", drive.effort_formulas.size()),
                 fmt::format("{}, one per speed, or none", joint.speeds), drive.mark);
      if (joint.speeds == 0 && drive.kind != DriveKind::free)
        complain(element,
                 joint.mimicked >= 0 ? "a mimic joint moves with the joint it follows"
                                     : "the joint cannot move",
                 "a joint with freedoms of its own", drive.mark);
      if (drive.kind == DriveKind::motion && drive.motion.empty() && joint.speeds > 0)
        complain(element, "it is to follow a motion but has none", "a motion", drive.mark);
      if (drive.kind == DriveKind::effort && drive.effort.empty() &&
          drive.effort_formulas.empty() && joint.speeds > 0)
        complain(element, "it is driven by an effort that is not given", "an effort", drive.mark);
    }
  }

  void check_controllers() {
    std::set<int> seen;
    for (const auto& controller : e_.controllers) {
      if (!controller) {
        complain("controller", "it is missing");
        continue;
      }
      const std::string element = fmt::format("controller {}", controller->name());
      if (!(controller->period >= 0) || !std::isfinite(controller->period))
        complain(element, fmt::format("its period is {} s", controller->period), "0 or more");
      for (const int j : controller->joints) {
        if (j < 0 || j >= static_cast<int>(model_.joints().size())) {
          complain(element, fmt::format("there is no joint number {}", j));
          continue;
        }
        const std::string& name = model_.joints()[j].name;
        const bool listed = static_cast<std::size_t>(j) < e_.drives.size() &&
                            e_.drives[j].kind == DriveKind::controller;
        if (!listed)
          complain(element, fmt::format("joint '{}' is not driven by a controller", name),
                   fmt::format("joint '{}' with the drive controller", name));
        if (!seen.insert(j).second)
          complain(element, fmt::format("joint '{}' has two controllers", name), "one");
      }
    }
    for (std::size_t j = 0; j < e_.drives.size(); ++j)
      if (e_.drives[j].kind == DriveKind::controller && !seen.count(static_cast<int>(j)))
        complain(fmt::format("drive of joint '{}'", model_.joints()[j].name),
                 "no controller lists this joint", "a controller with it among its joints",
                 e_.drives[j].mark);
  }

  void check_wrenches() {
    for (const AppliedWrench& w : e_.wrenches) {
      if (w.body < 0 || w.body >= static_cast<int>(model_.bodies().size()))
        complain("wrench", fmt::format("there is no body number {}", w.body));
      if (w.expressed_in < 0 || w.expressed_in >= static_cast<int>(model_.frames().size()))
        complain("wrench", fmt::format("there is no frame number {}", w.expressed_in));
    }
  }

  void check_channels() {
    const auto attempt = [&](const std::string& element, const SourceMark& mark, auto action) {
      try {
        action();
      } catch (const InputError& error) {
        for (const Problem& p : error.problems())
          complain(element, p.message, p.expectation, mark, p.hint);
      }
    };
    for (const std::string& name : e_.record.channels)
      attempt("record", {}, [&] { channels_named(e_, name); });
    for (const Event& event : e_.events)
      attempt(fmt::format("event '{}'", event.name), event.mark, [&] {
        if (event.channel.empty()) return;  // a time decides
        if (channels_named(e_, event.channel).size() != 1)
          throw InputError(fmt::format("'{}' is a group of channels", event.channel),
                           "a single one such as q.joint1 or energy.kinetic");
        if (!std::isfinite(event.value)) throw InputError("its value is not finite");
      });
  }

  const Experiment& e_;
  const Model& model_;
  const Experiment* checked_;
  MotionRanges known_;
  std::vector<Problem> problems_;
};

}  // namespace

void check_again(const Experiment& experiment, const Experiment& checked,
                 const MotionRanges& known) {
  Checker(experiment, &checked, known).run();
}

void check(const Experiment& experiment) {
  if (!experiment.model) throw InputError("the experiment has no robot");
  Checker(experiment).run();
}

CheckedExperiment::CheckedExperiment(Experiment experiment) : experiment_(std::move(experiment)) {
  check(experiment_);
}

CheckedExperiment CheckedExperiment::after_event(Experiment experiment) {
  CheckedExperiment checked;
  checked.experiment_ = std::move(experiment);
  return checked;
}

Experiment inverse_of(const Experiment& experiment) {
  if (!experiment.method.empty())
    if (const std::string reason =
            why_not(formulation_named(experiment.method), *experiment.model, Question::inverse);
        !reason.empty())
      throw InputError(Problem{
          experiment.dynamics_mark, "method", reason, "a formulation that gives efforts", {}});
  Experiment inverse = experiment;
  std::erase_if(inverse.controllers, [](const std::shared_ptr<const Controller>& controller) {
    const auto* input = dynamic_cast<const ElementInput*>(controller.get());
    return !input || input->delivers >= 0;
  });
  inverse.actuators.clear();
  for (Event& event : inverse.events)
    std::erase_if(event.actions, [](const EventAction& action) {
      return action.kind == EventAction::Kind::control || action.kind == EventAction::Kind::drive;
    });
  inverse.closing = {};  // joints that follow motions are held
  Reference reference(experiment);
  reference.update(0);
  for (std::size_t j = 0; j < inverse.drives.size(); ++j) {
    Drive& drive = inverse.drives[j];
    if (drive.kind != DriveKind::controller) continue;
    drive.kind = drive.motion.empty() ? DriveKind::locked : DriveKind::motion;
    drive.effort.clear();
    drive.effort_formulas.clear();
    // Where a controlled joint starts besides its motion is no matter here.
    const Joint& joint = inverse.model->joints()[j];
    if (inverse.q.size() > 0)
      inverse.q.segment(joint.q, joint.coordinates) =
          reference.q.segment(joint.q, joint.coordinates);
    if (inverse.v.size() > 0)
      inverse.v.segment(joint.v, joint.speeds) = reference.v.segment(joint.v, joint.speeds);
  }
  return inverse;
}

}  // namespace ulna
