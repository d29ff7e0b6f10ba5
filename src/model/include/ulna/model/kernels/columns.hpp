#pragma once
// Scratch memory of the algorithms that work in world axes with one column per degree of freedom of
// a node: mass matrix of long robots, Coriolis matrix, derivatives. Columns of equal components lie
// in rows, so that many are worked on at once in vector registers.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "ulna/model/kernels/topology.hpp"
#include "ulna/spatial/kernels/vec3.hpp"

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
  Spatial<S>* velocity;         ///< per node
  Spatial<S>* acceleration;     ///< per node, gravity included
  WorldBody<S>* body;           ///< per node, its own
  WorldBody<S>* composite;      ///< per node, with all it carries
  int columns, stride;          ///< stride: columns rounded up to a multiple of 8
  const int* speed;             ///< speed that a column belongs to
  const int* node;              ///< node that a column belongs to
  const int* last_carrier;      ///< the last column that carries this one, or is of its node
  const bool* many;             ///< the column's node has several degrees of freedom
  const std::uint8_t* carries;  ///< [stride i + j]: 1 when j's node carries i's (or is it), else 0
  const int* parent;            ///< the column before it: of its own node or its parent's, else -1
  const int* run;               ///< first column of the unbroken row of parents that ends here
  const int* last_carried;      ///< the last column that this one carries, or itself
  const int* fork;              ///< number of a column that carries others than the next, else -1
  int forks;                    ///< how many of those there are
  long pairs;                   ///< columns and others that carry them
  bool shared;                  ///< several columns belong to one speed (mimic joints)
  S *s, *p1, *p2, *p3;          ///< [component][column], 6 x stride each
  S* row;                       ///< five rows of length stride
};

/// Memory behind a ColumnView.
template <class S>
class ColumnScratch {
 public:
  explicit ColumnScratch(const Topology& topology) {
    const int nodes = static_cast<int>(topology.nodes.size());
    for (int i = 1; i < nodes; ++i)
      for (int k = 0; k < speeds_of(topology.nodes[i]); ++k) {
        node_.push_back(i);
        speed_.push_back(topology.nodes[i].v + k);
      }
    const int columns = static_cast<int>(node_.size());
    stride_ = (columns + 7) / 8 * 8;
    velocity_.resize(nodes);
    acceleration_.resize(nodes);
    body_.resize(nodes);
    composite_.resize(nodes);
    find_carriers(topology);
    many_ = std::make_unique<bool[]>(columns);
    for (int j = 0; j < columns; ++j) many_[j] = topology.nodes[node_[j]].kind != NodeKind::screw;
    rows_.assign(29 * static_cast<std::size_t>(stride_), S(0));
    find_runs(topology);
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
            parent_.data(),
            run_.data(),
            last_carried_.data(),
            fork_.data(),
            forks_,
            pairs_,
            shared_,
            rows,
            rows + six,
            rows + 2 * six,
            rows + 3 * six,
            rows + 4 * six};
  }

 private:
  /// Row j: what carries j's parent, and j's own node.
  void find_carriers(const Topology& topology) {
    const int columns = static_cast<int>(node_.size());
    carries_.assign(static_cast<std::size_t>(stride_) * columns, 0);
    std::vector<int> first(topology.nodes.size(), -1);  // first column of a node
    for (int j = columns - 1; j >= 0; --j) first[node_[j]] = j;
    for (int j = 0; j < columns; ++j) {
      const TreeNode& node = topology.nodes[node_[j]];
      std::uint8_t* row = carries_.data() + static_cast<std::size_t>(stride_) * j;
      if (node.parent != 0 && first[node.parent] >= 0)
        std::copy_n(carries_.data() + static_cast<std::size_t>(stride_) * first[node.parent],
                    stride_, row);
      const int own = first[node_[j]], last = own + speeds_of(node) - 1;
      std::fill(row + own, row + last + 1, std::uint8_t(1));
      last_.push_back(last);
    }
  }

  /// The tree of columns: each has one parent, which is often the column before it.
  void find_runs(const Topology& topology) {
    const int columns = static_cast<int>(node_.size());
    std::vector<int> last(topology.nodes.size(), -1);  // last column of a node
    for (int j = 0; j < columns; ++j) {
      int above = j - 1;
      if (last[node_[j]] < 0) {  // the first of its node
        int i = topology.nodes[node_[j]].parent;
        while (i > 0 && last[i] < 0) i = topology.nodes[i].parent;
        above = last[i];
      }
      parent_.push_back(above);
      run_.push_back(above >= 0 && above == j - 1 ? run_[above] : j);
      for (int k = above; k >= 0; k = parent_[k]) ++pairs_;
      last[node_[j]] = j;
    }
    last_carried_.resize(columns);
    fork_.assign(columns, -1);
    for (int j = 0; j < columns; ++j) last_carried_[j] = j;
    for (int j = columns - 1; j >= 0; --j) {
      const int above = parent_[j];
      if (above < 0) continue;
      last_carried_[above] = std::max(last_carried_[above], last_carried_[j]);
      if (above != j - 1 && fork_[above] < 0) fork_[above] = forks_++;
    }
    std::vector<int> speeds = speed_;
    std::sort(speeds.begin(), speeds.end());
    shared_ = std::adjacent_find(speeds.begin(), speeds.end()) != speeds.end();
  }

  std::vector<Spatial<S>> velocity_, acceleration_;
  std::vector<WorldBody<S>> body_, composite_;
  std::vector<int> node_, speed_, last_, parent_, run_, last_carried_, fork_;
  int forks_ = 0;
  long pairs_ = 0;
  bool shared_ = false;
  std::unique_ptr<bool[]> many_;
  std::vector<std::uint8_t> carries_;
  std::vector<S> rows_;
  int stride_ = 0;
};

}  // namespace ulna
