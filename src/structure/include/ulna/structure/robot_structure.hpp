#pragma once
// A robot at a posture as an elastic structure: the beams of its bodies cut into elements, bodies
// without beams rigid, and its joints locked, free or elastic. A free joint is an exact release:
// its freedom is a freedom of the structure. Loops, rods, couplings and mimic joints tie freedoms
// together (docs/theory/structure.md, eqs. 18-20).
//
// Points of a body (joints, payloads, frames, attached bodies) that lie on the axis of a beam
// become nodes of it; others hang rigidly on the nearest node. Beams of a body are clamped to each
// other where an end of one lies on the other.

#include <map>
#include <string>
#include <vector>

#include "ulna/elastic/beam_structure.hpp"
#include "ulna/model/model.hpp"

namespace ulna {

enum class JointHold { locked, free };

/// How one joint is held. A free joint with stiffness is an elastic one.
struct JointSupport {
  JointHold hold = JointHold::free;
  double stiffness = 0, damping = 0;  ///< of each degree of freedom, beside the joint's own spring
};

struct StructureOptions {
  elastic::ElementOptions element;
  JointHold joints = JointHold::free;           ///< of those not named below
  std::map<std::string, JointSupport> support;  ///< by name of the joint, also of closing ones
  /// Which of u, v, w, rx, ry, rz (bits 0 to 5, world axes) the nodes have: 0b100011 is a frame in
  /// the x-y plane, 0b100010 one of members along x that only bend.
  unsigned freedoms = 0b111111;
};

class ULNA_API RobotStructure {
 public:
  /// Throws InputError: unknown joints, joints that leave the freedoms of the nodes, beams of a
  /// body that do not touch each other, beams without EA, EI or GJ. Loops must be closed at q.
  RobotStructure(const Model& model, const VectorRef& q, const StructureOptions& options = {});

  const Model& model() const { return *model_; }
  const elastic::BeamStructure& beams() const { return frame_; }
  const elastic::BeamStructure& frame() const { return frame_; }  ///< the earlier name of beams()
  const StructureOptions& options() const { return options_; }
  elastic::SystemMatrices system() const { return frame_.assemble(options_.element); }

  /// Pose of a body, and the node that carries a frame of the model.
  const Pose<double>& body_pose(int body) const { return X_WB_[body]; }
  int node_of(int frame) const { return frame_nodes_[frame]; }
  /// The freedom that is a speed of the robot; -1 when its joint is locked.
  int freedom_of(int speed) const { return freedom_of_speed_[speed]; }
  /// Stiffness on a freedom that is a joint's.
  double joint_stiffness(int freedom) const {
    double k = 0;
    for (const elastic::FreedomTerm& term : frame_.terms())
      if (term.freedom == freedom) k += term.stiffness;
    return k;
  }
  /// Body whose turning axes the motion of a node is seen in (its own; of a node at a joint, the
  /// body before it).
  int owner_of(int node) const { return node_owner_[node]; }
  /// The spring of the structure that is a closing joint's, by its place in Model::loops(); -1 when
  /// it has none.
  int spring_of(int loop) const { return loop_springs_[loop]; }
  /// The node at point `point` of element `element` of the model.
  int element_node(std::size_t element, std::size_t point) const {
    return element_nodes_[element][point];
  }
  /// What the spring of a closing joint exerts on `node`, and with the other sign on `other` (-1:
  /// the world), at the posture.
  struct ClosingLoad {
    int node, other;
    Vector6<double> force;
  };
  const std::vector<ClosingLoad>& closing_loads() const { return closing_loads_; }

 private:
  friend class StructureMaker;
  const Model* model_;
  StructureOptions options_;
  elastic::BeamStructure frame_;
  std::vector<Pose<double>> X_WB_;
  std::vector<int> frame_nodes_, freedom_of_speed_, node_owner_, loop_springs_;
  std::vector<std::vector<int>> element_nodes_;
  std::vector<ClosingLoad> closing_loads_;
};

}  // namespace ulna
