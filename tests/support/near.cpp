#include "support/near.hpp"

#include <algorithm>

namespace ulna::testing {

double largest(const Eigen::MatrixXd& m) { return m.size() == 0 ? 0 : m.cwiseAbs().maxCoeff(); }

double difference(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y) {
  return largest(x - y) / std::max(1.0, largest(y));
}

void expect_near(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y, double tolerance,
                 double least) {
  ASSERT_EQ(x.rows(), y.rows());
  ASSERT_EQ(x.cols(), y.cols());
  if (x.size() == 0) return;
  const double size = least + std::max(largest(x), largest(y));
  EXPECT_LT(largest(x - y), tolerance * size) << x << "\n---\n" << y;
}

}  // namespace ulna::testing
