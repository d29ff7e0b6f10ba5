// One text, many scalars: the same kernels on dual numbers and symbolic expressions give what they
// give on doubles. (packs_test.cpp: on several states at once.)

#include <gtest/gtest.h>

#include "branched_tree.hpp"
#include "support/near.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/dynamics/kernels/articulated_body.hpp"
#include "ulna/model/other_scalars.hpp"
#include "ulna/symbolic/expression.hpp"
#include "ulna/symbolic/graph.hpp"
#include "ulna/symbolic/internal/evaluate.hpp"
#include "ulna/symbolic/program.hpp"

namespace ulna {
namespace {

using testing::branched_tree;
using testing::expect_near;
using testing::Generator;
using testing::random_entries;

/// Derivatives with respect to the tangent of q, to v and to a or tau, one direction at a time.
template <class Kernel>
Eigen::MatrixXd dual_derivative(const Model& model, const Eigen::VectorXd& q,
                                const Eigen::VectorXd& v, const Eigen::VectorXd& x, int which,
                                Kernel kernel) {
  using D = Dual<1>;
  const Parameters<D> parameters = converted<D>(model.parameters());
  const TreeView<D> tree = view<D>(model.topology(), parameters);
  Scratch<D> scratch(model.topology());
  const int n = model.speeds();
  Eigen::MatrixXd out(n, n);
  for (int k = 0; k < n; ++k) {
    const Eigen::VectorXd e = Eigen::VectorXd::Unit(n, k), none = Eigen::VectorXd::Zero(n);
    const std::vector<D> qd = moving_coordinates(model, q, which == 0 ? e : none);
    std::vector<D> vd(n), xd(n), result(n);
    for (int i = 0; i < n; ++i) {
      vd[i] = D(v(i));
      xd[i] = D(x(i));
      if (which == 1) vd[i].d[0] = e(i);
      if (which == 2) xd[i].d[0] = e(i);
    }
    kernel(tree, scratch.view(), qd.data(), vd.data(), xd.data(), result.data());
    for (int i = 0; i < n; ++i) out(i, k) = result[i].d[0];
  }
  return out;
}

const auto inverse = [](const auto& tree, const auto& work, const auto* q, const auto* v,
                        const auto* a, auto* tau) { newton_euler(tree, work, q, v, a, {}, tau); };
const auto forward = [](const auto& tree, const auto& work, const auto* q, const auto* v,
                        const auto* tau,
                        auto* a) { articulated_body(tree, work, q, v, tau, {}, a); };

TEST(Dual, DerivativesEqualTheClosedForms) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model model = branched_tree(seed);
    Generator g(seed);
    const Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds()),
                          a = random_entries(g, model.speeds());
    Workspace work(model);
    DerivativeWorkspace d(model);
    const InverseDerivatives id = inverse_dynamics_derivatives(model, work, d, q, v, a);
    // Both are exact; they differ by rounding of trees some twenty nodes deep.
    expect_near(id.dtau_dq, dual_derivative(model, q, v, a, 0, inverse), 1e-12);
    expect_near(id.dtau_dv, dual_derivative(model, q, v, a, 1, inverse), 1e-12);
    expect_near(id.mass_matrix, dual_derivative(model, q, v, a, 2, inverse), 1e-12);
    const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a);
    const ForwardDerivatives fd = forward_dynamics_derivatives(model, work, d, q, v, tau);
    expect_near(fd.da_dq, dual_derivative(model, q, v, tau, 0, forward), 1e-9);
    expect_near(fd.da_dv, dual_derivative(model, q, v, tau, 1, forward), 1e-9);
    expect_near(fd.da_dtau, dual_derivative(model, q, v, tau, 2, forward), 1e-9);
  }
}

struct Traced {
  std::vector<Expression> tau, M, a;
};

Traced trace(const Model& model, Graph& graph, std::vector<double>& inputs, Generator& g) {
  const int n = model.speeds();
  const Eigen::VectorXd q0 = model.random(g), v0 = random_entries(g, n), a0 = random_entries(g, n);
  std::vector<Expression> q, v, a;
  for (int k = 0; k < model.coordinates(); ++k)
    q.push_back(graph.input("q" + std::to_string(k))), inputs.push_back(q0(k));
  for (int k = 0; k < n; ++k)
    v.push_back(graph.input("v" + std::to_string(k))), inputs.push_back(v0(k));
  for (int k = 0; k < n; ++k)
    a.push_back(graph.input("a" + std::to_string(k))), inputs.push_back(a0(k));
  const Parameters<Expression> parameters = converted<Expression>(model.parameters());
  const TreeView<Expression> tree = view<Expression>(model.topology(), parameters);
  Scratch<Expression> scratch(model.topology());
  Traced out{std::vector<Expression>(n), std::vector<Expression>(n * n),
             std::vector<Expression>(n)};
  newton_euler<Expression>(tree, scratch.view(), q.data(), v.data(), a.data(), nullptr,
                           out.tau.data());
  composite_body<Expression>(tree, scratch.view(), q.data(), out.M.data());
  articulated_body<Expression>(tree, scratch.view(), q.data(), v.data(), a.data(), nullptr,
                               out.a.data());
  return out;
}

TEST(Symbolic, EvaluatedExpressionsEqualTheNumbers) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Model model = branched_tree(seed);
    const int n = model.speeds(), nq = model.coordinates();
    Graph graph;
    Graph::Scope scope(graph);
    Generator g(seed);
    std::vector<double> in;
    const Traced traced = trace(model, graph, in, g);
    const Eigen::Map<const Eigen::VectorXd> q(in.data(), nq), v(in.data() + nq, n),
        a(in.data() + nq + n, n);
    Workspace work(model);
    const std::vector<double> tau = evaluate(traced.tau, in), M = evaluate(traced.M, in),
                              acc = evaluate(traced.a, in);
    expect_near(Eigen::Map<const Eigen::VectorXd>(tau.data(), n),
                inverse_dynamics(model, work, q, v, a), 1e-12);
    expect_near(Eigen::Map<const Eigen::MatrixXd>(M.data(), n, n), mass_matrix(model, work, q),
                1e-12);
    expect_near(Eigen::Map<const Eigen::VectorXd>(acc.data(), n),
                forward_dynamics(model, work, q, v, a), 1e-9);
  }
}

TEST(Symbolic, InverseDynamicsOfAGeneralSixJointArmTakesAtMost457MultiplicationsAnd393Additions) {
  Generator g(1);
  const Model model(testing::general_chain(g, 6));
  Graph graph;
  Graph::Scope scope(graph);
  std::vector<double> in;
  const Traced traced = trace(model, graph, in, g);
  const OperationCount count = count_operations(traced.tau);
  EXPECT_LE(count.multiplications, 457);
  EXPECT_LE(count.additions, 393);
  EXPECT_EQ(count.divisions, 0);
  EXPECT_EQ(count.square_roots, 0);
  EXPECT_EQ(count.sincos_pairs, 5);  // the first angle does not matter
}

}  // namespace
}  // namespace ulna
