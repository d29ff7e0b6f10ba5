#pragma once
// Gauss-Legendre quadrature in panels along a beam: places and weights, and integrals up to a
// place.

#include <functional>
#include <vector>

namespace ulna {

struct Quadrature {
  std::vector<double> x, w;
  std::vector<double> panel_start;  ///< of the panel each place lies in
};

/// `panels` panels between each two neighbouring cuts (at least the two ends), 20 places each.
Quadrature panel_quadrature(const std::vector<double>& cuts, int panels);

/// The integral of f from a to b by one panel.
double integral(const std::function<double(double)>& f, double a, double b);

}  // namespace ulna
