#include "loops/loop_components.hpp"

#include <algorithm>
#include <numeric>

namespace ulna {
namespace {

/// Sets that are joined; each is known by one of its members.
class JoinedSets {
 public:
  explicit JoinedSets(std::size_t n) : above_(n) { std::iota(above_.begin(), above_.end(), 0); }
  int root(int k) {
    while (above_[k] != k) k = above_[k] = above_[above_[k]];
    return k;
  }
  void join(int a, int b) { above_[root(b)] = root(a); }

 private:
  std::vector<int> above_;
};

}  // namespace

std::vector<LoopComponent> loop_components(const LoopClosure& closure) {
  const std::vector<LoopClosure::Block>& blocks = closure.blocks();
  JoinedSets sets(blocks.size());
  std::vector<int> first_of(closure.model().speeds(), -1);  // loop that touches a speed
  for (int k = 0; k < static_cast<int>(blocks.size()); ++k)
    for (const int speed : blocks[k].columns) {
      if (first_of[speed] < 0)
        first_of[speed] = k;
      else
        sets.join(first_of[speed], k);
    }
  std::vector<LoopComponent> parts;
  std::vector<int> place(blocks.size(), -1);  // of the part of a root
  for (int k = 0; k < static_cast<int>(blocks.size()); ++k) {
    int& at = place[sets.root(k)];
    if (at < 0) {
      at = static_cast<int>(parts.size());
      parts.emplace_back();
    }
    LoopComponent& part = parts[at];
    part.loops.push_back(k);
    for (int r = 0; r < blocks[k].rows; ++r) part.rows.push_back(blocks[k].first_row + r);
  }
  for (int speed = 0; speed < closure.model().speeds(); ++speed)
    if (first_of[speed] >= 0) parts[place[sets.root(first_of[speed])]].columns.push_back(speed);
  return parts;
}

Eigen::MatrixXd scaled_jacobian(const LoopClosure& closure, const LoopComponent& part) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(part.rows.size()),
                                            static_cast<Eigen::Index>(part.columns.size()));
  Eigen::Index row = 0;
  for (const int k : part.loops) {
    const LoopClosure::Block& block = closure.blocks()[k];
    for (std::size_t c = 0; c < block.columns.size(); ++c) {
      const auto at = std::lower_bound(part.columns.begin(), part.columns.end(), block.columns[c]);
      A.block(row, at - part.columns.begin(), block.rows, 1) =
          closure.column_scale()(block.columns[c]) *
          closure.row_scale()
              .segment(block.first_row, block.rows)
              .cwiseProduct(block.A.col(static_cast<Eigen::Index>(c)));
    }
    row += block.rows;
  }
  return A;
}

}  // namespace ulna
