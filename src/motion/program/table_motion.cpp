#include "ulna/motion/table_motion.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ulna/model/model.hpp"
#include "ulna/motion/spline.hpp"

namespace ulna {
namespace {

void check_column(const char* name, const std::vector<double>& column, std::size_t rows) {
  if (column.size() != rows)
    throw InputError(fmt::format("column {} has {} rows", name, column.size()),
                     fmt::format("{}, as many as times", rows));
  for (std::size_t k = 0; k < rows; ++k)
    if (!std::isfinite(column[k]))
      throw InputError(fmt::format("row {}, column {} is {}", k + 1, name, column[k]),
                       "a finite number");
}

void check(const MotionTable& table) {
  check_column("t", table.t, table.t.size());
  for (std::size_t k = 1; k < table.t.size(); ++k)
    if (!(table.t[k] > table.t[k - 1]))
      throw InputError(
          fmt::format("row {} has the time {} after {}", k + 1, table.t[k], table.t[k - 1]),
          "ascending times");
  check_column("q", table.q, table.t.size());
  if (!table.v.empty()) check_column("v", table.v, table.t.size());
  if (!table.a.empty()) check_column("a", table.a, table.t.size());
  if (table.t.size() < 2)
    throw InputError(fmt::format("a table of {} rows", table.t.size()), "at least 2 rows");
}

MotionValue row(const MotionTable& table, std::size_t k) {
  return {table.q[k], table.v.empty() ? 0 : table.v[k], table.a.empty() ? 0 : table.a[k], 0};
}

template <class Hermite>
PiecewisePolynomial pieces(const MotionTable& table, int terms, const Hermite& hermite) {
  Eigen::MatrixXd coefficients(terms, std::ssize(table.t) - 1);
  for (std::size_t k = 0; k + 1 < table.t.size(); ++k) {
    const auto c = hermite(row(table, k), row(table, k + 1), table.t[k + 1] - table.t[k]);
    for (int i = 0; i < terms; ++i) coefficients(i, static_cast<Eigen::Index>(k)) = c(i);
  }
  return {table.t, coefficients};
}

/// Not-a-knot where there are rows enough, natural for fewer.
PiecewisePolynomial spline_of(const MotionTable& table, bool quintic) {
  if (quintic && table.t.size() >= 6)
    return quintic_spline(table.t, table.q, SplineEnds::not_a_knot);
  return cubic_spline(table.t, table.q,
                      table.t.size() >= 4 ? SplineEnds::not_a_knot : SplineEnds::natural);
}

}  // namespace

Interpolation interpolation_named(const std::string& name) {
  if (name == "linear") return Interpolation::linear;
  if (name == "cubic") return Interpolation::cubic;
  if (name == "quintic") return Interpolation::quintic;
  throw InputError(fmt::format("there is no interpolation '{}'", name), "linear, cubic or quintic",
                   nearest_name_hint(name, {"linear", "cubic", "quintic"}));
}

PiecewisePolynomial table_motion(const MotionTable& table, Interpolation interpolation) {
  check(table);
  switch (interpolation) {
    case Interpolation::linear:
      if (!table.v.empty() || !table.a.empty())
        throw InputError("linear interpolation of a table that gives rates",
                         "cubic (q and v) or quintic (q, v and a)");
      return pieces(table, 2, [](const MotionValue& x, const MotionValue& y, double h) {
        return Eigen::Vector2d(x.value, (y.value - x.value) / h);
      });
    case Interpolation::cubic:
      if (!table.a.empty())
        throw InputError("cubic interpolation of a table that gives accelerations", "quintic");
      if (table.v.empty()) return spline_of(table, false);
      return pieces(table, 4, cubic_hermite);
    case Interpolation::quintic:
      if (table.v.empty() != table.a.empty())
        throw InputError(
            "quintic interpolation of a table with only one of rates and accelerations",
            "both, or neither");
      if (table.v.empty()) {
        if (table.t.size() < 6)
          throw InputError(fmt::format("quintic interpolation of {} values", table.t.size()),
                           "at least 6 rows, or rates and accelerations as well");
        return spline_of(table, true);
      }
      return pieces(table, 6, quintic_hermite);
  }
  throw InputError("an unknown interpolation");
}

PiecewisePolynomial table_motion(const MotionTable& table) {
  const bool all = !table.v.empty() && !table.a.empty();
  return table_motion(table, all ? Interpolation::quintic : Interpolation::cubic);
}

}  // namespace ulna
