#include "run/check_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "run/controller_view.hpp"
#include "run/event_actions.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

class ControlChecker {
 public:
  ControlChecker(const Experiment& experiment, std::vector<Problem>& problems)
      : e_(experiment), model_(*experiment.model), problems_(problems) {}

  void run() {
    check_sensors();
    check_actuators();
    for (const auto& controller : e_.controllers)
      if (controller) check_controller(*controller);
    check_events();
  }

  void check_action(const Event& event, const std::string& element, const EventAction& action) {
    using Kind = EventAction::Kind;
    if (action.kind == Kind::drive || action.kind == Kind::move) {
      if (action.joint < 0 || action.joint >= static_cast<int>(model_.joints().size()))
        return complain(event.mark, element, fmt::format("there is no joint {}", action.joint));
      check_drive_action(event, element, action);
    }
    if (action.kind == Kind::control &&
        (action.index >= e_.controllers.size() || !action.controller))
      return complain(event.mark, element, "it changes a controller that is not there",
                      "a controller of the experiment");
    if (action.kind == Kind::control) {
      const Controller &now = *e_.controllers[action.index], &then = *action.controller;
      if (now.period != then.period || now.states(model_) != then.states(model_) ||
          now.joints != then.joints)
        complain(event.mark, element,
                 "the controller would have another rate, other joints or other states",
                 "the same law with other gains");
    }
    if (action.kind == Kind::pick)
      attempt(event.mark, element, [&] {
        Robot robot = model_.robot();
        robot.payloads.push_back(action.payload);
        const Model carrying(std::move(robot));
      });
    if (action.kind == Kind::call && !action.call)
      complain(event.mark, element, "its function is missing");
  }

 private:
  void complain(const SourceMark& mark, std::string element, std::string message,
                std::string expectation = {}, std::string hint = {}) {
    SourceMark where = mark;
    if (where.file.empty()) where.file = e_.source;
    problems_.push_back(
        {where, std::move(element), std::move(message), std::move(expectation), std::move(hint)});
  }
  template <class Action>
  void attempt(const SourceMark& mark, const std::string& element, Action action) {
    try {
      action();
    } catch (const InputError& error) {
      for (const Problem& p : error.problems())
        complain(mark, element, p.message, p.expectation, p.hint);
    }
  }

  void check_sensors() {
    std::set<std::string> names;
    for (const Sensor& sensor : e_.sensors) {
      const std::string element = fmt::format("sensor '{}'", sensor.name);
      if (sensor.name.empty()) complain(sensor.mark, "sensor", "it has no name", "a name");
      if (!names.insert(sensor.name).second)
        complain(sensor.mark, element, "there are two of this name", "a name of its own");
      if (!(sensor.period > 0) || !std::isfinite(sensor.period))
        complain(sensor.mark, element, fmt::format("its period is {} s", sensor.period), "above 0",
                 "set its sampling rate, such as rate: 1 kHz");
      if (!(sensor.delay >= 0) || !std::isfinite(sensor.delay))
        complain(sensor.mark, element, fmt::format("its delay is {} s", sensor.delay), "0 or more");
      for (const Sensor::Output& output : sensor.outputs)
        for (const auto& [what, value] : {std::pair{"noise", output.noise},
                                          {"resolution", output.resolution},
                                          {"range", output.range}})
          if (!(value >= 0) || !std::isfinite(value))
            complain(sensor.mark, element,
                     fmt::format("{} of '{}' is {}", what, output.name, value), "0 or more");
      for (const std::string& name : sensor.channels)
        attempt(sensor.mark, element, [&] {
          if (name.starts_with("sensor."))
            throw InputError("a sensor cannot look at a sensor", "another channel");
          if (channels_named(e_, name).size() != 1)
            throw InputError(fmt::format("'{}' is a group of channels", name),
                             "a single one such as q.joint1");
        });
    }
  }

  void check_actuators() {
    std::set<int> speeds;
    std::set<std::string> names;
    for (const auto& actuator : e_.actuators) {
      if (!actuator) {
        complain({}, "actuator", "it is missing");
        continue;
      }
      const std::string element = fmt::format("actuator '{}'", actuator->name);
      if (actuator->speed < 0 || actuator->speed >= model_.speeds() - model_.modes()) {
        complain(actuator->mark, element, fmt::format("there is no speed {}", actuator->speed),
                 "a speed of a joint");
        continue;
      }
      if (!names.insert(actuator->name).second)
        complain(actuator->mark, element, "there are two of this name", "a name of its own");
      if (!speeds.insert(actuator->speed).second)
        complain(actuator->mark, element, "its joint has two actuators", "one");
      for (const auto& [what, expected] : actuator->problems())
        complain(actuator->mark, element, what, expected);
      if (!(actuator->window >= 0) || !(actuator->continuous > 0))
        complain(actuator->mark, element, "its thermal window or continuous effort is not above 0",
                 "numbers above 0");
      check_drive_of(*actuator, element);
    }
  }

  void check_drive_of(const Actuator& actuator, const std::string& element) {
    for (std::size_t j = 0; j < model_.joints().size(); ++j) {
      const Joint& joint = model_.joints()[j];
      if (actuator.speed < joint.v || actuator.speed >= joint.v + joint.speeds) continue;
      const DriveKind kind = j < e_.drives.size() ? e_.drives[j].kind : DriveKind::free;
      if (kind == DriveKind::motion || kind == DriveKind::locked)
        complain(actuator.mark, element,
                 fmt::format("joint '{}' has the drive '{}', which has no actuator", joint.name,
                             name_of(kind)),
                 "the drive controller, or an effort");
    }
  }

