#include "ulna/kinematics/parts/drive_coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ulna/model/parts/closing_names.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

/// Names of all coordinates, those of closing joints behind those of the tree.
std::vector<std::string> coordinate_names(const Model& model) {
  std::vector<std::string> names = model.coordinate_names();
  for (const Loop& loop : model.loops())
    for (std::string& name : closing_coordinate_names(loop)) names.push_back(std::move(name));
  return names;
}

int place_of(const std::vector<std::string>& names, const std::string& name) {
  const auto at = std::ranges::find(names, name);
  return at == names.end() ? -1 : static_cast<int>(at - names.begin());
}

}  // namespace

DriveCoordinates::DriveCoordinates(const Model& model, const std::vector<std::string>& drives)
    : names_(coordinate_names(model)) {
  for (int k = 0; k < std::ssize(model.loops()); ++k)
    if (!closing_coordinate_names(model.loops()[k]).empty()) loops_.push_back(k);
  constexpr const char* turns[] = {".wx", ".wy", ".wz"};
  for (const std::string& drive : drives) {
    Place place{drive, place_of(names_, drive), -1};
    for (int k = 0; k < 3 && place.coordinate < 0; ++k)
      if (drive.ends_with(turns[k])) {
        place.coordinate = place_of(names_, drive.substr(0, drive.size() - 3) + ".qw");
        place.turn = k;
      }
    places_.push_back(place);
  }
}

Eigen::VectorXd DriveCoordinates::values(LoopClosure& closure, Workspace& work,
                                         const Eigen::VectorXd& q) const {
  closure.update(work, q);
  std::vector<double> all(q.data(), q.data() + q.size());
  for (const int k : loops_)
    for (const double x : closure.closing_coordinates(work, k)) all.push_back(x);
  Eigen::VectorXd values(std::ssize(places_));
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    const Place& place = places_[static_cast<std::size_t>(k)];
    values(k) = 0;
    if (place.coordinate < 0) continue;
    const double* at = all.data() + place.coordinate;
    values(k) = place.turn < 0 ? *at
                               : log_rotation(rotation_from_quaternion<double>(
                                     Eigen::Map<const Quaternion<double>>(at)))(place.turn);
  }
  return values;
}

NamedValues DriveCoordinates::named(const Eigen::VectorXd& values) const {
  NamedValues named;
  std::map<int, std::pair<int, Vector3<double>>> turns;  // by first coordinate: how many, and which
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const Place& place = places_[k];
    const double value = values(static_cast<Eigen::Index>(k));
    if (place.coordinate < 0)
      throw InputError(fmt::format("drive '{}' has a rate, but no coordinate", place.name),
                       "drives that are angles, lengths, or all turns of a ball (--actuated)");
    if (place.turn < 0) {
      named.push_back({place.name, value});
      continue;
    }
    auto& [count, turn] = turns[place.coordinate];
    ++count;
    turn(place.turn) = value;
  }
  for (const auto& [first, turn] : turns) {
    const std::string& name = names_[static_cast<std::size_t>(first)];
    if (turn.first < 3)
      throw InputError(fmt::format("{} of the three turns of joint '{}' are among the drives",
                                   turn.first, name.substr(0, name.size() - 3)),
                       "all three, as a rotation vector (--actuated)");
    const Quaternion<double> e = exp_quaternion(turn.second);
    for (int k = 0; k < 4; ++k)
      named.push_back({names_[static_cast<std::size_t>(first + k)], e(k)});
  }
  return named;
}

}  // namespace ulna
