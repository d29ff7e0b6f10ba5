#include "ulna/motion/internal/boundary_polynomial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

/// Derivatives at one scaled time, by order; those left free are NaN.
using Derivatives = std::vector<double>;
using Conditions = std::map<double, Derivatives>;
constexpr double free_order = std::numeric_limits<double>::quiet_NaN();
constexpr int most_conditions = 100;

void check(const std::vector<MotionCondition>& conditions) {
  if (conditions.size() > most_conditions)
    throw InputError(fmt::format("{} conditions for one polynomial", conditions.size()),
                     fmt::format("at most {}", most_conditions), "a spline through points");
  bool any_value = false;
  for (const MotionCondition& c : conditions) {
    if (!std::isfinite(c.t) || !std::isfinite(c.value))
      throw InputError(fmt::format("derivative {} at t = {} is {}", c.order, c.t, c.value),
                       "finite numbers");
    if (c.order < 0 || c.order >= most_conditions)
      throw InputError(fmt::format("a condition on derivative {}", c.order),
                       fmt::format("orders from 0 to {}", most_conditions - 1));
    any_value = any_value || c.order == 0;
  }
  if (!any_value)
    throw InputError("no condition gives a value, only derivatives", "a value at some time");
}

Conditions collected(const std::vector<MotionCondition>& conditions, double begin, double length) {
  Conditions all;
  for (const MotionCondition& c : conditions) {
    Derivatives& here = all[(c.t - begin) / length];
    const auto order = static_cast<std::size_t>(c.order);
    if (here.size() <= order) here.resize(order + 1, free_order);
    if (!std::isnan(here[order]))
      throw InputError(fmt::format("derivative {} at t = {} is given twice", c.order, c.t),
                       "each condition once");
    here[order] = c.value * std::pow(length, c.order);
  }
  return all;
}

double power_derivative(double x, int power, int order) {
  double factor = 1;
  for (int i = 0; i < order; ++i) factor *= power - i;
  return factor == 0 ? 0 : factor * std::pow(x, power - order);
}

/// Fills the orders left free below given ones, from the coefficients that meet the given ones.
void fill_free_orders(Conditions& all, int count) {
  Eigen::MatrixXd A(count, count);
  Eigen::VectorXd b(count);
  int row = 0;
  for (const auto& [x, derivatives] : all)
    for (std::size_t k = 0; k < derivatives.size(); ++k) {
      if (std::isnan(derivatives[k])) continue;
      for (int p = 0; p < count; ++p)
        A(row, p) = power_derivative(2 * x - 1, p, static_cast<int>(k));
      b(row) = derivatives[k] / std::pow(2.0, static_cast<double>(k));
      ++row;
    }
  const Eigen::VectorXd size = A.rowwise().lpNorm<Eigen::Infinity>().cwiseMax(1e-300);
  const dense::PivotedQr solver(size.cwiseInverse().asDiagonal() * A);
  if (solver.rank() < count)
    throw InputError("these conditions do not determine a polynomial",
                     "conditions that leave no freedom and do not repeat each other",
                     "give the lower derivatives where a higher one is given");
  const Eigen::VectorXd c = solver.solve(b.cwiseQuotient(size));
  for (auto& [x, derivatives] : all)
    for (std::size_t k = 0; k < derivatives.size(); ++k) {
      if (!std::isnan(derivatives[k])) continue;
      double sum = 0;
      for (int p = 0; p < count; ++p)
        sum += c(p) * power_derivative(2 * x - 1, p, static_cast<int>(k));
      derivatives[k] = sum * std::pow(2.0, static_cast<double>(k));
    }
}

}  // namespace

MotionValue BoundaryPolynomial::NewtonForm::at(double x) const {
  double y = 0, d = 0, dd = 0, ddd = 0;
  for (std::size_t i = coefficients.size(); i-- > 0;) {
    const double r = x - nodes[i];
    ddd = ddd * r + dd;
    dd = dd * r + d;
    d = d * r + y;
    y = y * r + coefficients[i];
  }
  return {y, d, 2 * dd, 6 * ddd};
}

BoundaryPolynomial::BoundaryPolynomial(const std::vector<MotionCondition>& conditions) {
  check(conditions);
  const auto [first, last] = std::minmax_element(
      conditions.begin(), conditions.end(),
      [](const MotionCondition& a, const MotionCondition& b) { return a.t < b.t; });
  begin_ = first->t;
  end_ = last->t;
  if (!(end_ > begin_))
    throw InputError(fmt::format("all conditions are at t = {}", begin_), "two times or more");
  Conditions all = collected(conditions, begin_, end_ - begin_);
  degree_ = static_cast<int>(conditions.size()) - 1;
  const bool gaps = std::any_of(all.begin(), all.end(), [](const auto& at) {
    return std::any_of(at.second.begin(), at.second.end(), [](double y) { return std::isnan(y); });
  });
  if (gaps) fill_free_orders(all, degree_ + 1);

  for (const auto& [centre, ignored] : all) {
    // The nodes by their distance from the centre, each as often as it has conditions.
    std::vector<double> order;
    for (const auto& [x, derivatives] : all) order.push_back(x);
    std::stable_sort(order.begin(), order.end(), [c = centre](double a, double b) {
      return std::abs(a - c) < std::abs(b - c);
    });
    NewtonForm form;
    for (const double x : order) form.nodes.insert(form.nodes.end(), all[x].size(), x);
    // Confluent divided differences, the table overwritten column by column.
    const std::size_t n = form.nodes.size();
    std::vector<double> table(n);
    for (std::size_t i = 0; i < n; ++i) table[i] = all[form.nodes[i]][0];
    form.coefficients.assign(n, 0);
    double factorial = 1;
    for (std::size_t k = 0; k < n; ++k) {
      if (k > 0) factorial *= static_cast<double>(k);
      for (std::size_t i = n; k > 0 && i-- > k;) {
        const double span = form.nodes[i] - form.nodes[i - k];
        table[i] = span == 0 ? all[form.nodes[i]][k] / factorial : (table[i] - table[i - 1]) / span;
      }
      form.coefficients[k] = table[k];
    }
    centres_.push_back(centre);
    forms_.push_back(std::move(form));
  }
}

const BoundaryPolynomial::NewtonForm& BoundaryPolynomial::nearest(double x) const {
  std::size_t best = 0;
  for (std::size_t k = 1; k < centres_.size(); ++k)
    if (std::abs(x - centres_[k]) < std::abs(x - centres_[best])) best = k;
  return forms_[best];
}

MotionValue BoundaryPolynomial::at(double t) const {
  if (t < begin_) return {forms_.front().at(0).value, 0, 0, 0};
  if (t > end_) return {forms_.back().at(1).value, 0, 0, 0};
  const double x = scaled(t), L = end_ - begin_;
  const MotionValue y = nearest(x).at(x);
  return {y.value, y.rate / L, y.acceleration / (L * L), y.jerk / (L * L * L)};
}

}  // namespace ulna
