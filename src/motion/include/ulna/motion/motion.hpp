#pragma once
// A motion is a function of time with its derivatives: of one coordinate (ScalarMotion) or of
// several (Motion). docs/theory/motions.md.
//
//   auto lift = std::make_shared<ulna::Polynomial345>(0.0, 1.5, 2.0);  // from, to, time
//   ulna::JointMotion motion({lift, lift});
//   motion.at(0.7, q, v, a);
//
// Motions never change after they are made and may be shared by threads. Asking for a value
// allocates nothing unless a class says so.

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

/// Value and derivatives of one scalar function of time.
struct MotionValue {
  double value = 0, rate = 0, acceleration = 0, jerk = 0;
};

class ULNA_API ScalarMotion {
 public:
  virtual ~ScalarMotion();
  virtual MotionValue at(double t) const = 0;
  /// Times, ascending, where a derivative up to the acceleration jumps: where integrators must
  /// stop. The beginning and the end of a motion count, too.
  virtual std::vector<double> breakpoints() const { return {}; }
  /// The time at which it ends, counted from t = 0; may be infinite.
  virtual double duration() const = 0;
  /// How many motions stand within each other, this one included.
  virtual int depth() const { return 1; }
};
using ScalarMotionPtr = std::shared_ptr<const ScalarMotion>;

/// A function of time for several coordinates.
class ULNA_API Motion {
 public:
  virtual ~Motion();
  virtual int size() const = 0;
  /// Coordinates, rates and accelerations at t; the vectors have `size()` entries.
  virtual void at(double t, Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> v,
                  Eigen::Ref<Eigen::VectorXd> a) const = 0;
  /// As of ScalarMotion.
  virtual std::vector<double> breakpoints() const;
  virtual double duration() const = 0;
  virtual int depth() const { return 1; }
};
using MotionPtr = std::shared_ptr<const Motion>;

/// A Motion made of one ScalarMotion per coordinate.
class ULNA_API JointMotion final : public Motion {
 public:
  /// InputError when an entry is null.
  explicit JointMotion(std::vector<ScalarMotionPtr> coordinates);
  int size() const override { return static_cast<int>(coordinates_.size()); }
  void at(double t, Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> v,
          Eigen::Ref<Eigen::VectorXd> a) const override;
  std::vector<double> breakpoints() const override;
  /// The longest of its parts.
  double duration() const override;
  const ScalarMotion& coordinate(int k) const { return *coordinates_[static_cast<std::size_t>(k)]; }
  int depth() const override { return depth_; }

 private:
  std::vector<ScalarMotionPtr> coordinates_;
  int depth_ = 1;
};

/// A coordinate that stays where it is.
class ULNA_API ConstantMotion final : public ScalarMotion {
 public:
  explicit ConstantMotion(double value) : value_(value) {}
  MotionValue at(double) const override { return {value_, 0, 0, 0}; }
  double duration() const override { return 0; }

 private:
  double value_;
};

/// Depth of a motion around one of depth `inner`. InputError when it passes 1000: a motion asks its
/// parts, which ask theirs, and the stack is finite.
ULNA_API int depth_around(int inner);

/// Ascending, equal ones once; `times` closer than rounding are one.
ULNA_API std::vector<double> merged_times(std::vector<double> times);

}  // namespace ulna
