#pragma once
// The state of a robot from the command line: q, v, a and tau, with names and units by joint type.
// Each is absent, all values in their order, or some by name. Unusual values (outside limits,
// quaternions that are not unit) are warned about, not refused.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "options/vector_text.hpp"
#include "ulna/kinematics/state.hpp"

namespace ulna::cli {

/// A vector as typed, if it was.
using VectorOption = std::optional<std::string>;

std::vector<Entry> coordinate_entries(const Model& model);
std::vector<Entry> speed_entries(const Model& model);
/// Those of the joints that close loops, in their order.
std::vector<Entry> closing_coordinate_entries(const Model& model);
std::vector<Entry> closing_speed_entries(const Model& model);

/// What was typed, as a part of a request for a state. Joints that close loops may be named.
StatePart coordinates_part(const Model& model, const VectorOption& text,
                           const std::string& option = "--q");
StatePart rates_part(const Model& model, const VectorOption& text, const std::string& option,
                     const std::string& rate);

/// `q` followed by the modal coordinates of --elastic. InputError for a rigid robot.
VectorOption with_elastic(const Model& model, const VectorOption& q, const VectorOption& elastic);
inline constexpr const char* elastic_help =
    "Modal coordinates of the flexible bodies (default: zero)";

/// Warns of coordinates, and of speeds, outside their limits.
void warn_limits(const Model& model, const Eigen::VectorXd& q);
void warn_limits(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v);
/// A posture to start from: neutral where nothing is typed; quaternions made unit. Named
/// coordinates are completed, all of them are taken as they are.
Eigen::VectorXd coordinates_from(const Model& model, const VectorOption& text,
                                 const std::string& option = "--q");
/// Zero where nothing is typed. Where joints that close loops are named, their efforts follow those
/// of the speeds: what they do to these depends on the posture.
Eigen::VectorXd efforts_from(const Model& model, const VectorOption& text);
/// At a posture, where efforts along closing joints have a meaning, too.
Eigen::VectorXd efforts_at(const Model& model, const Eigen::VectorXd& q, const VectorOption& text);

/// Names of speeds, and of degrees of joints that close loops (places in all_speed_names()).
std::vector<std::string> names_of(const Model& model, const std::vector<int>& speeds);

/// Units of the efforts by speed: "N m" or "N".
std::vector<std::string> effort_units(const Model& model);
std::vector<std::string> effort_units(const std::vector<Entry>& speeds);
/// Units of coordinates or speeds, as a column of a table.
std::vector<std::string> units_of(const std::vector<Entry>& entries, const std::string& rate = {});

}  // namespace ulna::cli
