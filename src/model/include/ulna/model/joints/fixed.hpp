#pragma once
// A weld: M stays on F.

#include "ulna/model/joints/joint_base.hpp"

namespace ulna {

struct FixedJoint : JointBase {
  static constexpr const char* name = "fixed";
  static constexpr std::array<Degree, 0> speeds{}, coordinates{};
  static constexpr JointKeys keys{.single_axis = true};
  static constexpr int turn_rows = 3;

  static std::vector<JointPart> parts(const JointData&) { return {}; }
  template <class S>
  static void rows(const Loop&, const RelativePose<S>& X, S* r) {
    store(turn_error(X.R), r);
    store(X.p, r + 3);
  }
  static void rates(const Loop&, const Matrix3<double>&, TwistRows&) {}
  static void position(const Loop&, const Matrix3<double>&, const Vector3<double>&, SmallVector&) {}
  static void columns(const JointData&, const Pose<double>&, const Pose<double>&, JointColumns&) {}
};

}  // namespace ulna
