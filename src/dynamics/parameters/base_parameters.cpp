#include "ulna/dynamics/base_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ulna/dynamics/internal/parameter_grouping.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

/// From the base outwards; within a body moments of inertia first and the mass last; then terms.
std::vector<int> preferred_order(const TorqueRegressor& regressor) {
  constexpr int within[] = {9, 4, 5, 6, 8, 7, 1, 2, 3, 0};
  const std::vector<Body>& bodies = regressor.model().bodies();
  std::vector<int> by_node;
  for (int b = 1; b < static_cast<int>(bodies.size()); ++b) by_node.push_back(b);
  std::stable_sort(by_node.begin(), by_node.end(),
                   [&](int a, int b) { return bodies[a].node < bodies[b].node; });
  std::vector<int> order;
  for (int b : by_node)
    for (int k : within) order.push_back(parameters_per_body * (b - 1) + k);
  for (int k = static_cast<int>(order.size()); k < regressor.columns(); ++k) order.push_back(k);
  return order;
}

/// eq. 16: regressors of random states, three times as many rows as columns or more.
Eigen::MatrixXd stacked(TorqueRegressor& regressor, unsigned seed) {
  const Model& model = regressor.model();
  const int n = model.speeds(), states = n == 0 ? 0 : 10 + 3 * regressor.columns() / n;
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto draw = [&] {
    Eigen::VectorXd x(n);
    for (double& e : x) e = unit(generator);
    return x;
  };
  Workspace work(model);
  Eigen::MatrixXd W(states * n, regressor.columns());
  for (int k = 0; k < states; ++k) {
    interruption_point();
    const Eigen::VectorXd q = model.random(generator), v = draw(), a = draw();
    W.middleRows(k * n, n) = regressor(work, q, v, a);
  }
  return W;
}

/// The ten parameters of a node by those of a body on it, all linear.
void set_body(const Body& body, int parameter, NodeParameters<double>& node) {
  Eigen::Matrix<double, 10, 1> unit = Eigen::Matrix<double, 10, 1>::Unit(parameter);
  const Matrix4<double> J = transform(body.X_NB, inertia_of_parameters(unit)).pseudo();
  node.mass = J(3, 3);
  for (int k = 0; k < 3; ++k) node.first_moment[k] = J(k, 3);
  const double second[] = {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)};
  std::copy(std::begin(second), std::end(second), node.second_moment);
}

/// All inertial numbers of the tree in a row.
Eigen::VectorXd flattened(const Parameters<double>& parameters) {
  Eigen::VectorXd out(10 * (parameters.nodes.size() - 1) + parameters.armature.size());
  double* next = out.data();
  for (std::size_t i = 1; i < parameters.nodes.size(); ++i) {
    const NodeParameters<double>& node = parameters.nodes[i];
    *next++ = node.mass;
    next = std::copy_n(node.first_moment, 3, next);
    next = std::copy_n(node.second_moment, 6, next);
  }
  std::copy(parameters.armature.begin(), parameters.armature.end(), next);
  return out;
}

std::string term_text(double coefficient, const std::string& name) {
  const double size = std::abs(coefficient);
  const std::string sign = coefficient < 0 ? " - " : " + ";
  return std::abs(size - 1) < 1e-12 ? sign + name : fmt::format("{}{:.6g} {}", sign, size, name);
}

}  // namespace

