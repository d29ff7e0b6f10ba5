#pragma once
// Motions of an experiment made fit for a flexible robot: input shaping, and inversion for a frame.
// docs/theory/tip-tracking.md.

#include "ulna/motion/input_shaper.hpp"
#include "ulna/simulation/experiment.hpp"
#include "ulna/simulation/tip_tracking.hpp"

namespace ulna {

/// How motions are shaped. Frequencies and damping are those of the robot with locked joints, at
/// postures along the motions, unless they are given.
struct Shaping {
  std::string shaper = "zvd";       ///< zv, zvd, zvdd, zvddd or robust
  int modes = 1;                    ///< how many, from the lowest
  double tolerance = 0.05;          ///< residual vibration of robust
  int postures = 21;                ///< along the motions
  std::vector<double> frequencies;  ///< rad/s, instead of those of the robot
  double damping = 0;               ///< ratio that goes with given frequencies
};
ULNA_API std::vector<std::string> shaper_names();

/// Shapes all motions. The end of the experiment follows where it is that of the motions.
ULNA_API TrackingResult shape_motions(Experiment& experiment, const Shaping& shaping);

/// Motions of joints and modes with which the frame follows the path it has on the rigid robot; the
/// experiment starts `preview` earlier. InputError for robots with joints that nothing drives.
ULNA_API TrackingResult track_tip(Experiment& experiment, const TipOptions& options);

}  // namespace ulna
