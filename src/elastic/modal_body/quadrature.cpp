#include "modal_body/quadrature.hpp"

#include <cmath>

namespace ulna {
namespace {

constexpr int order = 20;

struct Rule {
  double x[order], w[order];  ///< on -1 .. 1
};

/// Roots of the Legendre polynomial by Newton's method from the usual first guess.
Rule make_rule() {
  Rule rule;
  for (int i = 0; i < order; ++i) {
    double x = std::cos(M_PI * (i + 0.75) / (order + 0.5)), slope = 1;
    for (int iteration = 0; iteration < 10; ++iteration) {
      double p = 1, before = 0;
      for (int k = 0; k < order; ++k) {
        const double next = ((2 * k + 1) * x * p - k * before) / (k + 1);
        before = p;
        p = next;
      }
      slope = order * (x * p - before) / (x * x - 1);
      x -= p / slope;
    }
    rule.x[order - 1 - i] = x;
    rule.w[order - 1 - i] = 2 / ((1 - x * x) * slope * slope);
  }
  return rule;
}

const Rule& rule() {
  static const Rule made = make_rule();
  return made;
}

}  // namespace

Quadrature panel_quadrature(const std::vector<double>& cuts, int panels) {
  Quadrature out;
  for (std::size_t c = 0; c + 1 < cuts.size(); ++c)
    for (int p = 0; p < panels; ++p) {
      const double width = (cuts[c + 1] - cuts[c]) / panels, start = cuts[c] + p * width;
      for (int k = 0; k < order; ++k) {
        out.x.push_back(start + 0.5 * width * (1 + rule().x[k]));
        out.w.push_back(0.5 * width * rule().w[k]);
        out.panel_start.push_back(start);
      }
    }
  return out;
}

double integral(const std::function<double(double)>& f, double a, double b) {
  double sum = 0;
  for (int k = 0; k < order; ++k) sum += rule().w[k] * f(a + 0.5 * (b - a) * (1 + rule().x[k]));
  return 0.5 * (b - a) * sum;
}

}  // namespace ulna
