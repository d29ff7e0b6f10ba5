#include "ulna/spatial/inertia.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

namespace ulna {

namespace {

constexpr double rounding = 1e-9;

/// Ascending.
Vector3<double> principal_moments(const Matrix3<double>& inertia) {
  if (!inertia.allFinite()) return Vector3<double>::Zero();
  return Eigen::SelfAdjointEigenSolver<Matrix3<double>>(inertia).eigenvalues();
}

double rounding_bound(double mass, const Vector3<double>& principal) {
  return -rounding * (std::abs(principal.sum()) / 2 + mass);
}

std::string why_energy_is_negative(double mass, const Matrix3<double>& inertia,
                                   const Vector3<double>& principal) {
  if (!std::isfinite(mass)) return fmt::format("mass is {}", mass);
  if (!inertia.allFinite()) return "an inertia entry is not a finite number";
  if (mass < 0) return fmt::format("mass {} is negative", mass);
  const double asymmetry = (inertia - inertia.transpose()).cwiseAbs().maxCoeff();
  if (asymmetry > rounding * inertia.cwiseAbs().maxCoeff())
    return fmt::format("inertia is not symmetric (by {:.3g})", asymmetry);

  if (principal(0) < rounding_bound(mass, principal))
    return fmt::format("principal moment {:.6g} is negative (moments {:.6g}, {:.6g}, {:.6g})",
                       principal(0), principal(0), principal(1), principal(2));
  return {};
}

}  // namespace

std::string why_impossible(double mass, const Matrix3<double>& inertia) {
  const Vector3<double> principal = principal_moments(inertia);
  std::string reason = why_energy_is_negative(mass, inertia, principal);
  if (!reason.empty()) return reason;
  // About the centre the pseudo-inertia is block diagonal: mass, and Sigma = tr(I)/2 - I, whose
  // eigenvalues are (I2 + I3 - I1)/2 and so on: the triangle inequalities of the principal moments.
  const double sigma = (principal(0) + principal(1) - principal(2)) / 2;
  if (sigma < rounding_bound(mass, principal))
    return fmt::format(
        "principal moments violate the triangle inequality: {:.6g} + {:.6g} < {:.6g}", principal(0),
        principal(1), principal(2));
  return {};
}

bool has_positive_energy(double mass, const Matrix3<double>& inertia) {
  return why_energy_is_negative(mass, inertia, principal_moments(inertia)).empty();
}

std::string why_impossible(const Inertia<double>& inertia) {
  if (!(inertia.mass > 0)) return why_impossible(inertia.mass, inertia.about_origin);
  const Vector3<double> centre = inertia.first_moment / inertia.mass;
  return why_impossible(
      inertia.mass, inertia.about_origin - Inertia<double>::parallel_axis(inertia.mass, centre));
}

}  // namespace ulna
