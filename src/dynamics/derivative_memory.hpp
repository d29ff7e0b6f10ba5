#pragma once
// Memory behind DerivativeView, for any scalar.

#include <memory>
#include <vector>

#include "ulna/dynamics/inverse_derivatives.hpp"

namespace ulna {

template <class S>
class DerivativeMemory {
 public:
  explicit DerivativeMemory(const Topology& topology) {
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
    rows_.assign(
        29 * static_cast<std::size_t>(stride_) + speeds * (speeds + 3 * padded(topology.speeds)),
        S(0));
  }

  DerivativeView<S> view() {
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
