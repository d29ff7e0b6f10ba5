#pragma once
// What controllers ask of their model, whatever kind of robot it is.

#include "ulna/simulation/controller.hpp"

namespace ulna {

/// Calls visit(i, k) for the i-th speed k of these joints.
template <class Visit>
void for_each_speed(const Model& model, const std::vector<int>& joints, const Visit& visit) {
  int i = 0;
  for (const int j : joints) {
    const Joint& joint = model.joints()[static_cast<std::size_t>(j)];
    for (int k = joint.v; k < joint.v + joint.speeds; ++k) visit(i++, k);
  }
}

/// Efforts of the controlled joints that hold the robot against gravity at s.q. With loops all
/// other joints are passive, and the result is in `room`, otherwise in the workspace.
const Eigen::VectorXd& holding_efforts(const ControlState& s, const std::vector<int>& joints,
                                       Eigen::VectorXd& room);
/// Efforts of the controlled joints for these accelerations of theirs at (s.q, s.v), or at the
/// reference.
const Eigen::VectorXd& driving_efforts(const ControlState& s, const std::vector<int>& joints,
                                       const Eigen::VectorXd& a, bool at_reference,
                                       Eigen::VectorXd& room);
/// The reference as the robot can follow it: with loops the controlled joints have theirs, and all
/// others follow.
struct ClosedReference {
  Eigen::VectorXd q, v, a;
};
ClosedReference closed_reference(const ControlState& s, const std::vector<int>& joints);
/// Efforts of the controlled joints that do the work of generalised forces along all speeds: those
/// forces themselves without loops.
Eigen::VectorXd carried_by(const ControlState& s, const std::vector<int>& joints,
                           const Eigen::VectorXd& forces);

/// Why a law for trees of rigid bodies does not apply; empty: it does. `rigid`: flexible bodies are
/// refused, too.
std::string why_no_tree(const Model& model, const char* law, bool rigid);

/// tau += wanted efforts of the controlled joints within their bounds (empty: none).
void add_within(const ControlState& s, const std::vector<int>& joints,
                const Eigen::VectorXd& wanted, const Eigen::VectorXd& limit, Eigen::VectorXd& tau);

}  // namespace ulna
