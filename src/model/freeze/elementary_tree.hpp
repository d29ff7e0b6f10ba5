#pragma once
// The tree of elementary nodes as it grows, and which of them carries a frame of a body. For a
// rigid body that is its own node. For a flexible one it is the section beside the frame: a
// station, made where there is none yet. A flexible body is clamped at the end that its joint
// holds, and no joint slides along it: loads that move along a beam are not modelled.

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "freeze/freezer.hpp"
#include "ulna/model/kernels/exact_beam.hpp"

namespace ulna {

class ElementaryTree {
 public:
  explicit ElementaryTree(const Robot& robot);

  const std::vector<Elementary>& nodes() const { return nodes_; }
  int size() const { return static_cast<int>(nodes_.size()); }
  int node_of(int body) const { return node_of_body_[body]; }
  const Pose<double>& X_EB(int body) const { return X_EB_[body]; }
  /// Flexible bodies reached so far, with their stations.
  const std::map<int, std::shared_ptr<ModalBody>>& flexible() const { return modal_of_body_; }
  /// Mass of geometrically exact beams, in the frame E of the node that carries it.
  struct Slice {
    int node;
    Inertial inertial;
  };
  const std::vector<Slice>& slices() const { return slices_; }

  /// Its index.
  int add(const Elementary& node);
  void place(int body, int node, const Pose<double>& X_EB);
  /// The tree has come to a flexible body: X_EM is the pose of the joint's frame M in `node`, X_MB
  /// that of the body in M. The node of its modes starts at the coordinate q and the speed v.
  std::shared_ptr<ModalBody> place_flexible(int body, const JointData& joint, int node,
                                            const Pose<double>& X_EM, const Pose<double>& X_MB,
                                            int q, int v);
  /// The node that a joint may go on from at this frame of a body.
  CarriedFrame start_of(const JointData& joint, int body, const Pose<double>& X_BF);
  CarriedFrame carried(int body, const Pose<double>& X_BF);
  /// The same in normal-form axes.
  CarriedFrame carried(const NormalForm& form, int body, const Pose<double>& X_BF);

 private:
  /// The elements of a geometrically exact beam, each on the last section of the one before it.
  void place_elements(ModalBody& whole, Elementary root);
  /// The node of a section: at x along the body, or along the element that starts at `start`.
  int section_node(ModalBody& modal, double x);
  int station_at(ModalBody& modal, double x, double start = 0);

  const BodyData& data(int body) const { return robot_.bodies[body - 1]; }

  const Robot& robot_;
  std::vector<Elementary> nodes_;
  std::vector<int> node_of_body_;
  std::vector<Pose<double>> X_EB_;
  std::map<int, std::shared_ptr<ModalBody>> modal_of_body_;
  std::map<std::pair<const ModalBody*, int>, int> station_nodes_;  ///< by station
  std::map<const ModalBody*, int> root_of_;
  std::vector<Slice> slices_;
};

}  // namespace ulna
