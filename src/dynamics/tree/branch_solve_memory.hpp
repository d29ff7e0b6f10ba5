#pragma once
// Memory of branch_solve.hpp for one robot, and which of its two ways serves that robot.

#include <vector>

#include "ulna/dynamics/kernels/branch_solve.hpp"

namespace ulna {

class BranchSolveMemory {
 public:
  BranchSolveMemory(const ColumnView<double>& columns, int nodes, int speeds) {
    const int n = speeds;
    view_.stride = (n + 7) / 8 * 8;
    // Where columns share speeds the rows of M are speeds, each carried by all before it.
    tree_.resize(4 * static_cast<std::size_t>(n));
    int *parent = tree_.data(), *run = parent + n, *last = run + n, *speed = last + n;
    for (int k = 0; k < n; ++k) {
      parent[k] = columns.shared ? k - 1 : columns.parent[k];
      run[k] = columns.shared ? 0 : columns.run[k];
      last[k] = columns.shared ? n - 1 : columns.last_carried[k];
      speed[k] = columns.shared ? k : columns.speed[k];
    }
    view_.rows = {n, parent, run, last};
    view_.speed = speed;
    // Two products for a pair against 24 for a column, which need fewer loads.
    view_.articulated = !columns.shared && columns.pairs > 10L * n;
    inverse_.resize(n);
    panel_.resize(static_cast<std::size_t>(n) * widest_panel);
    if (view_.articulated) {
      hinge_.resize(n);
      sum_.resize(nodes);
      forks_.resize(static_cast<std::size_t>(columns.forks) * 6 * widest_panel);
    } else {
      L_.resize(static_cast<std::size_t>(n) * view_.stride);
    }
    view_.inverse = inverse_.data();
    view_.L = L_.data();
    view_.panel = panel_.data();
    view_.forks = forks_.data();
    view_.hinge = hinge_.data();
    view_.sum = sum_.data();
  }
  BranchSolveMemory(const BranchSolveMemory&) = delete;
  BranchSolveMemory& operator=(const BranchSolveMemory&) = delete;

  const BranchSolveView<double>& view() const { return view_; }

 private:
  static constexpr int widest_panel = 32;
  BranchSolveView<double> view_{};
  std::vector<int> tree_;
  std::vector<double> inverse_, L_, panel_, forks_;
  std::vector<HingeColumn<double>> hinge_;
  std::vector<WorldArticulated<double>> sum_;
};

}  // namespace ulna
