#pragma once
// A mechanism near a closed posture in independent coordinates x: q(x) closes the loops with the
// independent speeds' coordinates moved by x, v = G(q) x'. docs/theory/simulation.md, eq. 64.

#include "ulna/dynamics/loops.hpp"

namespace ulna {

class LoopChart {
 public:
  /// InputError where q leaves the loops open, or the speeds are not as many as degrees of freedom;
  /// ComputationError where they do not determine the others.
  LoopChart(const Model& model, const Eigen::VectorXd& q, const std::vector<int>& independent);

  int size() const { return static_cast<int>(split_.independent.size()); }
  const std::vector<int>& independent() const { return split_.independent; }
  const Eigen::VectorXd& base() const { return base_; }
  /// Steps along x that make differences accurate: 1e-3 rad, or that share of the robot's length.
  double step(int k) const;

  /// The posture at x. ComputationError where the loops do not close.
  Eigen::VectorXd posture(const Eigen::VectorXd& x);
  /// G at a closed posture: v = G v_independent.
  Eigen::MatrixXd speeds_by_independent(const Eigen::VectorXd& q);
  /// Accelerations of the independent speeds under efforts of all, those of closing_degrees()
  /// behind them if any. Coulomb friction keeps the sense that it has at the speeds `rubbing`.
  Eigen::VectorXd accelerations(const Eigen::VectorXd& q, const Eigen::VectorXd& v_independent,
                                const Eigen::VectorXd& tau, const Eigen::VectorXd& rubbing);
  /// Efforts along x that gravity and springs ask for at rest, less tau.
  Eigen::VectorXd missing_efforts(const Eigen::VectorXd& q, const Eigen::VectorXd& tau);

  /// d f(posture(x)) / dx at x = 0, one column each, by differences of order four.
  template <class Function>
  Eigen::MatrixXd derivative(const Function& f) {
    Eigen::MatrixXd J;
    for (int k = 0; k < size(); ++k) {
      const double h = step(k);
      const auto at = [&](double x) -> Eigen::VectorXd {
        return f(posture(x * h * Eigen::VectorXd::Unit(size(), k)));
      };
      const Eigen::VectorXd column = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
      if (k == 0) J.resize(column.size(), size());
      J.col(k) = column;
    }
    return J;
  }

 private:
  const Model& model_;
  Workspace work_;
  LoopDynamics holding_, moving_;  ///< with the independent speeds held, and with none
  Eigen::VectorXd base_, zero_;
  SpeedSplit split_;
  Eigen::MatrixXd G_;
};

/// Speeds that serve as independent ones at q: `wanted` if there are some; else the drives of a
/// platform where these determine it, else those that pivoting finds.
std::vector<int> independent_or_default(const Model& model, const Eigen::VectorXd& q,
                                        const std::vector<int>& wanted);

}  // namespace ulna
