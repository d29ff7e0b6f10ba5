#pragma once
// A state (q, v, a) from what a person gives of it: nothing, a full vector, or some values by name.
// Joints that close loops are named like the others, although they have no coordinate in the tree.
//
//   ulna::State state = ulna::complete_state(model, {.q = ulna::NamedValues{{"joint4", 0.5}},
//                                                    .v = ulna::NamedValues{{"joint4", 2.0}}});
//
// For a tree what is not given is neutral or zero. With loops the others follow: the posture is
// assembled with the named coordinates kept (assembly.hpp), the speeds solve A v = 0 with the named
// rates, the accelerations A a = b. The rate of a closing joint is a row K v, its acceleration a
// row K a + Kdot v. Full vectors are moved the least way to where they fit.
// docs/theory/closed-loops.md, eq. 10-14.

#include <string>
#include <variant>
#include <vector>

#include "ulna/kinematics/assembly.hpp"
#include "ulna/model/parts/closing_names.hpp"

namespace ulna {

/// "elbow", "groove.slide": a coordinate or speed of a tree or closing joint, or a mode.
struct NamedValue {
  std::string name;
  double value = 0;
};
using NamedValues = std::vector<NamedValue>;

/// Nothing, all values, or some by name.
using StatePart = std::variant<std::monostate, Eigen::VectorXd, NamedValues>;

struct StateRequest {
  StatePart q = {}, v = {}, a = {};
  /// Coordinates that are not given start here, and with loops move from here; empty: neutral.
  Eigen::VectorXd near = {};
};

struct State {
  Eigen::VectorXd q, v, a;
  std::vector<ClosingJointState> closing;  ///< as Model::loops(); empty vectors for rods, couplings
  /// What the loops did to full vectors: by how much the given q left them open (m, rad), and how
  /// far each vector was moved.
  double gap = 0, moved_q = 0, moved_v = 0, moved_a = 0;
  std::vector<std::string> notes = {};  ///< of the assembly: counted turns, a gap that stays
};

/// InputError for names, sizes and numbers of values that do not fit; ComputationError where the
/// loops cannot be closed so, or the named speeds do not determine the others.
ULNA_API State complete_state(const Model& model, const StateRequest& request);
/// The same with memory of the caller; `closure` is left at the state.
ULNA_API State complete_state(LoopClosure& closure, Workspace& work, const StateRequest& request);

/// Start, held coordinates and closing values of an assembly from the q of a request.
ULNA_API AssemblyOptions assembly_options(const Model& model, const StatePart& q,
                                          const Eigen::VectorXd& near = {});

/// A degree of freedom of a joint that closes a loop.
struct ClosingDegree {
  int loop, degree;  ///< into Model::loops(); among the joint's own speeds
};
/// All of them, in the order of the loops: those that follow the speeds in all_speed_names().
ULNA_API std::vector<ClosingDegree> closing_degrees(const Model& model);
/// Places in all_speed_names(); InputError naming the nearest known one.
ULNA_API std::vector<int> degrees_by_name(const Model& model,
                                          const std::vector<std::string>& names);

/// Efforts given for a posture q, as efforts along the speeds of the tree: what acts along a
/// closing joint is K' tau.
ULNA_API Eigen::VectorXd complete_efforts(const Model& model, const VectorRef& q,
                                          const StatePart& tau);

}  // namespace ulna
