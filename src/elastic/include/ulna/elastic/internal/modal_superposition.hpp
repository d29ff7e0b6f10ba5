#pragma once
// What a structure answers to a force, by its modes, where dampers couple them: the motion x =
// shapes y with
//   y'' + D y' + omega^2 y = shapes' f,   D = shapes' C shapes + diag(2 zeta omega)
// (docs/theory/structure.md, eqs. 37-39). Modes left out, and freedoms without mass, follow
// statically. Without discrete dampers D is diagonal and each mode answers alone (response.hpp).

#include "ulna/elastic/natural_modes.hpp"
#include "ulna/elastic/response.hpp"

namespace ulna::elastic {

class ULNA_API ModalSuperposition {
 public:
  /// `zeta`: damping ratio of every mode beside the dampers of the system, at least 0. Rigid-body
  /// modes have none. `count`: modes used, 0 for all.
  ModalSuperposition(const SystemMatrices& system, double zeta, int count = 0);

  const NaturalModes& modes() const { return modes_; }
  const Eigen::MatrixXd& damping() const { return D_; }

  /// output' x per input, at each frequency (rad/s).
  Eigen::VectorXcd frequency_response(const Eigen::VectorXd& input, const Eigen::VectorXd& output,
                                      const Eigen::VectorXd& omega) const;

  /// outputs' x (columns: outputs) at each time, from rest at the first, under `force` (freedoms)
  /// times `history`, which runs straight between the times, after a blow of `impulse` times the
  /// force at the first time. Exact at the times, whatever the steps.
  Eigen::MatrixXd transient(const Eigen::VectorXd& force, const Eigen::MatrixXd& outputs,
                            const Eigen::VectorXd& times, const Eigen::VectorXd& history,
                            double impulse = 0) const;

 private:
  /// outputs' (K^-1 less its modes) force.
  Eigen::VectorXd static_rest(const Eigen::VectorXd& force, const Eigen::MatrixXd& outputs) const;

  SystemMatrices system_;
  NaturalModes modes_;
  Eigen::MatrixXd D_;
};

}  // namespace ulna::elastic
