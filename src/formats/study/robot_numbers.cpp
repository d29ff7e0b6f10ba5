#include "study/robot_numbers.hpp"

#include <algorithm>
#include <map>

#include "ulna/formats/write_robot.hpp"
#include "ulna/model/internal/reweigh.hpp"
#include "yaml/yaml_parts.hpp"

namespace ulna {
namespace {

using Setter = std::function<void(Robot&, double)>;

/// What these paths place or limit, the model has to be built for.
bool shapes_model(const std::string& path) {
  const auto holds = [&](const char* part) { return path.find(part) != std::string::npos; };
  return holds("beams.") || holds(".at.") || holds(".limits.");
}

std::vector<std::string> words_of(const std::string& path) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t dot = std::min(path.find('.', at), path.size());
    words.push_back(path.substr(at, dot - at));
    at = dot + 1;
  }
  return words;
}

int axis_of_word(const std::string& word) {
  const std::map<std::string, int> axes = {{"x", 0}, {"y", 1}, {"z", 2},
                                           {"0", 0}, {"1", 1}, {"2", 2}};
  const auto at = axes.find(word);
  return at == axes.end() ? -1 : at->second;
}

template <class Items>
int index_named(const Items& items, const std::string& name) {
  for (std::size_t k = 0; k < items.size(); ++k)
    if (items[k].name == name) return static_cast<int>(k);
  return -1;
}

/// The entry of a matrix by its place in [ixx, iyy, izz, ixy, ixz, iyz].
Setter inertia_setter(std::function<Matrix3<double>&(Robot&)> inertia, const std::string& word) {
  constexpr int rows[] = {0, 1, 2, 0, 0, 1}, columns[] = {0, 1, 2, 1, 2, 2};
  int entry = axis_of_word(word);
  if (word == "3" || word == "4" || word == "5") entry = word[0] - '0';
  if (entry < 0) return {};
  return [inertia = std::move(inertia), i = rows[entry], j = columns[entry]](
             Robot& robot, double value) { inertia(robot)(i, j) = inertia(robot)(j, i) = value; };
}

/// "at.x": where the pose of an item places it.
template <class Items, class Pose>
Setter place_setter(Items Robot::*items, Pose pose, int index,
                    const std::vector<std::string>& words) {
  const int axis = words.size() == 4 && words[2] == "at" ? axis_of_word(words[3]) : -1;
  if (index < 0 || axis < 0) return {};
  return [=, k = static_cast<std::size_t>(index)](Robot& robot, double value) {
    ((robot.*items)[k].*pose).position(axis) = value;
  };
}

/// Members of the items of a list: "mass", "centre.x" or "inertia.0" of an inertial.
template <class Items>
Setter inertial_setter(Items Robot::*items, int index, const std::vector<std::string>& words) {
  if (index < 0) return {};
  const auto k = static_cast<std::size_t>(index);
  if (words.size() == 3 && words[2] == "mass")
    return [=](Robot& robot, double value) { (robot.*items)[k].inertial.mass = value; };
  if (words.size() == 4 && words[2] == "inertia")
    return inertia_setter(
        [=](Robot& robot) -> Matrix3<double>& { return (robot.*items)[k].inertial.inertia; },
        words[3]);
  const int axis = words.size() == 4 && words[2] == "centre" ? axis_of_word(words[3]) : -1;
  if (axis < 0) return {};
  return [=](Robot& robot, double value) { (robot.*items)[k].inertial.centre(axis) = value; };
}

