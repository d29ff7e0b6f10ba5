#include "ulna/kinematics/coordinate_map.hpp"

#include <fmt/format.h>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {

CoordinateMap CoordinateMap::identity(int n) {
  return {Eigen::MatrixXd::Identity(n, n), Eigen::VectorXd::Zero(n),
          std::vector<Eigen::MatrixXd>(n, Eigen::MatrixXd::Zero(n, n))};
}

Eigen::VectorXd CoordinateMap::gamma_at(const Eigen::VectorXd& v) const {
  if (static_cast<Eigen::Index>(H.size()) != out())
    throw InputError("a coordinate map without second-order coefficients", "H");
  if (v.size() != in())
    throw InputError(fmt::format("{} speeds for a coordinate map", v.size()),
                     fmt::format("{}", in()));
  Eigen::VectorXd out_gamma(out());
  for (Eigen::Index k = 0; k < out(); ++k) out_gamma(k) = v.dot(H[static_cast<std::size_t>(k)] * v);
  return out_gamma;
}

namespace {

bool has_H(const CoordinateMap& map) {
  return static_cast<Eigen::Index>(map.H.size()) == map.out() && map.out() > 0;
}

/// sum_j W(k, j) H_j
Eigen::MatrixXd weighted(const Eigen::MatrixXd& W, Eigen::Index k,
                         const std::vector<Eigen::MatrixXd>& H) {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(H[0].rows(), H[0].cols());
  for (std::size_t j = 0; j < H.size(); ++j) sum += W(k, static_cast<Eigen::Index>(j)) * H[j];
  return sum;
}

}  // namespace

CoordinateMap compose(const CoordinateMap& outer, const CoordinateMap& inner) {
  if (outer.in() != inner.out())
    throw InputError(
        fmt::format("a map from {} coordinates after one to {}", outer.in(), inner.out()),
        "as many as the first gives");
  CoordinateMap map;
  map.G = outer.G * inner.G;
  map.gamma = outer.G * inner.gamma + outer.gamma;
  if (map.in() == 0) {  // nothing is left to choose
    map.H.assign(static_cast<std::size_t>(map.out()), Eigen::MatrixXd(0, 0));
    return map;
  }
  if (!has_H(outer) || !has_H(inner)) return map;
  for (Eigen::Index k = 0; k < outer.out(); ++k)
    map.H.push_back(inner.G.transpose() * outer.H[static_cast<std::size_t>(k)] * inner.G +
                    weighted(outer.G, k, inner.H));
  return map;
}

CoordinateMap inverse(const CoordinateMap& map) {
  if (map.in() != map.out())
    throw InputError(
        fmt::format("a {} map from {} to {} coordinates has no inverse",
                    map.in() > map.out() ? "redundant" : "deficient", map.in(), map.out()),
        "a square map");
  CoordinateMap back;
  if (map.in() == 0) return map;
  const dense::FullLu lu(map.G);
  // Where pivots vanish altogether, the estimate only sees the others.
  const double condition = lu.invertible() ? lu.rcond() : 0;
  if (!(condition > 1e-12))
    throw ComputationError(
        fmt::format("the coordinate map is singular here (reciprocal condition {:.2g}): its inputs "
                    "and outputs do not determine each other",
                    condition),
        condition);
  back.G = lu.inverse();
  back.gamma = -back.G * map.gamma;
  if (!has_H(map)) return back;
  for (Eigen::Index k = 0; k < back.out(); ++k)
    back.H.push_back(-back.G.transpose() * weighted(back.G, k, map.H) * back.G);
  return back;
}

}  // namespace ulna
