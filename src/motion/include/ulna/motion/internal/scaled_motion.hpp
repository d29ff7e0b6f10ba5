#pragma once
// The same way, faster or slower: q(alpha t). Rates grow with alpha, accelerations with alpha^2.
// docs/theory/motions.md, eq. 29.

#include "ulna/motion/motion.hpp"

namespace ulna {

class ULNA_API ScaledMotion final : public Motion {
 public:
  /// InputError unless alpha > 0.
  ScaledMotion(MotionPtr motion, double alpha);
  int size() const override { return motion_->size(); }
  void at(double t, Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> v,
          Eigen::Ref<Eigen::VectorXd> a) const override;
  std::vector<double> breakpoints() const override;
  double duration() const override { return motion_->duration() / alpha_; }
  int depth() const override { return depth_; }
  double alpha() const { return alpha_; }

 private:
  MotionPtr motion_;
  double alpha_;
  int depth_ = 1;
};

}  // namespace ulna