  void check_controller(const Controller& controller) {
    const std::string element = fmt::format("controller {}", controller.name());
    if (!(controller.delay >= 0) || !std::isfinite(controller.delay))
      complain(controller.mark, element, fmt::format("its delay is {} s", controller.delay),
               "0 or more");
    if (controller.delay > 0 && !(controller.period > 0))
      complain(controller.mark, element, "it is continuous and has a delay",
               "rate, the samples per second");
    const Model& own = controller.own_model ? *controller.own_model : model_;
    if (const std::string reason = why_no_model_of(own, model_); !reason.empty())
      return complain(controller.mark, element,
                      fmt::format("its model '{}' is another robot: {}", own.name(), reason),
                      "a model with the same joints in the same order");
    if (const std::string reason = controller.refusal(own); !reason.empty())
      complain(controller.mark, element, reason, "another law");
    for (const std::string& name : controller.sensors) {
      std::vector<std::string> known;
      const Sensor* found = nullptr;
      for (const Sensor& sensor : e_.sensors) {
        known.push_back(sensor.name);
        if (sensor.name == name) found = &sensor;
      }
      if (!found)
        complain(controller.mark, element, fmt::format("there is no sensor '{}'", name),
                 fmt::format("{}", fmt::join(known, ", ")), nearest_name_hint(name, known));
      else if (found->speed < 0)
        complain(controller.mark, element,
                 fmt::format("sensor '{}' is of kind {}, and measures no joint", name, found->kind),
                 "encoders and tachometers");
    }
  }

  void check_events() {
    std::vector<std::string> names;
    for (const Event& event : e_.events) names.push_back(event.name);
    for (const Event& event : e_.events) {
      const std::string element = fmt::format("event '{}'", event.name);
      if (event.channel.empty() && std::isnan(event.time) && event.after.empty())
        complain(event.mark, element, "no condition of its start is given",
                 "when, at, contact or after");
      if (event.channel.empty() && !std::isnan(event.time) && !(event.time >= 0))
        complain(event.mark, element, fmt::format("it happens at {} s", event.time), "0 or more");
      if (!(event.delay >= 0) || !std::isfinite(event.delay))
        complain(event.mark, element, fmt::format("its delay is {} s", event.delay), "0 or more");
      if (!event.after.empty()) {
        const auto count = std::count(names.begin(), names.end(), event.after);
        if (count != 1)
          complain(event.mark, element,
                   fmt::format("{} events have the name '{}'", count == 0 ? "no" : "several",
                               event.after),
                   "the name of one event", nearest_name_hint(event.after, names));
      }
      for (const EventAction& action : event.actions) check_action(event, element, action);
    }
  }

  void check_drive_action(const Event& event, const std::string& element,
                          const EventAction& action) {
    const Joint& joint = model_.joints()[static_cast<std::size_t>(action.joint)];
    if (joint.speeds == 0)
      return complain(event.mark, element, fmt::format("joint '{}' cannot move", joint.name),
                      "a joint with freedoms of its own");
    if (action.kind == EventAction::Kind::move) {
      if (static_cast<int>(action.to.size()) != joint.speeds)
        complain(event.mark, element,
                 fmt::format("{} goals for joint '{}'", action.to.size(), joint.name),
                 fmt::format("{}", joint.speeds));
      if (!(action.time > 0) || !std::isfinite(action.time))
        complain(event.mark, element, fmt::format("the motion takes {} s", action.time), "above 0");
      for (int k = 0; k < joint.speeds; ++k)
        if (model_.coordinate_of_speed()[joint.v + k] < 0)
          return complain(event.mark, element,
                          fmt::format("joint '{}' has a quaternion", joint.name),
                          "joints whose coordinates are angles and lengths");
      return;
    }
    const auto fits = [&](const auto& functions, const char* what) {
      const bool whole = std::none_of(functions.begin(), functions.end(),
                                      [](const auto& f) { return f == nullptr; });
      if (functions.empty() || (whole && static_cast<int>(functions.size()) == joint.speeds))
        return;
      complain(event.mark, element,
               fmt::format("{} functions of time for the {} of joint '{}'", functions.size(), what,
                           joint.name),
               fmt::format("{}, one per speed", joint.speeds));
    };
    fits(action.drive.motion, "motion");
    fits(action.drive.effort, "effort");
    const bool controlled =
        std::any_of(e_.controllers.begin(), e_.controllers.end(), [&](const auto& controller) {
          return controller && std::find(controller->joints.begin(), controller->joints.end(),
                                         action.joint) != controller->joints.end();
        });
    if (action.drive.kind == DriveKind::controller && !controlled)
      complain(event.mark, element, fmt::format("no controller lists joint '{}'", joint.name),
               "a controller with it among its joints");
    const bool has_motion = !action.drive.motion.empty() ||
                            !e_.drives[static_cast<std::size_t>(action.joint)].motion.empty();
    if (action.drive.kind == DriveKind::motion && !has_motion)
      complain(event.mark, element, fmt::format("joint '{}' has no motion", joint.name),
               "a motion, or the action move");
  }

  const Experiment& e_;
  const Model& model_;
  std::vector<Problem>& problems_;
};

}  // namespace

void check_action(const Experiment& experiment, const Event& event, const EventAction& action,
                  std::vector<Problem>& problems) {
  ControlChecker(experiment, problems)
      .check_action(event, fmt::format("event '{}'", event.name), action);
}

void check_control(const Experiment& experiment, std::vector<Problem>& problems) {
  ControlChecker(experiment, problems).run();
}

}  // namespace ulna
