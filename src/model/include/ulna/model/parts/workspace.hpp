#pragma once
// Scratch memory of the algorithms. Made once per thread for a model; nothing allocates after that.
// Kernels see raw pointers only (ScratchView), because they are compiled per instruction set.

#include <vector>

#include "ulna/model/kernels/columns.hpp"
#include "ulna/model/model.hpp"
#include "ulna/scalar/parts/scalar.hpp"
#include "ulna/spatial/kernels/vec3.hpp"

namespace ulna {

/// The tree as kernels see it.
template <class S>
struct TreeView {
  int size;  ///< number of nodes, the world included
  int speeds;
  const TreeNode* nodes;
  const NodeParameters<Parameter<S>>* parameters;
  const Parameter<S>* gravity;
  const Parameter<S>* armature;  ///< one per speed
};

template <class S>
TreeView<S> view(const Topology& topology, const Parameters<Parameter<S>>& parameters) {
  return {static_cast<int>(topology.nodes.size()),
          topology.speeds,
          topology.nodes.data(),
          parameters.nodes.data(),
          parameters.gravity,
          parameters.armature.data()};
}

/// Pose, velocity and acceleration of a node in world axes.
template <class S>
struct NodePose {
  Mat3<S> R;
  Vec3<S> p;
};

template <class S>
struct NodeMotion {
  Vec3<S> w, v;    ///< angular velocity, velocity of the origin
  Vec3<S> dw, dv;  ///< angular acceleration, acceleration of the origin
};

/// A moment about the node's origin and a force, in its own axes.
template <class S>
struct NodeWrench {
  Vec3<S> n, f;
};

/// How a body moves, in the node's own axes.
template <class S>
struct BodyMotion {
  Vec3<S> w, dw, a;  ///< a: acceleration of the origin, gravity included
  Mat3<S> U;         ///< skew(dw) + skew(w)^2
};

/// Newton-Euler, in the node's own axes.
template <class S>
struct NewtonEulerNode {
  BodyMotion<S> motion;  ///< kept only where the tree branches
  Vec3<S> n, f;          ///< wrench through the joint
};

/// Composite rigid body, in the node's own axes.
template <class S>
struct CompositeNode {
  S mass;
  Vec3<S> h;
  Sym3<S> I;
};

/// Articulated body: inertia [[A, B], [B', C]] in the node's own axes, rotation first.
template <class S>
struct ArticulatedNode {
  Vec3<S> w;               ///< angular velocity
  Vec3<S> bias_w, bias_v;  ///< acceleration that comes from velocities
  Sym3<S> A, C;
  Mat3<S> B;
  Vec3<S> pn, pf;  ///< articulated bias wrench
  Vec3<S> Un, Uf;  ///< A s; screws
  S D_inverse, u;
  Vec3<S> dw, dv;
};

/// What nodes with more than one degree of freedom need besides.
template <class S>
struct BlockScratch {
  S factor[36];  ///< LDL' of their own part of the articulated inertia
  S X[9];        ///< spherical: A^-1 B
  S u[6];        ///< solved efforts
};

/// A station of a flexible body: its pose in the root frame, its motion relative to it and what
/// rates alone add to its accelerations, all in root axes (docs/theory/flexible.md, eq. 6).
template <class S>
struct StationState {
  Mat3<S> R;
  Vec3<S> p;
  Vec3<S> w, v;
  Vec3<S> bias_w, bias_v;
};

/// What flexible nodes and stations need besides; k modes.
template <class S>
struct ModalScratch {
  StationState<S> station;
  Vec3<S>* hinge = nullptr;             ///< 2 k: turn and shift of a station per modal rate
  Vec3<S>*Hn = nullptr, *Hf = nullptr;  ///< k each: wrench at the root per modal acceleration
  Vec3<S>*Yn = nullptr, *Yf = nullptr;  ///< k each: D^-1 H'
  S *D = nullptr, *u = nullptr;         ///< k x k modal inertia or its factor; k efforts
  S* zero = nullptr;                    ///< k zeros
};

template <class S>
struct ScratchView {
  S *angle, *sine, *cosine;  ///< padded to a multiple of 8
  NodePose<S>* pose;
  NodeMotion<S>* motion;
  NewtonEulerNode<S>* newton_euler;
  CompositeNode<S>* composite;
  ArticulatedNode<S>* articulated;
  BlockScratch<S>* block;  ///< one per node that is not a screw, in order
  int* block_of;           ///< index into `block` by node
  ModalScratch<S>* modal;  ///< one per node where any is flexible, else null
};

template <class S>
class Scratch {
 public:
  explicit Scratch(const Topology& topology) {
    const std::size_t n = topology.nodes.size(), padded = (n + 7) / 8 * 8;
    angle_.assign(padded, S(0));
    sine_.assign(padded, S(0));
    cosine_.assign(padded, S(1));
    pose_.resize(n);
    motion_.resize(n);
    newton_euler_.resize(n);
    composite_.resize(n);
    articulated_.resize(n);
    int blocks = 0;
    for (const TreeNode& node : topology.nodes)
      block_of_.push_back(node.kind == NodeKind::screw ? -1 : blocks++);
    block_.resize(blocks);
    if (!topology.modal.empty()) make_modal(topology);
  }

