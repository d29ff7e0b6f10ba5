#pragma once
// What is asked of a linear system dx/dt = A x + B u, y = C x + D u (linearize.hpp): its form in
// discrete time, Gramians, frequency responses, regulators. docs/theory/simulation.md, eq. 70-78.

#include <complex>
#include <optional>
#include <vector>

#include "ulna/simulation/state_feedback.hpp"

namespace ulna {

/// x(t + T) = A x(t) + B u while u is held for T.
struct DiscreteSystem {
  Eigen::MatrixXd A, B;
  double period = 0;
};
/// Zero-order hold: exact, from the exponential of [A B; 0 0] T. InputError unless T > 0.
ULNA_API DiscreteSystem discretize(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B,
                                   double period);

/// Controllability (A W + W A' + B B' = 0) and observability (A' W + W A + C' C = 0); of discrete
/// systems A W A' - W + B B' = 0 and A' W A - W + C' C = 0. ComputationError unless A is stable.
struct Gramians {
  Eigen::MatrixXd controllability, observability;
  Eigen::VectorXd
      hankel;  ///< singular values, descending: what each state of a balanced form counts
};
ULNA_API Gramians gramians(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B,
                           const Eigen::MatrixXd& C);
ULNA_API Gramians discrete_gramians(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B,
                                    const Eigen::MatrixXd& C);

/// W with A W A' - W + S = 0 for a stable A, by doubling.
ULNA_API Eigen::MatrixXd discrete_lyapunov(const Eigen::MatrixXd& A, const Eigen::MatrixXd& S);

/// C (i w - A)^-1 B + D at angular frequencies w; with a period C (exp(i w T) - A)^-1 B + D.
ULNA_API std::vector<Eigen::MatrixXcd> frequency_response(
    const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, const Eigen::MatrixXd& C,
    const Eigen::MatrixXd& D, const std::vector<double>& frequencies, double period = 0);

/// Angular frequencies, evenly spaced in the logarithm, from a tenth of the slowest pole to ten
/// times the fastest (with a period: up to half of the sampling frequency).
ULNA_API std::vector<double> bode_frequencies(const Eigen::MatrixXd& A, int count = 200,
                                              double period = 0);

/// The stabilising P of P = A' P A - A' P B (R + B' P B)^-1 B' P A + Q, by the doubling algorithm.
/// ComputationError when there is none.
ULNA_API Eigen::MatrixXd discrete_riccati(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B,
                                          const Eigen::MatrixXd& Q, const Eigen::MatrixXd& R);
/// Minimises the sum of x' Q x + u' R u over the samples: u = -K x.
ULNA_API Regulator discrete_regulator(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B,
                                      const Eigen::MatrixXd& Q, const Eigen::MatrixXd& R);

}  // namespace ulna
