// Inputs of an experiment: functions of its drives that are set from outside.

#include <fmt/format.h>

#include <algorithm>

#include "ulna/simulation/internal/reference.hpp"
#include "ulna/simulation/stepping.hpp"

namespace ulna {
namespace {

enum class InputKind { effort, reference, rate, acceleration };
constexpr const char* prefixes[] = {"tau.", "reference.", "reference_rate.",
                                    "reference_acceleration."};

struct Candidate {
  std::string name, unit;
  InputKind quantity;
  int joint, part;  ///< index into joints, and of the speed within the joint
  bool open;        ///< the experiment says nothing about it
};

bool is_led(const Drive& drive) {
  return drive.kind == DriveKind::motion || drive.kind == DriveKind::locked;
}

std::vector<Candidate> candidates(const Experiment& e) {
  std::vector<Candidate> list;
  const Model& model = *e.model;
  const std::vector<std::string> units = speed_units(model);
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    const Drive drive = j < e.drives.size() ? e.drives[j] : Drive();
    if (joint.speeds == 0 || is_led(drive)) continue;
    const bool controlled = drive.kind == DriveKind::controller;
    bool plain = true;  // the reference is a number for each speed
    for (int k = 0; k < joint.speeds; ++k) plain &= model.coordinate_of_speed()[joint.v + k] >= 0;
    for (int k = 0; k < joint.speeds; ++k) {
      const int v = joint.v + k;
      const std::string& speed = model.speed_names()[v];
      list.push_back({prefixes[0] + speed, effort_unit(model, v), InputKind::effort,
                      static_cast<int>(j), k, drive.kind == DriveKind::free});
      if (!controlled || !plain) continue;
      const std::string& q = model.coordinate_names()[model.coordinate_of_speed()[v]];
      constexpr const char* per[] = {"", "", "/s", "/s^2"};
      for (int part = 1; part <= 3; ++part)
        list.push_back({prefixes[part] + q, units[v] + per[part], static_cast<InputKind>(part),
                        static_cast<int>(j), k, drive.motion.empty()});
    }
  }
  return list;
}

/// The functions of a joint, all of them inputs; one that nobody asks for keeps its start.
std::vector<ScalarMotionPtr> signals(int count, const std::vector<MotionValue>& start,
                                     std::vector<std::shared_ptr<InputSignal>>& made) {
  std::vector<ScalarMotionPtr> out;
  for (int k = 0; k < count; ++k) {
    made.push_back(std::make_shared<InputSignal>(start[static_cast<std::size_t>(k)]));
    out.push_back(made.back());
  }
  return out;
}

/// The inputs of one joint.
class JointInputs {
 public:
  JointInputs(Experiment& e, int joint)
      : model_(*e.model), joint_(model_.joints()[joint]), drive_(e.drives[joint]) {}

  std::shared_ptr<InputSignal> effort(int k) {
    if (drive_.kind == DriveKind::free) drive_.kind = DriveKind::effort;
    if (drive_.effort.empty())
      drive_.effort.assign(static_cast<std::size_t>(joint_.speeds),
                           std::make_shared<ConstantMotion>(0.0));
    const double start = drive_.effort[k] ? drive_.effort[k]->at(0).value : 0;
    auto signal = std::make_shared<InputSignal>(MotionValue{start, 0, 0, 0});
    drive_.effort[k] = signal;
    if (static_cast<std::size_t>(k) < drive_.effort_formulas.size())
      drive_.effort_formulas[k] = nullptr;
    return signal;
  }

  std::shared_ptr<InputSignal> reference(int k, const Reference& at_start) {
    if (made_.empty()) {
      std::vector<MotionValue> start;
      for (int i = 0; i < joint_.speeds; ++i) {
        const int v = joint_.v + i;
        start.push_back(
            {at_start.q(model_.coordinate_of_speed()[v]), at_start.v(v), at_start.a(v)});
      }
      drive_.motion = signals(joint_.speeds, start, made_);
    }
    return made_[static_cast<std::size_t>(k)];
  }

 private:
  const Model& model_;
  const Joint& joint_;
  Drive& drive_;
  std::vector<std::shared_ptr<InputSignal>> made_;
};

double& part_of(MotionValue& x, ExperimentInput::Part part) {
  if (part == ExperimentInput::Part::value) return x.value;
  return part == ExperimentInput::Part::rate ? x.rate : x.acceleration;
}

}  // namespace

void ExperimentInput::set(double x) const { part_of(signal->now, part) = x; }

std::vector<std::string> input_names(const Experiment& e) {
  std::vector<std::string> names;
  for (Candidate& c : candidates(e)) names.push_back(std::move(c.name));
  return names;
}

std::vector<std::string> open_inputs(const Experiment& e) {
  std::vector<std::string> names;
  for (Candidate& c : candidates(e))
    if (c.open) names.push_back(std::move(c.name));
  return names;
}

ExperimentWithInputs with_inputs(const Experiment& e, const std::vector<std::string>& names) {
  ExperimentWithInputs out{e, {}};
  out.experiment.drives.resize(e.model->joints().size());
  const std::vector<Candidate> known = candidates(e);
  Reference at_start(e);
  at_start.update(0);
  std::vector<std::unique_ptr<JointInputs>> joints(e.model->joints().size());
  for (const std::string& name : names) {
    const auto c = std::find_if(known.begin(), known.end(),
                                [&](const Candidate& x) { return x.name == name; });
    if (c == known.end())
      throw InputError(
          Problem{{},
                  "inputs",
                  fmt::format("'{}' cannot be an input of this experiment", name),
                  "tau.JOINT of a joint that is free or has an effort, reference.JOINT "
                  "of one under a controller",
                  nearest_name_hint(name, input_names(e))});
    for (const ExperimentInput& earlier : out.inputs)
      if (earlier.name == name)
        throw InputError(
            Problem{{}, "inputs", fmt::format("'{}' is named twice", name), "each once", {}});
    auto& joint = joints[static_cast<std::size_t>(c->joint)];
    if (!joint) joint = std::make_unique<JointInputs>(out.experiment, c->joint);
    ExperimentInput input{c->name, c->unit, 0, ExperimentInput::Part::value, nullptr};
    input.signal = c->quantity == InputKind::effort ? joint->effort(c->part)
                                                    : joint->reference(c->part, at_start);
    if (c->quantity == InputKind::rate) input.part = ExperimentInput::Part::rate;
    if (c->quantity == InputKind::acceleration) input.part = ExperimentInput::Part::acceleration;
    input.start = part_of(input.signal->now, input.part);
    out.inputs.push_back(std::move(input));
  }
  return out;
}

}  // namespace ulna
