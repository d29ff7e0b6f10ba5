#pragma once
// Scratch memory of the algorithms that work in world axes with one column per degree of freedom of
// a node: mass matrix of long robots, Coriolis matrix, derivatives. Columns of equal components lie
// in rows, so that many are worked on at once in vector registers.

#include <memory>
#include <vector>

#include "ulna/model/topology.hpp"
#include "ulna/spatial/vec3.hpp"

namespace ulna {

/// A motion about the world's origin: rotation first.
template <class S>
struct Spatial {
  Vec3<S> w, v;
};
/// A composite body in world axes: inertia, wrench and B.
template <class S>
struct WorldBody {
  S mass;
  Vec3<S> h;
  Sym3<S> Sigma;
  Mat3<S> Q;
  Vec3<S> l;
  Vec3<S> n, f;
};

/// What the algorithms in world axes need per node, and per column in rows of equal components.
template <class S>
struct ColumnView {
  Spatial<S>* velocity;      ///< per node
  Spatial<S>* acceleration;  ///< per node, gravity included
  WorldBody<S>* body;        ///< per node, its own
  WorldBody<S>* composite;   ///< per node, with all it carries
  int columns, stride;       ///< stride: columns rounded up to a multiple of 8
  const int* speed;          ///< speed that a column belongs to
  const int* node;           ///< node that a column belongs to
  const int* last_carrier;   ///< the last column that carries this one, or is of its node
  const bool* many;          ///< the column's node has several degrees of freedom
  const double* carries;     ///< [stride i + j]: 1 when j's node carries i's (or is it), else 0
  S *s, *p1, *p2, *p3;       ///< [component][column], 6 x stride each
  S* row;                    ///< five rows of length stride
  S* system;                 ///< forward dynamics: M in padded rows, then a panel of 32 right sides
};

/// Memory behind a ColumnView.
template <class S>
class ColumnScratch {
 public:
  explicit ColumnScratch(const Topology& topology) {
    const int nodes = static_cast<int>(topology.nodes.size());
    for (int i = 1; i < nodes; ++i)
      for (int k = 0; k < speeds_of(topology.nodes[i].kind); ++k) {
        node_.push_back(i);
        speed_.push_back(topology.nodes[i].v + k);
      }
    const int columns = static_cast<int>(node_.size());
    stride_ = (columns + 7) / 8 * 8;
    velocity_.resize(nodes);
    acceleration_.resize(nodes);
    body_.resize(nodes);
    composite_.resize(nodes);
    carries_.assign(static_cast<std::size_t>(stride_) * columns, 0.0);
    for (int j = 0; j < columns; ++j)
      for (int k = 0; k <= j; ++k)
        carries_[static_cast<std::size_t>(stride_) * j + k] = carried(topology, node_[k], node_[j]);
    // Columns of one node carry each other.
    for (int j = 0; j < columns; ++j)
      for (int k = j + 1; k < columns && node_[k] == node_[j]; ++k)
        carries_[static_cast<std::size_t>(stride_) * j + k] = 1;
    for (int j = 0; j < columns; ++j) {
      int last = 0;
      for (int k = 0; k < columns; ++k)
        if (carries_[static_cast<std::size_t>(stride_) * j + k] != 0) last = k;
      last_.push_back(last);
    }
    many_ = std::make_unique<bool[]>(columns);
    for (int j = 0; j < columns; ++j) many_[j] = topology.nodes[node_[j]].kind != NodeKind::screw;
    const std::size_t speeds = topology.speeds;
    rows_.assign(29 * static_cast<std::size_t>(stride_) + speeds * (padded(topology.speeds) + 32),
                 S(0));
  }

  ColumnView<S> view() {
    S* rows = rows_.data();
    const int six = 6 * stride_;
    return {velocity_.data(),
            acceleration_.data(),
            body_.data(),
            composite_.data(),
            static_cast<int>(node_.size()),
            stride_,
            speed_.data(),
            node_.data(),
            last_.data(),
            many_.get(),
            carries_.data(),
            rows,
            rows + six,
            rows + 2 * six,
            rows + 3 * six,
            rows + 4 * six,
            rows + 4 * six + 5 * stride_};
  }

 private:
  static std::size_t padded(int n) { return (n + 7) / 8 * 8; }
  static double carried(const Topology& topology, int ancestor, int node) {
    while (node > ancestor) node = topology.nodes[node].parent;
    return node == ancestor ? 1 : 0;
  }

  std::vector<Spatial<S>> velocity_, acceleration_;
  std::vector<WorldBody<S>> body_, composite_;
  std::vector<int> node_, speed_, last_;
  std::unique_ptr<bool[]> many_;
  std::vector<double> carries_;
  std::vector<S> rows_;
  int stride_ = 0;
};

}  // namespace ulna
