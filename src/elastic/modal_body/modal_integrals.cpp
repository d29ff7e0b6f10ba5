#include "ulna/elastic/internal/modal_integrals.hpp"

#include <cmath>

#include "modal_body/quadrature.hpp"

namespace ulna {
namespace {

ModalIntegrals zeros(int n) {
  const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(n, n);
  return {zero.col(0), zero.col(0), zero, zero, zero, zero, zero};
}

}  // namespace

ModalIntegrals modal_integrals(const ModeSet& set, double rho, double EI) {
  const int n = static_cast<int>(set.modes.size());
  const double l = set.length;
  if (n == 0) return {};
  ModalIntegrals out = zeros(n);
  double largest = 0;
  for (const ModeShape& mode : set.modes) largest = std::max(largest, mode.lambda);
  // Products of two modes turn by less than 3 rad in a panel.
  const Quadrature points = panel_quadrature({0, l}, 4 + static_cast<int>(largest));
  std::vector<ShapeValue> phi(n);
  for (std::size_t q = 0; q < points.x.size(); ++q) {
    const double x = points.x[q], w = points.w[q];
    for (int i = 0; i < n; ++i) phi[i] = set.modes[i].at(x);
    for (int i = 0; i < n; ++i) {
      out.E(i) += w * rho * phi[i].value;
      out.F(i) += w * rho * x * phi[i].value;
      for (int j = 0; j < n; ++j) {
        const double slopes = w * phi[i].slope * phi[j].slope;
        out.G(i, j) += w * rho * phi[i].value * phi[j].value;
        out.H(i, j) += w * EI * phi[i].curvature * phi[j].curvature;
        out.beta(i, j) += slopes;
        // Integrated by parts: int rho beta = int rho (l - x) phi' phi'.
        out.mu(i, j) += rho * (l - x) * slopes;
        out.eta(i, j) += 0.5 * rho * (l * l - x * x) * slopes;
      }
    }
  }
  return out;
}

ModalIntegrals clamped_free_integrals(double l, int count, double rho, double EI) {
  ModalIntegrals out = zeros(count);
  const ModeSet set = bending_modes(ModeFamily::clamped_free, l, count);
  Eigen::VectorXd b(count), sigma(count);
  for (int i = 0; i < count; ++i) {
    const double lambda = set.modes[i].lambda, e = std::exp(-lambda);
    b(i) = lambda / l;
    sigma(i) = (1 - e * e - 2 * e * std::sin(lambda)) / (1 + e * e + 2 * e * std::cos(lambda));
  }
  const auto fourth = [](double x) { return x * x * x * x; };
  for (int i = 0; i < count; ++i) {
    const double Z = sigma(i) * b(i) * l;
    out.E(i) = 2 * rho * sigma(i) / b(i);
    out.F(i) = 2 * rho / (b(i) * b(i));
    out.G(i, i) = rho * l;
    out.H(i, i) = EI * l * fourth(b(i));
    out.mu(i, i) = rho * (2 - Z + Z * Z / 2);
    out.eta(i, i) = rho * l * (1.25 - Z / 2 + Z * Z / 3);
    out.beta(i, i) = sigma(i) * b(i) * (2 + Z);
    for (int j = 0; j < count; ++j) {
      if (i == j) continue;
      const double bi4 = fourth(b(i)), bj4 = fourth(b(j)), D = bi4 - bj4;
      const double squares = b(i) * b(i) * b(j) * b(j), s = (i + j) % 2 == 0 ? 1 : -1;
      const double d = 4 * squares * (sigma(i) * b(i) - sigma(j) * b(j));
      out.mu(i, j) =
          rho / D * (8 * (bi4 + bj4) * squares / D - 16 * s * squares * squares / D - l * d);
      out.eta(i, j) = rho / D * (-16 * s * l * squares * squares / D - l * l * d / 2);
      out.beta(i, j) = (4 * s * (sigma(j) * bi4 * b(j) - sigma(i) * bj4 * b(i)) - d) / D;
    }
  }
  return out;
}

}  // namespace ulna
