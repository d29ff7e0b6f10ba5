#include "ulna/elastic/internal/modal_superposition.hpp"

#include <complex>

#include "ulna/elastic/internal/sparse_factor.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna::elastic {
namespace {

using std::complex;

void check_times(const Eigen::VectorXd& times, const Eigen::VectorXd& history) {
  if (times.size() != history.size())
    throw InputError("the force history has another length than its times");
  if (times.size() == 0) throw InputError("a transient without a time");
  for (int k = 1; k < times.size(); ++k)
    if (!(times(k) > times(k - 1))) throw InputError("the times of a force history must increase");
}

// One step of z' = A z + b f with f running straight: the exponential of the system to which f and
// its slope are added as states, so that it is exact. Steps of one length share it.
class Stepper {
 public:
  Stepper(const Eigen::VectorXd& omega, const Eigen::MatrixXd& D, const Eigen::VectorXd& gain)
      : n_(static_cast<int>(omega.size())) {
    // Speeds in units of the highest frequency: the exponential likes entries of one size.
    scale_ = std::max(omega.size() ? omega.maxCoeff() : 0.0, 1e-300);
    if (omega.size() == 0 || omega.maxCoeff() == 0) scale_ = 1;
    A_.setZero(2 * n_ + 2, 2 * n_ + 2);
    A_.block(0, n_, n_, n_).diagonal().setConstant(scale_);
    A_.block(n_, 0, n_, n_).diagonal() = -omega.cwiseAbs2() / scale_;
    A_.block(n_, n_, n_, n_) = -D;
    A_.block(n_, 2 * n_, n_, 1) = gain / scale_;
    A_(2 * n_, 2 * n_ + 1) = 1;
    z_.setZero(2 * n_ + 2);
  }
  void blow(const Eigen::VectorXd& speeds) { z_.segment(n_, n_) += speeds / scale_; }

  void step(double f0, double f1, double h) {
    if (std::abs(h - length_) > 1e-13 * h) E_ = dense::exponential(A_ * h), length_ = h;
    z_(2 * n_) = f0;
    z_(2 * n_ + 1) = (f1 - f0) / h;
    z_ = E_ * z_;
  }
  Eigen::VectorXd amplitudes() const { return z_.head(n_); }

 private:
  int n_;
  double scale_ = 1, length_ = 0;
  Eigen::MatrixXd A_, E_;
  Eigen::VectorXd z_;
};

}  // namespace

ModalSuperposition::ModalSuperposition(const SystemMatrices& system, double zeta, int count)
    : system_(system) {
  if (!(zeta >= 0)) throw InputError("a damping ratio below zero", "0 or more");
  EigenOptions options;
  options.count = count;
  modes_ = natural_modes(system, options);
  D_ = (2 * zeta * modes_.omega).asDiagonal();
  if (system.damped()) {
    const Eigen::MatrixXd coupled = modes_.shapes.transpose() * (system.C * modes_.shapes);
    D_ += 0.5 * (coupled + coupled.transpose());
  }
}

Eigen::VectorXd ModalSuperposition::static_rest(const Eigen::VectorXd& force,
                                                const Eigen::MatrixXd& outputs) const {
  if (modes_.rigid_body_modes > 0) return Eigen::VectorXd::Zero(outputs.cols());
  const SparseFactor factor(system_.K);
  if (!factor.ok()) throw ComputationError("the stiffness cannot be factored");
  Eigen::VectorXd bent = factor.solve(force);
  const Eigen::VectorXd gain = modes_.shapes.transpose() * force;
  bent -= modes_.shapes * gain.cwiseQuotient(modes_.omega.cwiseAbs2());
  return outputs.transpose() * bent;
}

Eigen::VectorXcd ModalSuperposition::frequency_response(const Eigen::VectorXd& input,
                                                        const Eigen::VectorXd& output,
                                                        const Eigen::VectorXd& omega) const {
  const double rest = static_rest(input, output)(0);
  const Eigen::VectorXcd in = (modes_.shapes.transpose() * input).cast<complex<double>>();
  const Eigen::VectorXcd out = (modes_.shapes.transpose() * output).cast<complex<double>>();
  const bool coupled = system_.damped();
  Eigen::VectorXcd h(omega.size());
  for (int k = 0; k < omega.size(); ++k) {
    interruption_point();
    const double w = omega(k);
    const Eigen::VectorXcd diagonal =
        (modes_.omega.cwiseAbs2().array() - w * w).matrix().cast<complex<double>>();
    if (!coupled) {
      const Eigen::VectorXcd d = diagonal + complex<double>(0, w) * D_.diagonal();
      h(k) = rest + (out.array() * in.array() / d.array()).sum();
      continue;
    }
    Eigen::MatrixXcd A = complex<double>(0, w) * D_;
    A.diagonal() += diagonal;
    h(k) = rest + out.cwiseProduct(dense::solve_complex(A, in)).sum();
  }
  return h;
}

Eigen::MatrixXd ModalSuperposition::transient(const Eigen::VectorXd& force,
                                              const Eigen::MatrixXd& outputs,
                                              const Eigen::VectorXd& times,
                                              const Eigen::VectorXd& history,
                                              double impulse) const {
  check_times(times, history);
  const Eigen::VectorXd gain = modes_.shapes.transpose() * force;
  const Eigen::MatrixXd seen = outputs.transpose() * modes_.shapes;
  Eigen::MatrixXd y = Eigen::MatrixXd::Zero(times.size(), outputs.cols());
  if (system_.damped()) {
    Stepper stepper(modes_.omega, D_, gain);
    stepper.blow(impulse * gain);
    for (int k = 1; k < times.size(); ++k) {
      if (k % 1024 == 0) interruption_point();
      stepper.step(history(k - 1), history(k), times(k) - times(k - 1));
      y.row(k) = (seen * stepper.amplitudes()).transpose();
    }
  } else {
    const Eigen::VectorXd zeta =
        (modes_.omega.array() > 0).select(D_.diagonal().cwiseQuotient(2 * modes_.omega), 0.0);
    y = (seen * modal_transient(modes_, zeta, force, times, history, impulse)).transpose();
  }
  return y + history * static_rest(force, outputs).transpose();
}

}  // namespace ulna::elastic
