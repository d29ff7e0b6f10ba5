#include "ulna/kinematics/posture.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ulna {
namespace {

const PostureData* find_posture(const Model& model, const std::string& name) {
  for (const PostureData& posture : model.robot().postures)
    if (posture.name == name) return &posture;
  return nullptr;
}

/// The first coordinate of a joint of the tree; -1 for one that closes a loop.
int place_in_tree(const Model& model, const std::string& joint) {
  for (const Joint& known : model.joints())
    if (known.name == joint) return known.q;
  return -1;
}

void name_values(const std::vector<std::string>& names, const std::vector<double>& values,
                 NamedValues& named) {
  for (std::size_t k = 0; k < std::min(names.size(), values.size()); ++k)
    named.push_back({names[k], values[k]});
}

}  // namespace

bool has_posture(const Model& model, const std::string& name) {
  return find_posture(model, name) != nullptr;
}

StatePart posture_part(const Model& model, const std::string& name) {
  const PostureData* data = find_posture(model, name);
  if (!data) {
    std::vector<std::string> known;
    for (const PostureData& posture : model.robot().postures) known.push_back(posture.name);
    throw InputError(fmt::format("robot '{}' has no posture '{}'", model.name(), name),
                     known.empty() ? "a robot with `postures`"
                                   : fmt::format("one of {}", fmt::join(known, ", ")),
                     nearest_name_hint(name, known));
  }
  Eigen::VectorXd q = model.neutral();
  std::vector<char> given(static_cast<std::size_t>(model.joint_coordinates()), 0);
  bool only_tree = true;
  NamedValues named;
  for (const PostureData::Place& place : data->places) {
    const int first = place_in_tree(model, place.joint);
    if (first < 0) {
      only_tree = false;
      for (const Loop& loop : model.loops())
        if (loop.joint == place.joint)
          name_values(closing_coordinate_names(loop), place.values, named);
      continue;
    }
    for (std::size_t k = 0; k < place.values.size(); ++k) {
      const int at = first + static_cast<int>(k);
      q(at) = place.values[k];
      given[static_cast<std::size_t>(at)] = 1;
      named.push_back({model.coordinate_names()[static_cast<std::size_t>(at)], place.values[k]});
    }
  }
  const bool whole =
      only_tree && std::all_of(given.begin(), given.end(), [](char one) { return one != 0; });
  if (whole) return model.normalized(q);
  return named;
}

Eigen::VectorXd posture(const Model& model, const std::string& name) {
  return complete_state(model, {.q = posture_part(model, name)}).q;
}

}  // namespace ulna
