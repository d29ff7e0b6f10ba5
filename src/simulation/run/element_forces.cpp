#include "run/element_forces.hpp"

#include <fmt/format.h>

#include <cmath>

#include "run/effort_formulas.hpp"
#include "ulna/dynamics/kernels/elements.hpp"
#include "ulna/model/internal/quantity.hpp"
#include "ulna/model/parts/force_formula.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

/// In the copy of the robot that the run owns.
void set_force(Model& own, int element, double force, double t) {
  if (!std::isfinite(force))
    throw ComputationError(fmt::format("the force of actuator '{}' is {} at t = {:.9g} s",
                                       own.elements()[static_cast<std::size_t>(element)].name,
                                       force, t));
  own.set_actuator_force(element, force);
}

/// The clock of the formulas in the robot file.
class ElementClock final : public Controller {
 public:
  ElementClock(std::shared_ptr<Model> own, double end) : own_(std::move(own)), end_(end) {}
  void control(const ControlState& s, const double*, Eigen::VectorXd&, double*) const override {
    own_->set_time(s.t);
  }
  std::string name() const override { return "clock"; }
  std::vector<double> breakpoints() const {
    std::vector<double> times;
    for (const Element& e : own_->elements())
      if (e.formula)
        for (const double time : VariableFormula(e.formula->text(), {}, end_).breakpoints())
          times.push_back(time);
    return times;
  }

 private:
  std::shared_ptr<Model> own_;
  double end_;
};

/// An input of a run: functions of time and of the state.
class RunInput final : public Controller {
 public:
  RunInput(const Experiment& experiment, const ElementInput& input, std::shared_ptr<Model> own)
      : own_(std::move(own)), input_(input), reference_(experiment) {
    period = input.period;
    if (!input.formula) return;
    std::vector<Channel> channels;
    for (const std::string& name : input.formula->variables())
      channels.push_back(channels_named(experiment, name).front());
    channels_ = std::make_unique<StateChannels>(*own_, std::move(channels));
  }

  void control(const ControlState& s, const double*, Eigen::VectorXd&, double*) const override {
    double force = input_.force ? input_.force->at(s.t).value : 0;
    if (input_.formula) {
      if (channels_->uses(Channel::Kind::reference)) reference_.update(s.t);
      channels_->update(s.q, s.v, reference_, nullptr);
      force += input_.formula->value(s.t, channels_->values());
    }
    if (input_.law) force += input_.law(s.t, s.q, s.v);
    set_force(*own_, input_.element, force, s.t);
  }
  std::string name() const override { return input_.name(); }
  std::vector<double> breakpoints() const {
    std::vector<double> times;
    if (input_.force) times = input_.force->breakpoints();
    if (input_.formula)
      for (const double time : input_.formula->breakpoints()) times.push_back(time);
    return times;
  }

 private:
  std::shared_ptr<Model> own_;
  ElementInput input_;
  mutable Reference reference_;
  std::unique_ptr<StateChannels> channels_;  ///< scratch; a run has this input alone
};

/// A controller one of whose joints is moved by an actuator.
class Delivered final : public Controller {
 public:
  Delivered(std::shared_ptr<const Controller> law, const ElementInput& input,
            std::shared_ptr<Model> own)
      : Controller(*law),
        law_(std::move(law)),
        own_(std::move(own)),
        element_(input.element),
        speed_(input.delivers),
        unit_(own_->elements()[static_cast<std::size_t>(element_)]),
        efforts_(Eigen::VectorXd::Zero(own_->speeds())) {
    unit_.force = 1;
    unit_.formula.reset();
    unit_.least_length = 0;
    unit_.greatest_length = unit_.rate_limit = ElementData::unlimited;
  }

  void control(const ControlState& s, const double* z, Eigen::VectorXd& tau,
               double* dz) const override {
    law_->control(s, z, tau, dz);
    set_force(*own_, element_, tau(speed_) == 0 ? 0 : tau(speed_) / arm(s, tau(speed_)), s.t);
    tau(speed_) = 0;
  }
  int states(const Model& model) const override { return law_->states(model); }
  std::string name() const override { return law_->name(); }
  std::string refusal(const Model& model) const override { return law_->refusal(model); }

 private:
  /// docs/theory/elements.md, eq. 18: the effort at the joint under a force of 1 N.
  double arm(const ControlState& s, double effort) const {
    efforts_.setZero();
    add_element_efforts<double>(std::span(&unit_, 1),
                                view<double>(own_->topology(), own_->parameters()), s.q.data(),
                                s.v.data(), -1, efforts_.data());
    const double found = efforts_(speed_);
    // Of the robot's size: with less, an actuator turns nothing.
    constexpr double least = 1e-9;
    const bool slides = own_->speed_dimensions()[speed_] == Dimension::length;
    if (std::abs(found) < least * (slides ? 1 : own_->length_scale()))
      throw ComputationError(
          fmt::format("actuator '{}' has no lever arm about '{}' at t = {:.9g} s, where an effort "
                      "of {:.4g} is asked of it",
                      unit_.name, own_->speed_names()[speed_], s.t, effort));
    return found;
  }

