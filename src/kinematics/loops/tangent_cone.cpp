#include "loops/tangent_cone.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "loops/polarise.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/internal/least_squares.hpp"
#include "ulna/numerics/internal/rank.hpp"

namespace ulna {
namespace {

using Forms = std::vector<Eigen::MatrixXd>;

constexpr double nothing = 1e-7;  ///< forms smaller than this are rounding of singular postures

/// r'' along v, in pure numbers.
class SecondOrder {
 public:
  SecondOrder(LoopClosure& closure, Workspace& work, const VectorRef& q, const LoopComponent& part)
      : closure_(closure), work_(work), q_(q), part_(part) {}

  Eigen::VectorXd operator()(const Eigen::VectorXd& v) {
    Eigen::VectorXd all = Eigen::VectorXd::Zero(closure_.model().speeds());
    all(part_.columns) = v;
    closure_.update_rates(work_, q_, closure_.column_scale().cwiseProduct(all));
    return -closure_.row_scale().cwiseProduct(closure_.bias())(part_.rows);
  }

 private:
  LoopClosure& closure_;
  Workspace& work_;
  const VectorRef& q_;
  const LoopComponent& part_;
};

/// The conditions on y, made independent: as many matrices as there are directions among them.
Forms independent_forms(const Forms& all, Eigen::Index size) {
  if (all.empty()) return {};
  Eigen::MatrixXd flat(static_cast<Eigen::Index>(all.size()), size * size);
  for (std::size_t k = 0; k < all.size(); ++k)
    flat.row(static_cast<Eigen::Index>(k)) = all[k].reshaped().transpose();
  const dense::Svd svd = dense::svd(flat, dense::SvdParts::thin);
  Forms forms;
  for (Eigen::Index k = 0; k < svd.values.size(); ++k)
    if (svd.values(k) > nothing * std::max(1.0, svd.values(0)))
      forms.push_back(svd.V.col(k).reshaped(size, size));
  return forms;
}

Eigen::VectorXd values_of(const Forms& forms, const Eigen::VectorXd& y) {
  Eigen::VectorXd values(static_cast<Eigen::Index>(forms.size()));
  for (std::size_t k = 0; k < forms.size(); ++k)
    values(static_cast<Eigen::Index>(k)) = y.dot(forms[k] * y);
  return values;
}

/// Looks for a combination of the forms that is definite, as a perceptron does: the direction that
/// a combination makes least positive is the next to be counted in. Finds it if there is one with
/// some margin.
bool some_combination_is_definite(const Forms& forms, Eigen::Index size) {
  constexpr int most = 500;
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(forms.size()));
  for (int turn = 0; turn < most; ++turn) {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(size, size);
    for (std::size_t k = 0; k < forms.size(); ++k)
      sum += weights(static_cast<Eigen::Index>(k)) * forms[k];
    const dense::SymmetricEigen eigen = dense::eigen_symmetric(sum);
    if (turn > 0 && eigen.values(0) > 1e-6 * weights.norm()) return true;
    const Eigen::VectorXd values = values_of(forms, eigen.vectors.col(0));
    if (!(values.norm() > 1e-9)) return false;  // it lies in the cone
    weights += values;
  }
  return false;
}

/// y of length one on which all forms vanish, from a start; empty where the search ends elsewhere.
Eigen::VectorXd on_cone(const Forms& forms, const Eigen::VectorXd& start) {
  LeastSquaresProblem problem;
  const auto count = static_cast<Eigen::Index>(forms.size());
  problem.evaluate = [&](const Eigen::VectorXd& y, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    r.resize(count + 1);
    r << values_of(forms, y), 0.5 * (y.squaredNorm() - 1);
    if (!J) return;
    J->resize(count + 1, y.size());
    for (Eigen::Index k = 0; k < count; ++k)
      J->row(k) = 2 * (forms[static_cast<std::size_t>(k)] * y).transpose();
    J->row(count) = y.transpose();
  };
  LeastSquaresOptions options;
  options.residual_tolerance = 1e-13;
  const LeastSquaresResult found = solve_least_squares(problem, start, options);
  // Rays where forms only touch zero are found to the root of the residual.
  return found.residual_norm <= 1e-10 ? found.x.normalized() : Eigen::VectorXd();
}

/// How many directions the cone has at one of its rays: from rays found beside it.
int dimension_at(const Forms& forms, const Eigen::VectorXd& y, std::mt19937_64& generator) {
  constexpr double beside = 1e-2;
  const Eigen::Index most = std::min<Eigen::Index>(y.size() - 1, 8);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd moved = Eigen::MatrixXd::Zero(y.size(), most);
  for (Eigen::Index k = 0; k < most; ++k) {
    Eigen::VectorXd start = y;
    for (double& x : start) x += beside * normal(generator) / std::sqrt(double(y.size()));
    const Eigen::VectorXd found = on_cone(forms, start.normalized());
    if (found.size() > 0 && (found - y).norm() < 3 * beside) moved.col(k) = found - y;
  }
  const Eigen::VectorXd values = dense::singular_values(moved);
  const auto rank = (values.array() > 0.03 * beside).count();
  return rank == most && most < y.size() - 1 ? static_cast<int>(y.size())
                                             : 1 + static_cast<int>(rank);
}

}  // namespace

TangentCone tangent_cone(LoopClosure& closure, Workspace& work, const VectorRef& q,
                         const LoopComponent& part, const Eigen::MatrixXd& null_space) {
  closure.update(work, q);
  const Eigen::MatrixXd A = scaled_jacobian(closure, part);
  const Eigen::MatrixXd left =
      rank_by_svd(A.transpose(), loop_rank_tolerance_of(closure.model())).null_space;
  const dense::LeastNorm solver(A, loop_rank_tolerance_of(closure.model()));
  SecondOrder second(closure, work, q, part);
  const Eigen::Index size = null_space.cols();
  const Forms forms =
      independent_forms(polarised(left.cols(), size,
                                  [&](const Eigen::VectorXd& y) -> Eigen::VectorXd {
                                    return left.transpose() * second(null_space * y);
                                  }),
                        size);
  TangentCone cone;
  cone.conditions = static_cast<int>(forms.size());
  cone.empty = !forms.empty() && some_combination_is_definite(forms, size);
  if (cone.empty) return cone;

  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  std::vector<Eigen::VectorXd> found;
  // There may be as many as powers of two: of large mechanisms some will do.
  const std::size_t most_rays = size <= 8 ? 16 : 4;
  const Eigen::Index starts = std::min<Eigen::Index>(2 * size + 16, 40);
  for (Eigen::Index k = 0; k < starts && found.size() < most_rays; ++k) {
    Eigen::VectorXd start = Eigen::VectorXd::Unit(size, k % size);
    if (k >= size)
      for (double& x : start) x = normal(generator);
    const Eigen::VectorXd y = on_cone(forms, start.normalized());
    if (y.size() == 0) continue;
    const auto same = [&](const Eigen::VectorXd& other) {
      return std::min((other - y).norm(), (other + y).norm()) < 1e-4;
    };
    if (std::any_of(found.begin(), found.end(), same)) continue;
    found.push_back(y);
    const Eigen::VectorXd v = null_space * y;
    cone.rays.push_back({v, -solver.solve(second(v)), dimension_at(forms, y, generator)});
  }
  return cone;
}

}  // namespace ulna