  ScratchView<S> view() {
    return {angle_.data(),  sine_.data(),         cosine_.data(),    pose_.data(),
            motion_.data(), newton_euler_.data(), composite_.data(), articulated_.data(),
            block_.data(),  block_of_.data(),     modal_.data()};
  }

 private:
  void make_modal(const Topology& topology) {
    modal_.resize(topology.nodes.size());
    std::size_t vectors = 0, numbers = 0;
    for (const TreeNode& node : topology.nodes) {
      const std::size_t k = node.modal ? node.modal->modes : 0;
      vectors += 6 * k;
      numbers += k * k + 2 * k;
    }
    vectors_.assign(vectors, Vec3<S>::zero());
    numbers_.assign(numbers, S(0));
    Vec3<S>* vector = vectors_.data();
    S* number = numbers_.data();
    for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
      const int k = topology.nodes[i].modal ? topology.nodes[i].modal->modes : 0;
      ModalScratch<S>& m = modal_[i];
      m.hinge = vector;
      m.Hn = vector + 2 * k, m.Hf = vector + 3 * k, m.Yn = vector + 4 * k, m.Yf = vector + 5 * k;
      m.D = number, m.u = number + k * k, m.zero = m.u + k;
      vector += 6 * k;
      number += k * k + 2 * k;
    }
  }

  std::vector<S> angle_, sine_, cosine_;
  std::vector<NodePose<S>> pose_;
  std::vector<NodeMotion<S>> motion_;
  std::vector<NewtonEulerNode<S>> newton_euler_;
  std::vector<CompositeNode<S>> composite_;
  std::vector<ArticulatedNode<S>> articulated_;
  std::vector<BlockScratch<S>> block_;
  std::vector<int> block_of_;
  std::vector<ModalScratch<S>> modal_;
  std::vector<Vec3<S>> vectors_;
  std::vector<S> numbers_;
};

/// Memory for everything one thread asks of one model, and where the results are left.
class ULNA_API Workspace {
 public:
  explicit Workspace(const Model& model);
  Workspace(Workspace&&) = default;
  Workspace& operator=(Workspace&&) = default;

  const ScratchView<double>& view() const { return view_; }
  const ColumnView<double>& columns() const { return column_view_; }

  int nodes() const { return static_cast<int>(external.size()); }
  const Eigen::VectorXd& zero() const { return zero_; }  ///< as many zeros as there are speeds

  Eigen::VectorXd tau, acceleration, passive;  ///< speeds
  Eigen::MatrixXd mass_matrix;                 ///< speeds x speeds
  Eigen::Matrix<double, 6, Eigen::Dynamic> jacobian, jacobian2;
  Eigen::Matrix<double, 6, Eigen::Dynamic> momentum_matrix;
  std::vector<NodeWrench<double>> external;  ///< one per node
  Eigen::VectorXd factor_scratch;            ///< speeds

 private:
  Eigen::VectorXd zero_;
  Scratch<double> scratch_;
  ScratchView<double> view_;
  ColumnScratch<double> columns_;
  ColumnView<double> column_view_;
};

}  // namespace ulna
