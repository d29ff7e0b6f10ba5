#include "ulna/elastic/response.hpp"

#include <Eigen/SparseLU>
#include <cmath>

#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna::elastic {

using std::complex;

Eigen::VectorXcd frequency_response(const SystemMatrices& system, const Eigen::VectorXd& input,
                                    const Eigen::VectorXd& output, const Eigen::VectorXd& omega) {
  using Complex = Eigen::SparseMatrix<complex<double>>;
  const Complex M = system.M.cast<complex<double>>(), K = system.K.cast<complex<double>>();
  Complex C(system.size(), system.size());
  if (system.damped()) C = system.C.cast<complex<double>>();
  Eigen::VectorXcd h(omega.size());
  Eigen::SparseLU<Complex> factor;
  for (int k = 0; k < omega.size(); ++k) {
    const double w = omega(k);
    const Complex D = K + complex<double>(0, w) * C - complex<double>(w * w, 0) * M;
    if (k == 0) factor.analyzePattern(D);
    factor.factorize(D);
    if (factor.info() != Eigen::Success)
      throw ComputationError("the undamped structure resonates at one of the given frequencies", w);
    const Eigen::VectorXcd x = factor.solve(input.cast<complex<double>>());
    h(k) = output.cast<complex<double>>().dot(x);
  }
  return h;
}

Eigen::VectorXcd modal_frequency_response(const NaturalModes& modes, const Eigen::VectorXd& zeta,
                                          const Eigen::VectorXd& input,
                                          const Eigen::VectorXd& output,
                                          const Eigen::VectorXd& omega,
                                          const double* static_response) {
  const Eigen::VectorXd gain =
      (modes.shapes.transpose() * input).cwiseProduct(modes.shapes.transpose() * output);
  double rest = 0;
  if (static_response) {
    rest = *static_response;
    for (int i = 0; i < modes.count(); ++i)
      if (modes.omega(i) > 0) rest -= gain(i) / (modes.omega(i) * modes.omega(i));
  }
  Eigen::VectorXcd h(omega.size());
  for (int k = 0; k < omega.size(); ++k) {
    h(k) = rest;
    for (int i = 0; i < modes.count(); ++i) {
      const double w = modes.omega(i);
      h(k) += gain(i) / complex<double>(w * w - omega(k) * omega(k), 2 * zeta(i) * w * omega(k));
    }
  }
  return h;
}

namespace {

// One mode under a force that runs straight from f0 to f1 within h: the exact step (eq. 27).
struct ModalStep {
  double w, z;

  void run(double& y, double& v, double f0, double f1, double h) const {
    const double slope = (f1 - f0) / h;
    if (w == 0) {
      y += h * v + h * h * (f0 / 2 + slope * h / 6);
      v += h * (f0 + slope * h / 2);
      return;
    }
    // Particular motion a + b t, then the free vibration of what is left.
    const double b = slope / (w * w), a = (f0 - 2 * z * w * b) / (w * w);
    const double wd = w * std::sqrt(1 - z * z), e = std::exp(-z * w * h);
    const double c = std::cos(wd * h), s = std::sin(wd * h);
    const double A = y - a, B = (v - b + z * w * A) / wd;
    y = a + b * h + e * (A * c + B * s);
    v = b + e * ((B * wd - z * w * A) * c - (A * wd + z * w * B) * s);
  }
};

}  // namespace

Eigen::MatrixXd modal_transient(const NaturalModes& modes, const Eigen::VectorXd& zeta,
                                const Eigen::VectorXd& force, const Eigen::VectorXd& times,
                                const Eigen::VectorXd& history, double impulse) {
  if (times.size() != history.size())
    throw InputError("the force history has another length than its times");
  for (int k = 1; k < times.size(); ++k)
    if (!(times(k) > times(k - 1))) throw InputError("the times of a force history must increase");
  if (zeta.size() != modes.count() || (zeta.array().abs() >= 1).any())
    throw InputError("damping ratios of a transient", "one below 1 for each mode");
  const Eigen::VectorXd gain = modes.shapes.transpose() * force;
  Eigen::MatrixXd y = Eigen::MatrixXd::Zero(modes.count(), times.size());
  for (int i = 0; i < modes.count(); ++i) {
    const ModalStep step{modes.omega(i), zeta(i)};
    double position = 0, speed = impulse * gain(i);
    for (int k = 1; k < times.size(); ++k) {
      if (k % 4096 == 0) interruption_point();
      step.run(position, speed, gain(i) * history(k - 1), gain(i) * history(k),
               times(k) - times(k - 1));
      y(i, k) = position;
    }
  }
  return y;
}

}  // namespace ulna::elastic