  std::shared_ptr<const Controller> law_;
  std::shared_ptr<Model> own_;
  int element_, speed_;
  Element unit_;
  mutable Eigen::VectorXd efforts_;
};

/// The controller of this speed's joint, by its place; -1: there is none.
int controller_of(const Experiment& e, int speed) {
  for (std::size_t k = 0; k < e.controllers.size(); ++k)
    for (const int j : e.controllers[k]->joints)
      if (e.model->joints()[static_cast<std::size_t>(j)].v == speed) return static_cast<int>(k);
  return -1;
}

}  // namespace

void ElementInput::control(const ControlState&, const double*, Eigen::VectorXd&, double*) const {}

int element_named(const Model& model, const std::string& name) { return model.actuator(name); }

std::vector<const ElementInput*> inputs_of(const Experiment& experiment) {
  std::vector<const ElementInput*> list;
  for (const auto& controller : experiment.controllers)
    if (const auto* input = dynamic_cast<const ElementInput*>(controller.get()))
      list.push_back(input);
  return list;
}

std::vector<double> input_breakpoints(const Controller& controller) {
  if (const auto* input = dynamic_cast<const RunInput*>(&controller)) return input->breakpoints();
  if (const auto* clock = dynamic_cast<const ElementClock*>(&controller))
    return clock->breakpoints();
  return {};
}

Experiment with_element_inputs(const Experiment& experiment) {
  const bool timed = experiment.model->has_timed_elements();
  if (inputs_of(experiment).empty() && !timed) return experiment;
  Experiment bound = experiment;
  const auto own = std::make_shared<Model>(*experiment.model);
  bound.model = own;
  // Controllers know the robot as it is written, not the forces of the moment.
  if (!bound.known_model) bound.known_model = experiment.model;
  if (timed) bound.controllers.push_back(std::make_shared<ElementClock>(own, bound.end));
  for (auto& controller : bound.controllers) {
    const auto* input = dynamic_cast<const ElementInput*>(controller.get());
    if (!input) continue;
    if (input->delivers < 0) {
      controller = std::make_shared<RunInput>(bound, *input, own);
    } else {
      const int law = controller_of(bound, input->delivers);
      auto& other = bound.controllers[static_cast<std::size_t>(law)];
      other = std::make_shared<Delivered>(other, *input, own);
      controller = std::make_shared<ElementInput>();  // it has nothing left to do
    }
  }
  return bound;
}

void check_inputs(const Experiment& experiment, std::vector<Problem>& problems) {
  const Model& model = *experiment.model;
  std::vector<char> seen(model.elements().size(), 0);
  for (const ElementInput* given : inputs_of(experiment)) {
    const ElementInput& input = *given;
    const auto complain = [&](const std::string& element, const std::string& message,
                              const std::string& expectation, const std::string& hint = {}) {
      problems.push_back({input.mark, element, message, expectation, hint});
    };
    const auto k = static_cast<std::size_t>(input.element);
    if (input.element < 0 || k >= model.elements().size() ||
        model.elements()[k].type != ElementData::Type::actuator) {
      complain("input", fmt::format("element {} is not an actuator", input.element),
               "an element of type actuator");
      continue;
    }
    const std::string element = fmt::format("input '{}'", model.elements()[k].name);
    if (seen[k]++) complain(element, "is set twice", "one entry for each actuator");
    if (input.delay > 0) complain(element, "has a delay", "an input without one");
    if (!input.force && !input.formula && !input.law && input.delivers < 0)
      complain(element, "has no force", "a function of time, a formula, or the joint it drives");
    if (input.delivers >= 0) {
      const int law =
          input.delivers < model.speeds() ? controller_of(experiment, input.delivers) : -1;
      if (!model.is_tree())
        complain(element, "delivers the effort of a joint", "a robot without loops",
                 "in a loop, set the force by a formula");
      else if (law < 0 || experiment.controllers[static_cast<std::size_t>(law)]->period > 0)
        complain(element, "delivers the effort of a joint that no continuous controller drives",
                 "a joint under a controller without rate");
    }
    const auto require = [&](const auto* formula) {
      if (formula) try {
          formula->require(quantity::force);
        } catch (const InputError& error) {
          const Problem& p = error.problems().front();
          complain(element + ", " + p.element, p.message, p.expectation, p.hint);
        }
    };
    require(dynamic_cast<const Formula*>(input.force.get()));
    require(input.formula.get());
    if (!input.formula) continue;
    for (const std::string& name : input.formula->variables()) try {
        std::string reason = why_no_effort_of(experiment, name);
        if (reason.empty() && name.starts_with("sensor."))
          reason = "is for efforts and controllers only";
        if (!reason.empty())
          complain(element, fmt::format("its formula refers to '{}', which {}", name, reason),
                   "t, q, v, element.NAME.length or another channel that follows from coordinates "
                   "and speeds");
      } catch (const InputError& error) {
        for (const Problem& p : error.problems())
          complain(element, p.message, p.expectation, p.hint);
      }
  }
}

}  // namespace ulna
