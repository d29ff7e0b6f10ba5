#include "ulna/spatial/inertia.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

namespace ulna {

std::string why_impossible(double mass, const Matrix3<double>& inertia) {
  constexpr double rounding = 1e-9;
  if (!std::isfinite(mass)) return fmt::format("mass is {}", mass);
  if (!inertia.allFinite()) return "an inertia entry is not a finite number";
  if (mass < 0) return fmt::format("mass {} is negative", mass);
  const double asymmetry = (inertia - inertia.transpose()).cwiseAbs().maxCoeff();
  if (asymmetry > rounding * inertia.cwiseAbs().maxCoeff())
    return fmt::format("inertia is not symmetric (by {:.3g})", asymmetry);

  // About the centre the pseudo-inertia is block diagonal: mass, and Sigma = tr(I)/2 - I, whose
  // eigenvalues are (I2 + I3 - I1)/2 and so on: the triangle inequalities of the principal moments.
  const Eigen::SelfAdjointEigenSolver<Matrix3<double>> solver(inertia);
  const Vector3<double> principal = solver.eigenvalues();  // ascending
  const double trace = principal.sum();
  const double bound = -rounding * (std::abs(trace) / 2 + mass);
  if (principal(0) < bound)
    return fmt::format("principal moment {:.6g} is negative (moments {:.6g}, {:.6g}, {:.6g})",
                       principal(0), principal(0), principal(1), principal(2));
  const double sigma = (principal(0) + principal(1) - principal(2)) / 2;
  if (sigma < bound)
    return fmt::format(
        "principal moments violate the triangle inequality: {:.6g} + {:.6g} < {:.6g}", principal(0),
        principal(1), principal(2));
  return {};
}

std::string why_impossible(const Inertia<double>& inertia) {
  if (!(inertia.mass > 0)) return why_impossible(inertia.mass, inertia.about_origin);
  const Vector3<double> centre = inertia.first_moment / inertia.mass;
  return why_impossible(
      inertia.mass, inertia.about_origin - Inertia<double>::parallel_axis(inertia.mass, centre));
}

}  // namespace ulna
