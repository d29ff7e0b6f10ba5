#pragma once
// What verify has found so far: each comparison with its worst state.

#include <algorithm>
#include <cmath>

#include "ulna/study/verify.hpp"

namespace ulna {

inline double size_of(const Eigen::MatrixXd& x) {
  return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff();
}

/// One route to a quantity. `allowance` is added to the bound of every pair it takes part in.
struct Answer {
  std::string method;
  Eigen::MatrixXd value;
  double allowance = 0;
};

class Ledger {
 public:
  /// Difference of x and y relative to the larger one, or to `scale` where that is larger.
  void compare(const std::string& a, const std::string& b, const std::string& quantity,
               const Eigen::MatrixXd& x, const Eigen::MatrixXd& y, double bound, double scale = 0) {
    const double size = std::max({size_of(x), size_of(y), scale, 1e-300});
    note(a, b, quantity, size_of(x - y) / size, bound);
  }
  /// Every answer with every other.
  void compare_all(const std::string& quantity, const std::vector<Answer>& answers, double bound,
                   double scale = 0) {
    for (std::size_t i = 0; i < answers.size(); ++i)
      for (std::size_t j = i + 1; j < answers.size(); ++j)
        compare(answers[i].method, answers[j].method, quantity, answers[i].value, answers[j].value,
                bound + answers[i].allowance + answers[j].allowance, scale);
  }
  /// Kept when it is the worst yet, as a share of its bound.
  void note(const std::string& a, const std::string& b, const std::string& quantity,
            double difference, double bound) {
    if (std::isnan(difference)) difference = INFINITY;
    for (VerifyPair& pair : pairs_) {
      if (pair.a != a || pair.b != b || pair.quantity != quantity) continue;
      if (difference * pair.bound > pair.max_difference * bound)
        pair = {a, b, quantity, difference, bound};
      return;
    }
    pairs_.push_back({a, b, quantity, difference, bound});
  }
  /// Rows of one quantity stand together, in the order in which they came up first.
  std::vector<VerifyPair> take() {
    std::vector<VerifyPair> sorted;
    for (const VerifyPair& first : pairs_) {
      if (std::ranges::find(sorted, first.quantity, &VerifyPair::quantity) != sorted.end())
        continue;
      std::ranges::copy_if(pairs_, std::back_inserter(sorted),
                           [&](const VerifyPair& p) { return p.quantity == first.quantity; });
    }
    return sorted;
  }

 private:
  std::vector<VerifyPair> pairs_;
};

}  // namespace ulna
