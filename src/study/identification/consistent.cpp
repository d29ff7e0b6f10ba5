// Parameters of bodies that can exist, from an estimate of the base parameters: a convex problem
// with the pseudo-inertia of each body held positive definite. docs/theory/regressor.md, eq. 30-31.

#include <fmt/format.h>

#include <cmath>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"
#include "ulna/study/identification.hpp"

namespace ulna {
namespace {

using Vector10 = Eigen::Matrix<double, 10, 1>;
using Matrix4 = Eigen::Matrix4d;

/// [Sigma h; h' m], linear in the ten parameters m, h, Ixx, Ixy, Ixz, Iyy, Iyz, Izz.
Matrix4 pseudo_inertia(const Vector10& p) {
  Eigen::Matrix3d I;
  I << p(4), p(5), p(6), p(5), p(7), p(8), p(6), p(8), p(9);
  Matrix4 J;
  J.topLeftCorner<3, 3>() = 0.5 * I.trace() * Eigen::Matrix3d::Identity() - I;
  J.topRightCorner<3, 1>() = p.segment<3>(1);
  J.bottomLeftCorner<1, 3>() = p.segment<3>(1).transpose();
  J(3, 3) = p(0);
  return J;
}

const std::array<Matrix4, 10>& unit_pseudo_inertias() {
  static const std::array<Matrix4, 10> units = [] {
    std::array<Matrix4, 10> out;
    for (int k = 0; k < 10; ++k)
      out[static_cast<std::size_t>(k)] = pseudo_inertia(Vector10::Unit(k));
    return out;
  }();
  return units;
}

/// tr(J0^-1 J) - log det(J0^-1 J) - 4, its gradient and Hessian in the ten parameters. Infinite
/// where J is not positive definite.
struct Divergence {
  double value = INFINITY;
  Vector10 gradient;
  Eigen::Matrix<double, 10, 10> hessian;
};
Divergence divergence(const Vector10& p, const Matrix4& inverse_prior) {
  Divergence out;
  const Matrix4 J = pseudo_inertia(p);
  const dense::Cholesky factor(J);
  if (!factor.ok()) return out;
  const Matrix4 inverse = factor.solve(Eigen::MatrixXd::Identity(4, 4));
  const Eigen::VectorXd pivots = factor.pivots();
  if (!(pivots.minCoeff() > 0)) return out;
  out.value = (inverse_prior * J).trace() - pivots.array().log().sum();
  std::array<Matrix4, 10> along;
  for (std::size_t k = 0; k < 10; ++k) {
    const Matrix4& E = unit_pseudo_inertias()[k];
    along[k] = inverse * E;
    out.gradient(static_cast<Eigen::Index>(k)) = (inverse_prior * E).trace() - along[k].trace();
  }
  for (std::size_t i = 0; i < 10; ++i)
    for (std::size_t j = 0; j < 10; ++j)
      out.hessian(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          along[i].cwiseProduct(along[j].transpose()).sum();
  return out;
}

/// A body that can exist: the model's, made a little thicker where it is degenerate.
struct Prior {
  Vector10 parameters;
  Matrix4 inverse;
};
std::vector<Prior> priors_of(const Eigen::VectorXd& p, Eigen::Index bodies) {
  double mass = 0, second = 0;
  for (Eigen::Index b = 0; b < bodies; ++b) {
    mass += std::max(p(10 * b), 0.0) / static_cast<double>(bodies);
    second += 0.5 * std::max(p(10 * b + 4) + p(10 * b + 7) + p(10 * b + 9), 0.0) /
              static_cast<double>(bodies);
  }
  if (!(mass > 0)) mass = 1;
  if (!(second > 0)) second = 0.01 * mass;
  std::vector<Prior> out;
  for (Eigen::Index b = 0; b < bodies; ++b) {
    Prior prior{p.segment<10>(10 * b), {}};
    const Eigen::Vector4d size{second, second, second, mass};
    const Eigen::Vector4d unit = size.cwiseSqrt().cwiseInverse();
    for (double thick = 1e-3;; thick *= 2) {
      const Matrix4 J = pseudo_inertia(prior.parameters);
      const Matrix4 scaled = unit.asDiagonal() * J * unit.asDiagonal();
      const double own = std::max(scaled.trace(), 0.0);
      if (dense::eigenvalues_symmetric(scaled)(0) > 1e-4 * std::min(own, 1.0) && own > 0) {
        prior.inverse = dense::Cholesky(J).solve(Eigen::MatrixXd::Identity(4, 4));
        break;
      }
      Vector10 more = Vector10::Zero();  // a ball about the origin
      more(0) = thick * mass;
      more(4) = more(7) = more(9) = 2 * thick * second;
      prior.parameters += more;
    }
    out.push_back(prior);
  }
  return out;
}

class ConsistencyProblem {
 public:
  ConsistencyProblem(const TorqueRegressor& regressor, const BaseParameters& base,
                     const Identification& found)
      : base_(base), estimate_(found.estimate) {
    const dense::Cholesky covariance(found.covariance);
    if (!covariance.ok())
      throw ComputationError("the covariance of the estimate is not positive definite");
    weight_ = covariance.solve(Eigen::MatrixXd::Identity(base.count(), base.count()));
    const Eigen::VectorXd& model = regressor.parameters();
    bodies_ = static_cast<Eigen::Index>(regressor.model().bodies().size()) - 1;
    start_ = model;
    priors_ = priors_of(model, bodies_);
    for (Eigen::Index b = 0; b < bodies_; ++b)
      start_.segment<10>(10 * b) = priors_[static_cast<std::size_t>(b)].parameters;
    for (std::size_t k = 0; k < regressor.terms().size(); ++k) {
      using Kind = RegressorTerm::Kind;
      const Kind kind = regressor.terms()[k].kind;
      const bool positive = kind == Kind::rotor || kind == Kind::damping || kind == Kind::friction;
      const auto column = 10 * bodies_ + static_cast<Eigen::Index>(k);
      Term term{column, positive, std::abs(model(column))};
      for (int i = 0; i < base.count(); ++i)
        if (base.kept[static_cast<std::size_t>(i)] == column)
          term.size = std::max(term.size, std::abs(found.estimate(i)));
      if (!(term.size > 0)) term.size = 1;
      if (positive && !(start_(column) > 1e-3 * term.size)) start_(column) = 1e-3 * term.size;
      term.prior = start_(column);
      terms_.push_back(term);
    }
  }

  const Eigen::VectorXd& start() const { return start_; }

  /// Value, and where asked for gradient and Hessian.
  double evaluate(const Eigen::VectorXd& p, double pull, Eigen::VectorXd* gradient,
                  Eigen::MatrixXd* hessian) const {
    const Eigen::VectorXd off = base_.combination * p - estimate_, pushed = weight_ * off;
    double value = 0.5 * off.dot(pushed);
    if (gradient) *gradient = base_.combination.transpose() * pushed;
    if (hessian) *hessian = base_.combination.transpose() * weight_ * base_.combination;
    for (Eigen::Index b = 0; b < bodies_; ++b) {
      const Divergence d =
          divergence(p.segment<10>(10 * b), priors_[static_cast<std::size_t>(b)].inverse);
      value += pull * d.value;
      if (!std::isfinite(value)) return INFINITY;
      if (gradient) gradient->segment<10>(10 * b) += pull * d.gradient;
      if (hessian) hessian->block<10, 10>(10 * b, 10 * b) += pull * d.hessian;
    }
    for (const Term& term : terms_) {
      const double x = p(term.column);
      if (term.positive && !(x > 0)) return INFINITY;
      const double away = (x - term.prior) / term.size;
      value += pull * (term.positive ? x / term.prior - std::log(x) : 0.5 * away * away);
      if (gradient)
        (*gradient)(term.column) +=
            pull * (term.positive ? 1 / term.prior - 1 / x : away / term.size);
      if (hessian)
        (*hessian)(term.column, term.column) +=
            pull * (term.positive ? 1 / (x * x) : 1 / (term.size * term.size));
    }
    return value;
  }

 private:
  struct Term {
    Eigen::Index column;
    bool positive;
    double size, prior = 0;
  };
  const BaseParameters& base_;
  Eigen::VectorXd estimate_, start_;
  Eigen::MatrixXd weight_;
  Eigen::Index bodies_ = 0;
  std::vector<Prior> priors_;
  std::vector<Term> terms_;
};

/// Newton's method with step halving, from inside.
void minimize(const ConsistencyProblem& problem, double pull, Eigen::VectorXd& p) {
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian;
  double value = problem.evaluate(p, pull, &gradient, &hessian);
  for (int iteration = 0; iteration < 200; ++iteration) {
    interruption_point();
    // Scaled by the diagonal: masses and moments of inertia are orders of magnitude apart.
    const Eigen::VectorXd scale = hessian.diagonal().cwiseSqrt().cwiseInverse();
    const Eigen::MatrixXd scaled = scale.asDiagonal() * hessian * scale.asDiagonal();
    const Eigen::VectorXd step = scale.cwiseProduct(
        dense::Ldlt(scaled).solve(Eigen::VectorXd(-scale.cwiseProduct(gradient))));
    const double decrease = -gradient.dot(step);
    if (!(decrease > 1e-10 * std::max(1.0, pull))) return;
    double share = 1, next = INFINITY;
    for (; share > 1e-12; share /= 2) {
      next = problem.evaluate(p + share * step, pull, nullptr, nullptr);
      if (next <= value - 0.1 * share * decrease) break;
    }
    if (!(next < value)) return;  // rounding
    p += share * step;
    value = problem.evaluate(p, pull, &gradient, &hessian);
  }
}

}  // namespace

ConsistentParameters consistent_parameters(const TorqueRegressor& regressor,
                                           const BaseParameters& base, const Identification& found,
                                           double pull) {
  if (!(pull > 0)) throw InputError("a pull that is not positive", "a positive number");
  const ConsistencyProblem problem(regressor, base, found);
  ConsistentParameters out;
  out.parameters = problem.start();
  // From a stiff pull towards the model to the one asked for: each start is inside and near.
  for (double stiff = std::max(1e6, pull); stiff > pull; stiff *= 0.1)
    minimize(problem, stiff, out.parameters);
  minimize(problem, pull, out.parameters);
  out.base = base.combination * out.parameters;
  const Eigen::VectorXd off = out.base - found.estimate;
  out.distance = off.dot(dense::Cholesky(found.covariance).solve(off)) /
                 static_cast<double>(std::max(base.count(), 1));
  return out;
}

}  // namespace ulna