BaseParameters independent_columns(const Eigen::MatrixXd& A, const std::vector<int>& order,
                                   double tolerance) {
  const Eigen::Index columns = A.cols();
  const Eigen::VectorXd norms = A.colwise().norm();
  const double largest = columns == 0 ? 0 : norms.maxCoeff();
  BaseParameters base;
  Eigen::MatrixXd Q(A.rows(), std::min(A.rows(), columns));
  Eigen::MatrixXd R = Eigen::MatrixXd::Zero(Q.cols(), columns);  // A(:, j) / norm_j = Q R(:, j)
  double least_kept = std::numeric_limits<double>::infinity(), most_dropped = 0;
  std::vector<int> dependent;
  for (int j : order) {
    if (!(norms(j) > 1e-12 * largest)) {
      base.unfelt.push_back(j);
      continue;
    }
    const int k = base.count();
    Eigen::VectorXd rest = A.col(j) / norms(j);
    for (int pass = 0; pass < 2; ++pass) {  // twice: orthogonal to rounding
      const Eigen::VectorXd along = Q.leftCols(k).transpose() * rest;
      R.col(j).head(k) += along;
      rest -= Q.leftCols(k) * along;
    }
    const double remainder = rest.norm();
    if (remainder > tolerance && k < Q.cols()) {
      least_kept = std::min(least_kept, remainder);
      R(k, j) = remainder;
      Q.col(k) = rest / remainder;
      base.kept.push_back(j);
    } else {
      most_dropped = std::max(most_dropped, remainder);
      dependent.push_back(j);
    }
  }
  const int r = base.count();
  base.margin =
      most_dropped > 0 ? least_kept / most_dropped : std::numeric_limits<double>::infinity();
  base.combination = Eigen::MatrixXd::Zero(r, columns);
  Eigen::MatrixXd square(r, r);
  for (int k = 0; k < r; ++k) {
    square.col(k) = R.col(base.kept[k]).head(r);
    base.combination(k, base.kept[k]) = 1;
  }
  for (int j : dependent) {
    const Eigen::VectorXd along = R.col(j).head(r);
    const Eigen::VectorXd beta = square.triangularView<Eigen::Upper>().solve(along);
    for (int k = 0; k < r; ++k)  // unit columns: a share of 1e-9 is rounding of the elimination
      if (std::abs(beta(k)) > 1e-9)
        base.combination(k, j) = beta(k) * norms(j) / norms(base.kept[k]);
  }
  return base;
}

BaseParameters base_parameters_by_rank(TorqueRegressor& regressor, const RankOptions& options) {
  const Eigen::MatrixXd W = stacked(regressor, options.seed);
  if (!W.allFinite())
    throw ComputationError("no base parameters: an entry of the regressor is not finite");
  // A triangle with the same columns up to a rotation, so that the elimination works on few rows.
  if (W.rows() <= W.cols())
    return independent_columns(W, preferred_order(regressor), options.tolerance);
  return independent_columns(dense::Qr(W).R(), preferred_order(regressor), options.tolerance);
}

BaseParameters base_parameters_by_grouping(const TorqueRegressor& regressor) {
  const Model& model = regressor.model();
  const GroupingOptions options{model.robot().gravity, true};
  Parameters<double> zero = model.parameters();
  for (NodeParameters<double>& node : zero.nodes) {
    node.mass = 0;
    std::fill(std::begin(node.first_moment), std::end(node.first_moment), 0);
    std::fill(std::begin(node.second_moment), std::end(node.second_moment), 0);
  }
  std::fill(zero.armature.begin(), zero.armature.end(), 0);
  const int bodies = static_cast<int>(model.bodies().size()) - 1,
            inertial = parameters_per_body * bodies,
            felt = static_cast<int>(flattened(zero).size());
  Eigen::MatrixXd G =
      Eigen::MatrixXd::Zero(felt + regressor.columns() - inertial, regressor.columns());
  for (int j = 0; j < regressor.columns(); ++j) {
    Parameters<double> unit = zero;
    if (j < inertial) {
      const Body& body = model.bodies()[1 + j / parameters_per_body];
      set_body(body, j % parameters_per_body, unit.nodes[body.node]);
    } else if (regressor.terms()[j - inertial].kind == RegressorTerm::Kind::rotor) {
      unit.armature[regressor.terms()[j - inertial].speed] = 1;
    } else {
      G(felt + j - inertial, j) = 1;  // friction and springs are felt by themselves
      continue;
    }
    group_parameters(model.topology(), unit, options);
    G.col(j).head(felt) = flattened(unit);
  }
  return independent_columns(G, preferred_order(regressor), 1e-9);
}

std::string describe(const BaseParameters& base, int index, const std::vector<std::string>& names) {
  std::string text = names[base.kept[index]];
  for (int j = 0; j < base.combination.cols(); ++j)
    if (j != base.kept[index] && base.combination(index, j) != 0)
      text += term_text(base.combination(index, j), names[j]);
  return text;
}

}  // namespace ulna