Setter degree_setter(const Robot& robot, const std::vector<std::string>& words) {
  static const std::map<std::string, double DegreeData::*> members = {
      {"damping", &DegreeData::damping},
      {"friction", &DegreeData::friction},
      {"spring.stiffness", &DegreeData::stiffness},
      {"spring.rest", &DegreeData::rest},
      {"spring.hardening", &DegreeData::hardening},
      {"spring.backlash", &DegreeData::backlash},
      {"limits.lower", &DegreeData::lower},
      {"limits.upper", &DegreeData::upper},
      {"limits.velocity", &DegreeData::velocity_limit},
      {"limits.effort", &DegreeData::effort_limit},
      {"rotor.inertia", &DegreeData::rotor_inertia},
      {"rotor.gear_ratio", &DegreeData::gear_ratio}};
  const int index = index_named(robot.joints, words[1]);
  const std::string rest = words.size() == 3   ? words[2]
                           : words.size() == 4 ? words[2] + "." + words[3]
                                               : "";
  const auto member = members.find(rest);
  if (index < 0 || member == members.end()) return {};
  const auto k = static_cast<std::size_t>(index);
  if (robot.joints[k].degrees.size() != 1) return {};
  return [k, at = member->second](Robot& changed, double value) {
    changed.joints[k].degrees[0].*at = value;
  };
}

/// `section.outer` and `section.inner` of a round bar, a tube or a square box.
Setter section_setter(const Robot& robot, const std::vector<std::string>& words) {
  if (words.size() != 4 || words[2] != "section") return {};
  for (std::size_t b = 0; b < robot.bodies.size(); ++b)
    for (std::size_t k = 0; k < robot.bodies[b].beams.size(); ++k) {
      const BeamData& beam = robot.bodies[b].beams[k];
      if (beam.name != words[1] && robot.bodies[b].name != words[1]) continue;
      const bool square = beam.sections.size() == 1 &&
                          beam.sections[0].height == beam.sections[0].width &&
                          beam.sections[0].inner_height == beam.sections[0].inner_width;
      if (!square || (words[3] != "outer" && words[3] != "inner")) return {};
      const bool outer = words[3] == "outer";
      return [=](Robot& changed, double value) {
        Section& s = changed.bodies[b].beams[k].sections[0];
        (outer ? s.height : s.inner_height) = value;
        (outer ? s.width : s.inner_width) = value;
      };
    }
  return {};
}

Setter setter_of(const Robot& robot, const std::string& path) {
  std::vector<std::string> words = words_of(path);
  if (words[0] == "robot") words.erase(words.begin());
  if (words.size() < 2) return {};
  const int axis = axis_of_word(words[1]);
  if (words[0] == "gravity" && words.size() == 2 && axis >= 0)
    return [axis](Robot& changed, double value) { changed.gravity(axis) = value; };
  if (words[0] == "bodies")
    return inertial_setter(&Robot::bodies, index_named(robot.bodies, words[1]), words);
  if (words[0] == "payloads") {
    const int index = index_named(robot.payloads, words[1]);
    Setter place = place_setter(&Robot::payloads, &PayloadData::X_BL, index, words);
    return place ? place : inertial_setter(&Robot::payloads, index, words);
  }
  if (words[0] == "frames")
    return place_setter(&Robot::frames, &FrameData::X_BF, index_named(robot.frames, words[1]),
                        words);
  if (words[0] == "joints") {
    Setter place =
        place_setter(&Robot::joints, &JointData::X_PF, index_named(robot.joints, words[1]), words);
    return place ? place : degree_setter(robot, words);
  }
  if (words[0] == "beams") return section_setter(robot, words);
  return {};
}

/// The experiment needs nothing of the robot but its model.
bool takes_any_model(const Experiment& e) {
  return e.controllers.empty() && e.actuators.empty() && e.sensors.empty() && e.events.empty() &&
         e.contacts.empty() && e.nonholonomic.empty() && e.joint_friction.empty() &&
         e.model->loops().empty();
}

}  // namespace

bool RobotNumbers::add_place(const Study::Parts& parts, std::size_t target) {
  const StudyTarget& t = parts.targets[target];
  const SampleParameter& p = parts.plan.parameters[static_cast<std::size_t>(t.parameter)];
  Setter set = setter_of(parts.nominal->robot(), t.path);
  if (!set || (!t.formula && !p.words.empty())) return false;
  try {
    places_.push_back(
        {target, t.unit.empty() ? 1 : constant_formula("1 " + t.unit), std::move(set)});
    shapes_ = shapes_ || shapes_model(t.path);
    return true;
  } catch (const InputError&) {
    return false;  // reading the file says what is wrong with the unit
  }
}

