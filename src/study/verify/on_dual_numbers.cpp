#include "verify/on_dual_numbers.hpp"

#include "ulna/dynamics/kernels/composite_body.hpp"
#include "ulna/dynamics/kernels/elements.hpp"
#include "ulna/dynamics/kernels/newton_euler.hpp"
#include "ulna/dynamics/kernels/passive_efforts.hpp"
#include "ulna/model/other_scalars.hpp"
#include "ulna/scalar/kernels/ldlt.hpp"

namespace ulna {
namespace {

using D = Dual<1>;

std::vector<D> moving(const Eigen::VectorXd& x, const Eigen::VectorXd& rate) {
  std::vector<D> out(x.size());
  for (int k = 0; k < x.size(); ++k) {
    out[k] = D(x(k));
    out[k].d[0] = rate(k);
  }
  return out;
}

Eigen::VectorXd rates(const std::vector<D>& x) {
  Eigen::VectorXd out(x.size());
  for (int k = 0; k < out.size(); ++k) out(k) = x[k].d[0];
  return out;
}

/// A model and a state of it in dual numbers.
struct DualTree {
  DualTree(const Model& source, const MovingState& state)
      : model(source),
        parameters(converted<D>(source.parameters())),
        tree(view<D>(source.topology(), parameters)),
        scratch(source.topology()),
        q(moving_coordinates(source, state.q, state.q_rate)),
        v(moving(state.v, state.v_rate)) {}

  std::vector<D> inverse(const std::vector<D>& a) {
    std::vector<D> tau(a.size());
    newton_euler<D>(tree, scratch.view(), q.data(), v.data(), a.data(), nullptr, tau.data());
    add_passive_efforts<D>(model.degree_terms(), q.data(), v.data(), 1, tau.data());
    add_element_efforts<D>(model.elements(), tree, q.data(), v.data(), 1, tau.data());
    return tau;
  }
  std::vector<D> mass_matrix() {
    std::vector<D> M(v.size() * v.size());
    composite_body<D>(tree, scratch.view(), q.data(), M.data());
    return M;
  }

  const Model& model;
  Parameters<D> parameters;
  TreeView<D> tree;
  Scratch<D> scratch;
  std::vector<D> q, v;
};

}  // namespace

Eigen::VectorXd inverse_rate(const Model& model, const MovingState& state, const Eigen::VectorXd& a,
                             const Eigen::VectorXd& a_rate) {
  return rates(DualTree(model, state).inverse(moving(a, a_rate)));
}

Eigen::VectorXd forward_rate(const Model& model, const MovingState& state,
                             const Eigen::VectorXd& tau, const Eigen::VectorXd& tau_rate) {
  DualTree dual(model, state);
  const int n = model.speeds();
  const std::vector<D> bias = dual.inverse(std::vector<D>(n, D(0)));
  std::vector<D> M = dual.mass_matrix(), x = moving(tau, tau_rate);
  for (int k = 0; k < n; ++k) x[k] -= bias[k];
  ldlt_factor(M.data(), n, n);
  ldlt_solve(M.data(), n, n, x.data());
  return rates(x);
}

Eigen::MatrixXd mass_matrix_rate(const Model& model, const MovingState& state) {
  return rates(DualTree(model, state).mass_matrix()).reshaped(model.speeds(), model.speeds());
}

}  // namespace ulna
