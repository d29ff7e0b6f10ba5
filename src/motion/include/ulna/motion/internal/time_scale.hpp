#pragma once
// How fast a motion may be run: the largest alpha of q(alpha t) that keeps a limit.
// docs/theory/motions.md, eq. 29-31.
//
// Along the scaled motion, efforts are inertial * alpha^2 + viscous * alpha + constant: what
// accelerates and centrifugal forces grow with alpha^2, viscous friction with alpha, gravity,
// springs and Coulomb friction not at all. Masses are unknown here; the caller hands the terms in.

#include <functional>
#include <string>

#include "ulna/motion/motion.hpp"

namespace ulna {

/// The answer, and what stands against a larger one.
struct TimeScale {
  double alpha = 0;
  double time = 0;     ///< of the motion at alpha = 1, where the limit is met
  int coordinate = 0;  ///< whose
  /// Whether all smaller alpha keep the limits, too. They may not: an effort that must carry a
  /// weight can be too small for slow motions that a fast one gets by with.
  bool all_slower = true;
};

struct EffortTerms {
  Eigen::VectorXd inertial, viscous, constant;
};

/// Largest alpha with |v| <= limit for every coordinate; infinite for a motion that rests. Peaks
/// are searched by samples between breakpoints and refined. InputError for limits that are not
/// above zero, or as many as coordinates.
ULNA_API TimeScale alpha_for_rates(const Motion& motion, const Eigen::VectorXd& limits,
                                   int samples = 400);

/// Largest alpha with lower <= effort <= upper at all times from 0 to `duration`. `terms` gives the
/// efforts at a time of the unscaled motion. Sampled, then refined about the decisive time.
/// ComputationError when no alpha keeps the limits (with the coordinate and time that forbid it).
ULNA_API TimeScale alpha_for_efforts(const std::function<EffortTerms(double t)>& terms,
                                     double duration, const Eigen::VectorXd& lower,
                                     const Eigen::VectorXd& upper, int samples = 1000);

/// The alpha at which any measure of the run (a peak deflection by simulation, say) meets its
/// limit, to `tolerance` of itself; the measure must grow with alpha. ComputationError when it does
/// not pass the limit between `low` and `high`.
ULNA_API double alpha_for_measure(const std::function<double(double alpha)>& measure, double limit,
                                  double low, double high, double tolerance = 1e-9);

}  // namespace ulna
