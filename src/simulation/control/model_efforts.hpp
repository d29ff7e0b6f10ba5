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

/// Their speeds, ascending.
std::vector<int> speeds_of(const Model& model, const std::vector<int>& joints);

/// Efforts of the controlled joints that hold the robot against gravity at s.q. With loops the
/// result is in `room`, otherwise in the workspace.
const Eigen::VectorXd& holding_efforts(const ControlState& s, const std::vector<int>& joints,
                                       Eigen::VectorXd& room);
/// Efforts of the controlled joints for these accelerations of theirs at (s.q, s.v), where passive
/// joints and modes move as they must, or at the reference.
const Eigen::VectorXd& driving_efforts(const ControlState& s, const std::vector<int>& joints,
                                       const Eigen::VectorXd& a, bool at_reference,
                                       Eigen::VectorXd& room);
/// What the controlled joints can do at (s.q, s.v), docs/theory/control.md, eq. 19: for their
/// accelerations a_d all are drift + G a_d, and their efforts load + mass a_d. Passive joints and
/// modes move as they must, others that are led as their references say.
struct DrivenMotion {
  std::vector<int> speeds;  ///< of the controlled joints, ascending
  Eigen::MatrixXd G, mass;
  Eigen::VectorXd drift, load;
};
DrivenMotion driven_motion(const ControlState& s, const std::vector<int>& joints);
/// The reference as the robot can follow it: with loops the joints that are led have theirs, and
/// all others follow.
struct ClosedReference {
  Eigen::VectorXd q, v, a;
};
ClosedReference closed_reference(const ControlState& s, const std::vector<int>& joints);
/// Efforts of the controlled joints that do the work of generalised forces along all speeds: those
/// forces themselves without loops.
Eigen::VectorXd carried_by(const ControlState& s, const std::vector<int>& joints,
                           const Eigen::VectorXd& forces);

/// tau += wanted efforts of the controlled joints within their bounds (empty: none).
void add_within(const ControlState& s, const std::vector<int>& joints,
                const Eigen::VectorXd& wanted, const Eigen::VectorXd& limit, Eigen::VectorXd& tau);

}  // namespace ulna
