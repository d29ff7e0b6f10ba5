#pragma once
// Identification of base parameters from recorded motion and efforts, by weighted least squares.
// docs/theory/regressor.md, eq. 20-24.
//
//   ulna::TorqueRegressor regressor(model, {true, true, true, false});
//   ulna::BaseParameters base = ulna::base_parameters_by_rank(regressor);
//   ulna::Recording moved = ulna::excitation(regressor, base);   // then measure efforts along it
//   ulna::Identification found = ulna::identify(regressor, base, recorded);

#include <functional>

#include "ulna/dynamics/base_parameters.hpp"

namespace ulna {

/// One column per sample. Coordinates, speeds and accelerations are taken as exact: filter measured
/// ones before.
struct Recording {
  Eigen::MatrixXd q, v, a;
  Eigen::MatrixXd tau;  ///< may be empty where no efforts are needed

  Eigen::Index samples() const { return q.cols(); }
};

struct Identification {
  Eigen::VectorXd estimate;    ///< of the base parameters
  Eigen::MatrixXd covariance;  ///< of the estimate
  Eigen::VectorXd noise;       ///< standard deviation of each effort, from the residuals
  double condition = 0;        ///< of the weighted regressor with columns of unit length
  /// Of the residuals of each speed from one sample to the next; empty for a plain recording. Far
  /// from zero, the model lacks something and the deviations are too small.
  Eigen::VectorXd correlation = {};

  /// Standard deviation of each estimate.
  Eigen::VectorXd deviations() const { return covariance.diagonal().cwiseSqrt(); }
};

/// eq. 21-23. Terms that are no columns of the regressor (springs, friction) are those of the
/// model. Throws InputError for a recording that does not fit the model or is too short,
/// ComputationError when it does not excite all base parameters.
ULNA_API Identification identify(TorqueRegressor& regressor, const BaseParameters& base,
                                 const Recording& recording);

/// Efforts along a recorded motion for given base parameters, one column per sample.
ULNA_API Eigen::MatrixXd predicted_efforts(TorqueRegressor& regressor, const BaseParameters& base,
                                           const VectorRef& estimate, const Recording& motion);

/// eq. 24: parameters of all bodies with these base parameters, nearest to those of the model. The
/// change of each is measured by its size in the model, at least `share` of the largest of its
/// kind.
ULNA_API Eigen::VectorXd nearest_parameters(const TorqueRegressor& regressor,
                                            const BaseParameters& base, const VectorRef& estimate,
                                            double share = 0.01);

/// Why bodies with these parameters cannot exist: one sentence for each such body.
ULNA_API std::vector<std::string> impossible_bodies(const TorqueRegressor& regressor,
                                                    const VectorRef& parameters);

/// eq. 30: parameters of bodies that can exist, with friction and rotor inertias that are not
/// negative, which explain the efforts best. They are nearest to the model's where the efforts do
/// not decide.
struct ConsistentParameters {
  Eigen::VectorXd parameters;  ///< of all columns of the regressor
  Eigen::VectorXd base;        ///< the base parameters that they have
  /// How far these are from the estimate: |R (base - estimate)|^2, by the number of base
  /// parameters. Much above 1, the model itself does not fit the efforts.
  double distance = 0;
};
/// `pull`: weight of the distance from the model's parameters beside the sum of squares of efforts
/// in units of their noise.
ULNA_API ConsistentParameters consistent_parameters(const TorqueRegressor& regressor,
                                                    const BaseParameters& base,
                                                    const Identification& found,
                                                    double pull = 0.01);

struct ExcitationOptions {
  unsigned seed = 1;
  double period = 10;       ///< of the motion, which is closed and smooth, s
  int harmonics = 5;        ///< of each coordinate
  int samples = 500;        ///< spread over one period
  int candidates = 20;      ///< random motions, of which the best conditioned is taken
  double velocity = 2;      ///< largest, where the model has no limit, rad/s or m/s
  double acceleration = 5;  ///< largest, rad/s^2 or m/s^2
  bool from_rest = false;   ///< speed and acceleration are zero at the beginning and at the end
  /// Asked before each candidate but the first, if given: true ends the search with what it has.
  std::function<bool()> stop = {};
};

/// eq. 20: a random Fourier series for each coordinate, inside the limits of the model. Throws
/// InputError for robots with spherical or free joints, whose coordinates are no such functions.
ULNA_API Recording excitation(TorqueRegressor& regressor, const BaseParameters& base,
                              const ExcitationOptions& options = {});

/// Condition number of the regressor along a motion, its columns brought to unit length.
ULNA_API double regressor_condition(TorqueRegressor& regressor, const BaseParameters& base,
                                    const Recording& motion);

}  // namespace ulna
