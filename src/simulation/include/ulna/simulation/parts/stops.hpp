#pragma once
// The stops of joints at their limits, as an experiment describes them.

namespace ulna {

/// How joints meet their limits.
struct StopOptions {
  bool enabled = false;      ///< otherwise limits are not felt
  double restitution = 0;    ///< speed after an impact by the speed before, 0 to 1
  double rest_speed = 1e-4;  ///< slower impacts come to rest
};

}  // namespace ulna
