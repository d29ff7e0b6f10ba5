#include "ulna/elastic/internal/master_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ulna/numerics/error.hpp"

namespace ulna::elastic {
namespace {

double ratio(double k, double m) { return m > 0 ? k / m : std::numeric_limits<double>::infinity(); }

std::vector<int> one_shot(const SystemMatrices& system, int count,
                          const std::vector<bool>& always) {
  const Eigen::VectorXd k = system.K.diagonal(), m = system.M.diagonal();
  std::vector<int> order(system.size());
  for (int i = 0; i < system.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    if (always[a] != always[b]) return bool(always[a]);
    return ratio(k(a), m(a)) < ratio(k(b), m(b));
  });
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

// One freedom after the other is condensed away; M and K shrink by one row and column in place.
std::vector<int> sequential(const SystemMatrices& system, int count,
                            const std::vector<bool>& always) {
  Eigen::MatrixXd K = system.K, M = system.M;
  std::vector<int> left(system.size());
  for (int i = 0; i < system.size(); ++i) left[i] = i;
  while (static_cast<int>(left.size()) > count) {
    int worst = -1;
    double largest = -1;
    for (const int i : left) {
      // Without stiffness of its own nothing says how it would follow.
      if (always[i] || !(K(i, i) > 0)) continue;
      const double r = ratio(K(i, i), M(i, i));
      if (r > largest) largest = r, worst = i;
    }
    if (worst < 0) throw ComputationError("no freedom is left that could be condensed: keep more");
    left.erase(std::find(left.begin(), left.end(), worst));
    const Eigen::VectorXd t = -K.col(worst) / K(worst, worst);  // x_s = t' x_m
    const Eigen::VectorXd m = M.col(worst);
    const double mss = M(worst, worst);
    for (const int j : left)
      for (const int i : left) {
        K(i, j) += K(i, worst) * t(j);
        M(i, j) += m(i) * t(j) + t(i) * m(j) + t(i) * mss * t(j);
      }
  }
  return left;
}

}  // namespace

std::vector<int> select_masters(const SystemMatrices& system, int count, MasterSelection selection,
                                const std::vector<int>& always) {
  if (count < 1 || count > system.size())
    throw InputError(fmt::format("{} coordinates are to be kept", count),
                     fmt::format("1 .. {}", system.size()));
  std::vector<bool> kept(system.size(), false);
  for (const int i : always) kept.at(i) = true;
  if (static_cast<int>(always.size()) > count)
    throw InputError(
        fmt::format("{} freedoms must stay but {} are to be kept", always.size(), count));
  if (selection == MasterSelection::one_shot) return one_shot(system, count, kept);
  if (system.size() > 3000)
    throw InputError(fmt::format("sequential selection among {} freedoms", system.size()),
                     "at most 3000", "select in one shot, or by craig-bampton");
  return sequential(system, count, kept);
}

}  // namespace ulna::elastic