bool RobotNumbers::add(const Study::Parts& parts, std::size_t target) {
  if (parts.targets[target].of_run()) return true;
  if (!editor_ || !editor_->can_change(parts.targets[target].path)) return add_place(parts, target);
  of_experiment_.push_back(target);
  return true;
}

std::shared_ptr<const RobotNumbers> RobotNumbers::of(const Study::Parts& parts) {
  if (!parts.edits) return nullptr;
  auto made = std::make_shared<RobotNumbers>();
  if (parts.experiment) made->editor_.emplace(*parts.experiment, *parts.unchanged);
  for (std::size_t k = 0; k < parts.targets.size(); ++k)
    if (!made->add(parts, k)) return nullptr;
  if (!made->places_.empty() &&
      (parts.nominal->flexible() || (made->editor_ && !made->editor_->can_take_other_models())))
    return nullptr;
  if (made->of_experiment_.empty() && !made->shapes_ && parts.unchanged &&
      takes_any_model(*parts.unchanged))
    made->editor_.reset();
  return made->agrees(parts) ? made : nullptr;
}

void RobotNumbers::change(const Study::Parts& parts, const std::vector<double>& values,
                          Robot& robot) const {
  for (const Place& place : places_)
    place.set(robot, place.scale * parts.value_of(parts.targets[place.target], values));
}

Robot RobotNumbers::robot(const Study::Parts& parts, const std::vector<double>& values) const {
  Robot changed = parts.nominal->robot();
  change(parts, values, changed);
  keep_polar(parts.nominal->robot(), changed);
  return changed;
}

std::shared_ptr<const Model> RobotNumbers::model(const Study::Parts& parts,
                                                 const std::vector<double>& values) const {
  if (places_.empty()) return parts.nominal;
  if (shapes_) return std::make_shared<const Model>(robot(parts, values));
  if (auto made = reweighed(*parts.nominal, [&](Robot& r) { change(parts, values, r); }))
    return std::make_shared<const Model>(std::move(*made));
  return std::make_shared<const Model>(robot(parts, values));
}

std::optional<Experiment> RobotNumbers::experiment(const Study::Parts& parts,
                                                   const std::vector<double>& values,
                                                   std::shared_ptr<const Model> model) const {
  if (!editor_) return std::nullopt;
  std::vector<ParameterValue> edits;
  for (const std::size_t k : of_experiment_) edits.push_back(parts.edit(parts.targets[k], values));
  return editor_->with(edits, std::move(model));
}

bool RobotNumbers::agrees(const Study::Parts& parts) const {
  int seen = 0;
  const long total = parts.plan.total();
  for (const long sample : {0L, total / 2, total - 1}) {
    try {
      const std::vector<double> values = parts.plan.values(sample);
      const std::vector<ParameterValue> edits = parts.edited(values);
      std::optional<Experiment> read;
      if (parts.experiment) read = parts.experiment->with(edits).experiment;
      const Robot slow = read ? read->model->robot() : parts.robot->with(edits);
      const std::shared_ptr<const Model> quick = model(parts, values);
      if (write_robot_yaml(slow) != write_robot_yaml(quick->robot())) return false;
      const std::optional<Experiment> changed = experiment(parts, values, quick);
      const Experiment* const e = changed           ? &*changed
                                  : parts.unchanged ? &*parts.unchanged
                                                    : nullptr;
      if (read &&
          (read->q != e->q || read->v != e->v || read->end != e->end ||
           read->controllers.size() != e->controllers.size() ||
           read->actuators.size() != e->actuators.size() ||
           read->sensors.size() != e->sensors.size() || read->events.size() != e->events.size()))
        return false;
      ++seen;
    } catch (const std::exception&) {
      continue;  // a sample that cannot be
    }
  }
  return seen > 0;
}

}  // namespace ulna
