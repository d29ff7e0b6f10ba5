#pragma once
// Joints that stick by Coulomb friction or rest against a stop. docs/theory/simulation.md, eq.
// 14-19.
//
// Within a step every joint has a mode, and with it the equations are smooth: a slipping joint has
// friction of one sense even if a trial goes past rest, a sticking or resting one is held at
// acceleration zero (the mixed problem). Each mode has a guard that is negative where it no longer
// holds; the run ends its step there, and the modes are chosen anew.

#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

/// How joints meet their limits.
struct StopOptions {
  bool enabled = false;      ///< otherwise limits are not felt
  double restitution = 0;    ///< speed after an impact by the speed before, 0 to 1
  double rest_speed = 1e-4;  ///< slower impacts come to rest
};

enum class JointMode : signed char { free, slips_up, slips_down, sticks, at_lower, at_upper };

class ULNA_API JointModes {
 public:
  /// Guards are passed when they are below zero by more than rounding in what they compare.
  static constexpr double slack = 1e-11;

  /// `driven`: one entry per speed, true where the motion is prescribed: those have no modes.
  JointModes(const Model& model, const std::vector<char>& driven, const StopOptions& stops);

  bool any() const { return !speeds_.empty(); }
  /// One entry per guarded speed.
  struct Speed {
    int v = 0, q = -1;    ///< indices; q is -1 without a stop
    double friction = 0;  ///< Coulomb effort along the speed
    double lower = 0, upper = 0;
    bool stopped = false;  ///< it has stops
    /// How far past its stop, beyond the slack, an impact was noticed; until the joint has come
    /// back from there, it has not met the stop again.
    double past = 0;
    JointMode mode = JointMode::free;
    double reaction = 0;  ///< of friction or stop, when held: effort it adds
    bool held() const {
      return mode == JointMode::sticks || mode == JointMode::at_lower ||
             mode == JointMode::at_upper;
    }
    /// Sense of the friction when it slips, else 0.
    double sense() const {
      return mode == JointMode::slips_up ? 1 : mode == JointMode::slips_down ? -1 : 0;
    }
  };
  std::vector<Speed>& speeds() { return speeds_; }
  const std::vector<Speed>& speeds() const { return speeds_; }

  /// The least of the guards of one speed at (q, v) after the dynamics filled its reaction;
  /// negative: the mode has ended.
  double guard(const Speed& speed, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;

  /// Notes how far joints are past their stops: at an impact, and, only ever less, after a step.
  void note_past(const Eigen::VectorXd& q);
  void accept(const Eigen::VectorXd& q);

  StopOptions stops;

 private:
  std::vector<Speed> speeds_;
};

}  // namespace ulna
