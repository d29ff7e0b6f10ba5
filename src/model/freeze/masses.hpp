#pragma once
// What moves with each node of the tree and what acts along its speeds: masses, and the damping,
// friction, springs and rotors of joints. The last step of freezing, and all of reweighing.

#include <vector>

#include "freeze/freezer.hpp"
#include "ulna/spatial/inertia.hpp"

namespace ulna {

/// `own` as it is carried by a node, added to what the node has.
void carry(const CarriedFrame& at, const Inertial& own, std::vector<Inertia<double>>& inertia);
/// Rigid bodies and the payloads on them.
void add_rigid(const Model& model, std::vector<Inertia<double>>& inertia);
/// Into the nodes; returns the whole mass.
double store(const std::vector<Inertia<double>>& inertia,
             std::vector<NodeParameters<double>>& nodes);

/// The coordinate that a joint moves with: q_own = multiplier q + offset.
struct JointDrive {
  int q, v;
  double multiplier = 1, offset = 0;
};
void add_degree_terms(const JointData& data, const JointDrive& drive,
                      std::vector<DegreeTerms>& list);
/// The inertia of rotors along each speed.
std::vector<double> armature_of(const Model& model);

}  // namespace ulna
