#pragma once
// The state of a robot that may have loops. For a tree it is what was typed. For a mechanism the
// loops are closed first: --q holds all coordinates, a start that is moved as little as needed, or
// only some by name ("crank=30deg"), which are kept while the others follow; and the same for the
// speeds and accelerations.

#include "options/state_options.hpp"
#include "ulna/kinematics/assembly.hpp"

namespace ulna::cli {

struct RobotState {
  Eigen::VectorXd q, v, a;
};

/// What each option may hold, for the help.
inline constexpr const char* q_help =
    "Coordinates, all or some by name (NAME=Q,...) if loops give the rest; neutral when absent";

RobotState closed_state(const Model& model, const VectorOption& q, const VectorOption& v = {},
                        const VectorOption& a = {});

/// Start and held coordinates of an assembly, from --q.
AssemblyOptions assembly_options(const Model& model, const VectorOption& q);

/// The names in a list "left,right" as speeds.
std::vector<int> speeds_named_in(const Model& model, const std::string& option,
                                 const std::string& text);

}  // namespace ulna::cli
