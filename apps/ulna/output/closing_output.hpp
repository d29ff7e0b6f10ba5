#pragma once
// The joints that close loops, as tables and JSON. They have no coordinate in the tree and hence no
// entry in q, v, a and tau.

#include "output/json_output.hpp"
#include "ulna/kinematics/state.hpp"

namespace ulna::cli {

/// What is shown beside the coordinates.
struct ClosingColumns {
  bool rates = false, accelerations = false;
  const Eigen::VectorXd* efforts = nullptr;  ///< by closing_degrees()
};

/// {"joint4": {"q": [], "v": [], "a": [], "tau": []}, ...}.
Json closing_to_json(const Model& model, const State& state, const ClosingColumns& columns);
/// Nothing for a robot without such joints.
void print_closing(const Model& model, const State& state, const ClosingColumns& columns);

}  // namespace ulna::cli
