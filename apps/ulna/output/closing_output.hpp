#pragma once
// The joints that close loops, as tables and JSON. They have no coordinate in the tree and hence no
// entry in q, v, a and tau.

#include <optional>
#include <string_view>

#include "output/json_output.hpp"
#include "ulna/kinematics/state.hpp"

namespace ulna::cli {

/// What is shown beside the coordinates.
struct ClosingColumns {
  bool rates = false, accelerations = false;
  const Eigen::VectorXd* efforts = nullptr;  ///< by closing_degrees()
};

/// What the loops made of a state: those of its vectors that `parts` names ("qv"), and if asked for
/// the joints that close loops. Nothing for a tree, whose state is the one that was typed.
void add_closed_state(Json& out, const Model& model, const State& state, std::string_view parts,
                      const std::optional<ClosingColumns>& columns = {});
/// Nothing for a robot without such joints.
void print_closing(const Model& model, const State& state, const ClosingColumns& columns);

}  // namespace ulna::cli
