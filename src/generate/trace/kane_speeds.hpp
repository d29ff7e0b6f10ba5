#pragma once
// Generalized speeds of generated code, chosen once, at a posture of their own (speed_map chooses
// anew wherever it is asked), and partial velocities with respect to them as expressions.

#include "trace/tracing.hpp"
#include "trace/trigonometric_reduction.hpp"
#include "ulna/kinematics/kernels/speed_rows.hpp"

namespace ulna::generate {

/// InputError as resolve_speeds, and where formulas move with time, which generated functions do
/// not know.
SpeedRows fixed_speeds(const Model& model, const GeneralizedSpeeds& speeds);

/// u = Y v + y and v = B (u - y), square.
struct TracedSpeeds {
  SpeedRows rows;
  Expressions Y, B;  ///< Y[r + n k], B[k + n r]
};
TracedSpeeds traced_speeds(const Tracing& t, const ScratchView<Expression>& work);

/// Partial velocities of all nodes with respect to u. Behind the body whose angular velocity is
/// among the speeds they are handed on from there, as those of joint rates are from the root: that
/// is what makes such speeds short.
class SpeedPartials {
 public:
  /// Joint angles must be in `work`.
  SpeedPartials(const Tracing& t, const TracedSpeeds& speeds, const ScratchView<Expression>& work);
  KaneView<Expression> view() {
    return {first_.data(), column_.data(), speed_.data(), partial_.data()};
  }

 private:
  void list_columns(const Tracing& t, const TracedSpeeds& speeds,
                    const KaneView<Expression>& rates);
  void by_product(const Tracing& t, const TracedSpeeds& speeds, const KaneView<Expression>& rates,
                  int node);
  void unit_turns(const Tracing& t, const TracedSpeeds& speeds, int node);

  std::vector<int> first_, column_, speed_;
  std::vector<char> handed_on_;  ///< nodes whose partial velocities come from their parent's
  std::vector<PartialVelocity<Expression>> partial_;
  TrigonometricReducer reduced_;
};

}  // namespace ulna::generate
