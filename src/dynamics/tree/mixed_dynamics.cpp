#include "ulna/dynamics/internal/mixed_dynamics.hpp"

#include <fmt/format.h>

#include "common.hpp"
#include "formulation/tree_route.hpp"
#include "ulna/dynamics/formulation.hpp"
#include "ulna/model/internal/check_size.hpp"

namespace ulna {

MixedDynamics::MixedDynamics(const Model& model, ElasticLevel level, const std::string& method)
    : model_(model), M_(model.speeds(), model.speeds()), x_(model.speeds()), h_(model.speeds()) {
  driven_.reserve(static_cast<std::size_t>(model.speeds()));
  moving_.reserve(static_cast<std::size_t>(model.speeds()));
  for (int k = 0; k < model.speeds(); ++k) moving_.push_back(k);
  if (model.flexible() && level != ElasticLevel::exact) truncated_.emplace(model, level);
  if (!method.empty()) route_ = formulation_named(method).route(model);
}
MixedDynamics::~MixedDynamics() = default;

/// A truncated mass matrix is not symmetric: elimination with pivoting.
void MixedDynamics::solve_truncated(const VectorRef& q, const VectorRef& v,
                                    Eigen::Ref<Eigen::VectorXd> a, Eigen::Ref<Eigen::VectorXd> tau,
                                    ExternalWrenches wrenches) {
  truncated_->update(q, v, wrenches);
  const Eigen::MatrixXd& M = truncated_->M();
  h_ = truncated_->h();
  for (const int d : driven_) h_ += M.col(d) * a(d);
  const int n = static_cast<int>(moving_.size());
  if (n > 0) {
    auto part = M_.topLeftCorner(n, n);
    for (int i = 0; i < n; ++i) {
      x_(i) = tau(moving_[i]) - h_(moving_[i]);
      for (int j = 0; j < n; ++j) part(i, j) = M(moving_[i], moving_[j]);
    }
    factor_.compute(part);
    // The determinant of a mass matrix is positive; of its diagonal, by which it is measured, too.
    double sign = factor_.permutation_sign(), least = 1;
    for (int i = 0; i < n; ++i) {
      const double pivot = factor_.LU()(i, i);
      if (pivot < 0) sign = -sign;
      least = std::min(least, std::abs(pivot) / factor_.LU().row(i).cwiseAbs().maxCoeff());
    }
    definiteness_ = sign * least;
    if (!(least > 0))
      throw ComputationError(fmt::format("the mass matrix of level {} is singular: its truncation "
                                         "does not hold at this deflection",
                                         name_of(truncated_->level())),
                             0);
    factor_.solve_in_place(x_.head(n));
    for (int i = 0; i < n; ++i) a(moving_[i]) = x_(i);
    for (const int d : driven_)
      for (int i = 0; i < n; ++i) h_(d) += M(d, moving_[i]) * x_(i);
  }
  for (const int d : driven_) tau(d) = h_(d);
}

void MixedDynamics::set_driven(const std::vector<char>& driven) {
  if (static_cast<int>(driven.size()) != model_.speeds())
    refuse_size(model_, static_cast<long>(driven.size()), model_.speeds(), "the list of driven");
  driven_.clear();
  moving_.clear();
  for (int k = 0; k < model_.speeds(); ++k) (driven[k] ? driven_ : moving_).push_back(k);
}

void MixedDynamics::solve(Workspace& work, const VectorRef& q, const VectorRef& v,
                          Eigen::Ref<Eigen::VectorXd> a, Eigen::Ref<Eigen::VectorXd> tau,
                          ExternalWrenches wrenches) {
  check_size(model_, a, model_.speeds(), "a");
  check_size(model_, tau, model_.speeds(), "tau");
  if (truncated_) return solve_truncated(q, v, a, tau, wrenches);
  if (driven_.empty()) {
    if (route_) {
      route_->accelerations(work, q, v, tau, wrenches, x_);
      a = x_;
    } else {
      a = forward_dynamics(model_, work, q, v, tau, wrenches);
    }
    return;
  }
  for (const int k : moving_) a(k) = 0;
  if (route_)
    route_->efforts(work, q, v, a, wrenches, h_);
  else
    h_ = inverse_dynamics(model_, work, q, v, a, wrenches);
  const int n = static_cast<int>(moving_.size());
  if (n > 0) {
    if (route_) route_->mass(work, q, route_mass_);
    const Eigen::MatrixXd& M = route_ ? route_mass_ : mass_matrix(model_, work, q);
    // Cholesky without roots, from the last speed on: it is the outermost that is named when
    // nothing moves with it.
    for (int i = 0; i < n; ++i) {
      x_(i) = tau(moving_[i]) - h_(moving_[i]);
      for (int j = 0; j < n; ++j) M_(i, j) = M(moving_[i], moving_[j]);
    }
    for (int k = n - 1; k >= 0; --k) {
      const double pivot = M_(k, k);
      if (!(pivot > singular_tolerance * M(moving_[k], moving_[k])))
        refuse_singular(model_, moving_[k], pivot);
      for (int i = 0; i < k; ++i) {
        const double factor = M_(i, k) / pivot;
        M_.col(i).head(i + 1) -= factor * M_.col(k).head(i + 1);
        x_(i) -= factor * x_(k);
      }
    }
    for (int k = 0; k < n; ++k) {
      x_(k) = (x_(k) - M_.col(k).head(k).dot(x_.head(k))) / M_(k, k);
      a(moving_[k]) = x_(k);
    }
    for (const int d : driven_)
      for (int i = 0; i < n; ++i) h_(d) += M(d, moving_[i]) * x_(i);
  }
  for (const int d : driven_) tau(d) = h_(d);
}

}  // namespace ulna
