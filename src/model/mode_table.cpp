#include "ulna/model/parts/mode_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ulna {
namespace {

bool is_square(const Eigen::MatrixXd& A, int n) { return A.rows() == n && A.cols() == n; }

bool is_symmetric(const Eigen::MatrixXd& A) {
  return (A - A.transpose()).norm() <= 1e-9 * A.norm();
}

}  // namespace

std::vector<std::string> problems_of(const ModeTable& t) {
  std::vector<std::string> out;
  const int k = t.modes();
  if (k < 1) return {"it has no modes"};
  if (!is_square(t.stiffness, k)) out.push_back("its stiffness is not square");
  if (t.mass.size() > 0 && !is_square(t.mass, k))
    out.push_back(fmt::format("its mass matrix is not {} x {}", k, k));
  if (t.damping.size() > 0 && !is_square(t.damping, k))
    out.push_back(fmt::format("its damping matrix is not {} x {}", k, k));
  if (!t.names.empty() && static_cast<int>(t.names.size()) != k)
    out.push_back(fmt::format("{} names for {} modes", t.names.size(), k));
  const auto n = static_cast<Eigen::Index>(t.nodes.size());
  if (n < 2) out.push_back("it has less than two nodes");
  for (const auto& [what, rows] :
       {std::pair{"translations", &t.translations}, std::pair{"rotations", &t.rotations}})
    if (rows->rows() != 3 * n || rows->cols() != k)
      out.push_back(fmt::format("its {} are not those of {} modes at {} nodes", what, k, n));
  if (!out.empty()) return out;
  const bool finite = t.translations.allFinite() && t.rotations.allFinite() &&
                      t.stiffness.allFinite() && t.mass.allFinite() && t.damping.allFinite();
  if (!finite) return {"it has numbers that are not finite"};
  if (!(t.length > 0)) out.push_back(fmt::format("its length is {}", t.length));
  for (Eigen::Index i = 1; i < n; ++i)
    if (!(t.nodes[i] > t.nodes[i - 1])) {
      out.push_back("its nodes do not rise along the axis");
      break;
    }
  if (std::abs(t.nodes.front()) > 1e-9 * t.length ||
      std::abs(t.nodes.back() - t.length) > 1e-9 * t.length)
    out.push_back("its nodes do not reach from 0 to its length");
  if (t.translations.topRows(3).norm() > 1e-9 * t.translations.norm())
    out.push_back("its shapes move the start of the axis, which is held");
  for (const auto& [what, matrix] :
       {std::pair{"stiffness", &t.stiffness}, std::pair{"mass matrix", &t.mass},
        std::pair{"damping", &t.damping}})
    if (matrix->size() > 0 && !is_symmetric(*matrix))
      out.push_back(fmt::format("its {} is not symmetric", what));
  return out;
}

}  // namespace ulna
