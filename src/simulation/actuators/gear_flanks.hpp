#pragma once
// Gears with play between motors and joints: within a step the flanks are apart or press on one
// side, and keep the law of that side also in trials past its end; where they meet or part is an
// event. Where they meet their damping makes the effort jump. docs/theory/actuators.md, eq. 7a.

#include <vector>

#include "ulna/simulation/parts/actuator.hpp"

namespace ulna {

class GearFlanks {
 public:
  explicit GearFlanks(const std::vector<const Actuator*>& actuators);

  bool any() const { return !list_.empty(); }
  /// Actuator number k gives the effort of its present side: corrects what its law says at
  /// (position, speed, states x), the rates dx of the states likewise. Remembers the state.
  double correct(std::size_t k, const ActuatorInput& input, const double* x, double effort,
                 double* dx);

  // ---- at the last call of `correct` -----------------------------------------------------------
  /// Negative where flanks have met or parted.
  double guard() const;
  /// The sides anew. True where one is another.
  bool choose();

  /// How often each has changed, and the speed that it drives.
  struct Changes {
    int speed;
    long count;
  };
  std::vector<Changes> changes() const;

 private:
  struct Flanks {
    const Gear* gear = nullptr;
    int speed = 0;
    int states = 0;               ///< of its actuator; the last two are those of the rotor
    int side = 0;                 ///< 1, -1: that flank presses; 0: they are apart
    double across = 0, rate = 0;  ///< of the rotor before the joint
    long changes = 0;
    double depth(int on) const;   ///< of the teeth beyond the play
    double force(int on) const;   ///< with which that flank would press
    double inside(int of) const;  ///< how far from where that side ends, as a stretch of the teeth
  };
  std::vector<Flanks> list_;
  std::vector<int> of_actuator_;  ///< number in the list, or -1
};

}  // namespace ulna
