#include "platform/path_tracker.hpp"

#include <cmath>

namespace ulna {
namespace {

/// Gaussian elimination with row pivoting, in place; false for a matrix that is singular to
/// rounding. Small and called a million times: without allocation.
bool eliminate(ComplexMatrix& A, ComplexVector& b) {
  const auto n = A.rows();
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index pivot = k;
    double most = std::norm(A(k, k));
    for (Eigen::Index i = k + 1; i < n; ++i)
      if (const double size = std::norm(A(i, k)); size > most) {
        most = size;
        pivot = i;
      }
    if (!(most > 1e-28)) return false;
    if (pivot != k) {
      A.row(k).swap(A.row(pivot));
      std::swap(b(k), b(pivot));
    }
    const Complex one = 1.0 / A(k, k);
    for (Eigen::Index i = k + 1; i < n; ++i) {
      const Complex m = A(i, k) * one;
      if (m == 0.0) continue;
      const double mr = m.real(), mi = m.imag();
      for (Eigen::Index j = k + 1; j < n; ++j) {
        const Complex c = A(k, j);
        A(i, j) -= Complex(mr * c.real() - mi * c.imag(), mr * c.imag() + mi * c.real());
      }
      b(i) -= m * b(k);
    }
  }
  for (Eigen::Index k = n - 1; k >= 0; --k) {
    Complex sum = b(k);
    for (Eigen::Index j = k + 1; j < n; ++j) sum -= A(k, j) * b(j);
    b(k) = sum / A(k, k);
  }
  return true;
}

}  // namespace

PathTracker::PathTracker(const LineQuadrics& quadrics)
    : quadrics_(quadrics),
      f_(quadrics.equations()),
      J_(quadrics.equations(), quadrics.unknowns()),
      lu_(quadrics.unknowns(), quadrics.unknowns()) {}

bool PathTracker::solve(ComplexVector& right) {
  lu_.topRows(quadrics_.equations()) = J_;
  lu_.bottomRows(1) = patch_.transpose();
  return eliminate(lu_, right);
}

bool PathTracker::tangent(const ComplexVector& x, const ComplexVector& s, ComplexVector& dx) {
  quadrics_.evaluate(x, s, f_, J_);
  const Complex square = quadrics_.turning_square(x);
  dx.setZero(quadrics_.unknowns());
  for (int k = 0; k < quadrics_.lines(); ++k) dx(k) = -ds_(k) * square;
  return solve(dx);
}

bool PathTracker::refine(ComplexVector& x, const ComplexVector& s, double tolerance, int most) {
  for (int k = 0; k < most; ++k) {
    patch_ = x.conjugate();
    quadrics_.evaluate(x, s, f_, J_);
    ComplexVector step(quadrics_.unknowns());
    step.head(quadrics_.equations()) = -f_;
    step(quadrics_.equations()) = 0;
    if (!solve(step)) return false;
    const double size = step.norm();
    if (!(size < 0.3)) return false;
    x += step;
    x /= x.norm();
    if (size < tolerance) return true;
  }
  return false;
}

bool PathTracker::search(ComplexVector& x, const ComplexVector& s) {
  constexpr int most = 50;
  for (int k = 0; k < most; ++k) {
    patch_ = x.conjugate();
    quadrics_.evaluate(x, s, f_, J_);
    ComplexVector step(quadrics_.unknowns());
    step.head(quadrics_.equations()) = -f_;
    step(quadrics_.equations()) = 0;
    if (!solve(step)) return false;
    const double size = step.norm();
    if (!std::isfinite(size)) return false;
    if (size > 1) step /= size;
    x += step;
    x /= x.norm();
    if (size < 1e-11) return true;
  }
  return false;
}

TrackedPoint PathTracker::follow(const ComplexVector& start, const ComplexVector& from,
                                 const ComplexVector& to, double longest) {
  constexpr double least_step = 1e-9;
  constexpr double correction = 1e-9;  ///< of Newton's last step
  constexpr int corrections = 3, good_steps = 4;
  ds_ = to - from;
  TrackedPoint at{start / start.norm(), false, 1};
  double t = 0, step = longest / 2;
  int good = 0;
  ComplexVector k1, k2, k3, k4, next;
  while (t < 1) {
    const double h = std::min(step, 1 - t);
    patch_ = at.x.conjugate();
    const ComplexVector s = from + t * ds_, middle = from + (t + h / 2) * ds_,
                        there = t + h >= 1 ? to : ComplexVector(from + (t + h) * ds_);
    bool fine = tangent(at.x, s, k1) && tangent(at.x + h / 2 * k1, middle, k2) &&
                tangent(at.x + h / 2 * k2, middle, k3) && tangent(at.x + h * k3, there, k4);
    if (fine) {
      next = at.x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      next /= next.norm();
      // A predicted point from which Newton goes far may belong to another solution.
      const ComplexVector predicted = next;
      fine = refine(next, there, correction, corrections);
      if (fine) {
        const Complex along = (predicted.adjoint() * next)(0);
        fine = 1 - std::abs(along) < 1e-6;
      }
    }
    if (!fine) {
      step = h / 2;
      good = 0;
      if (step < least_step) {
        at.left = 1 - t;
        return at;
      }
      continue;
    }
    at.x = next;
    t = t + h >= 1 ? 1 : t + h;
    if (++good >= good_steps) {
      step = std::min(longest, 2 * step);
      good = 0;
    }
  }
  at.left = 0;
  at.arrived = true;
  return at;
}

}  // namespace ulna
