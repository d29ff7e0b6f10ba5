#include "flexible/flexible_derivatives.hpp"

#include <algorithm>

#include "ulna/dynamics/kernels/flexible_newton_euler.hpp"
#include "ulna/model/other_scalars.hpp"

namespace ulna {
namespace {

constexpr int directions = 4;  ///< at a time
using D = Dual<directions>;

std::vector<D> constant(const VectorRef& x) {
  std::vector<D> out;
  for (const double e : x) out.emplace_back(e);
  return out;
}

/// Slopes of the efforts along the columns of dq (coordinates) and dv (speeds), either may be
/// empty.
Eigen::MatrixXd slopes(const Model& model, const VectorRef& q, const VectorRef& v,
                       const VectorRef& a, const Eigen::MatrixXd& dq, const Eigen::MatrixXd& dv) {
  const Parameters<D> parameters = converted<D>(model.parameters());
  const TreeView<D> tree = view<D>(model.topology(), parameters);
  Scratch<D> scratch(model.topology());
  std::vector<D> at = constant(q), rate = constant(v), rise = constant(a), tau(rate.size());
  const auto seed = [](std::vector<D>& x, const Eigen::MatrixXd& columns, long first, long count) {
    for (long k = 0; k < columns.rows(); ++k)
      for (long c = 0; c < directions; ++c)
        x[static_cast<std::size_t>(k)].d[c] = c < count ? columns(k, first + c) : 0;
  };
  const long all = std::max(dq.cols(), dv.cols());
  Eigen::MatrixXd out(model.speeds(), all);
  for (long first = 0; first < all; first += directions) {
    const long count = std::min<long>(directions, all - first);
    seed(at, dq, first, count);
    seed(rate, dv, first, count);
    flexible_newton_euler<D>(tree, scratch.view(), at.data(), rate.data(), rise.data(), nullptr,
                             tau.data());
    for (int k = 0; k < model.speeds(); ++k)
      for (long c = 0; c < count; ++c) out(k, first + c) = tau[k].d[c];
  }
  return out;
}

}  // namespace

void flexible_inverse_derivatives(const Model& model, Workspace& work, const VectorRef& q,
                                  const VectorRef& v, const VectorRef& a, InverseDerivatives& out) {
  const int n = model.speeds();
  Eigen::MatrixXd tangent(model.coordinates(), n);
  for (int k = 0; k < n; ++k)
    tangent.col(k) = coordinate_rates(model, q, Eigen::VectorXd::Unit(n, k));
  out.dtau_dq = slopes(model, q, v, a, tangent, {});
  out.dtau_dv = slopes(model, q, v, a, {}, Eigen::MatrixXd::Identity(n, n));
  out.mass_matrix = mass_matrix(model, work, q);
}

}  // namespace ulna
