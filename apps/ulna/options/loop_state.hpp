#pragma once
// The state of a robot that may have loops, from the command line. For a tree it is what was typed.
// For a mechanism the loops are closed first: --q holds all coordinates, a start that is moved as
// little as needed, or only some by name ("crank=30deg"), which are kept while the others follow;
// and the same for the speeds and accelerations. Joints that close loops are named like the others.
// The work is that of complete_state (ulna/kinematics/state.hpp).

#include <string_view>

#include "options/command_line.hpp"
#include "options/state_options.hpp"

namespace ulna::cli {

using RobotState = State;

/// What each option may hold, for the help.
inline constexpr const char* q_help =
    "Coordinates: all, some by name (NAME=Q,...), or the name of a posture (default: neutral). "
    "With loops, named coordinates are kept and the others follow";

/// --q, --elastic, --v, --a as typed.
struct StateWords {
  VectorOption q, elastic, v, a;
};
/// Those of these options whose first letters are in `parts`: "qev".
void add_state_options(CLI::App& command, StateWords& words, std::string_view parts);

RobotState closed_state(const Model& model, const VectorOption& q, const VectorOption& v = {},
                        const VectorOption& a = {});
RobotState closed_state(const Model& model, const StateWords& words);

/// The names in a list "left,right" as speeds.
std::vector<int> speeds_named_in(const Model& model, const std::string& option,
                                 const std::string& text);
/// The same, or degrees of joints that close loops: places in all_speed_names().
std::vector<int> degrees_named_in(const Model& model, const std::string& option,
                                  const std::string& text);

}  // namespace ulna::cli
