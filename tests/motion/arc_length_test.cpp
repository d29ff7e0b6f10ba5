// The path of a motion by its arc length.

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/motion/formula.hpp"
#include "ulna/motion/internal/arc_length.hpp"
#include "ulna/motion/kernels/polynomial_345.hpp"
#include "ulna/motion/program.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

TEST(ArcLength, OfALineIsItsLengthWhateverTheLaw) {
  const JointMotion line(
      {std::make_shared<Polynomial345>(0, 3, 2), std::make_shared<Polynomial345>(1, -3, 2)});
  const ArcLengthPath path = by_arc_length(line, 2);
  EXPECT_NEAR(path.length, 5, 1e-12);  // Gauss of |v|, a polynomial of degree 4
  for (const double s : {0.0, 0.3, 2.5, 4.9, 4.999}) {
    const MotionValue x = path.coordinates[0]->at(s), y = path.coordinates[1]->at(s);
    EXPECT_NEAR(x.value, 0.6 * s, 1e-10);
    EXPECT_NEAR(y.value, 1 - 0.8 * s, 1e-10);
    EXPECT_NEAR(x.rate, 0.6, 1e-8);
    EXPECT_NEAR(y.acceleration, 0, 1e-6);
  }
}

TEST(ArcLength, OfACircleHasUnitTangentAndItsCurvature) {
  // Radius 2, from rest to rest: the angle by cycloid(t).
  const JointMotion circle(
      {std::make_shared<Formula>("2*cos(cycloid(t))", FormulaConstants{}, 1.0),
       std::make_shared<Formula>("2*sin(cycloid(t))", FormulaConstants{}, 1.0)});
  const ArcLengthPath path = by_arc_length(circle, 1);
  EXPECT_NEAR(path.length, 2, 1e-9);
  for (const double s : {0.1, 1.0, 1.9}) {
    const MotionValue x = path.coordinates[0]->at(s), y = path.coordinates[1]->at(s);
    EXPECT_NEAR(x.value, 2 * std::cos(s / 2), 1e-9);
    EXPECT_NEAR(std::hypot(x.rate, y.rate), 1, 1e-7);
    EXPECT_NEAR(std::hypot(x.acceleration, y.acceleration), 0.5, 1e-5);
  }
}

/// A motion whose accelerations are off by 1e-6 of their peak, as those of a frame's path.
class Blurred final : public ScalarMotion {
 public:
  Blurred(const char* text, double phase) : exact_(text, FormulaConstants{}, 1.0), phase_(phase) {}
  MotionValue at(double t) const override {
    MotionValue x = exact_.at(t);
    x.acceleration += 1e-5 * std::cos(40 * t + phase_);
    return x;
  }
  double duration() const override { return 1; }

 private:
  Formula exact_;
  double phase_;
};

TEST(ArcLength, CurvatureAtAnEndAtRestDoesNotMagnifyErrors) {
  const JointMotion circle({std::make_shared<Blurred>("2*cos(cycloid(t))", 0),
                            std::make_shared<Blurred>("2*sin(cycloid(t))", 1)});
  const ArcLengthPath path = by_arc_length(circle, 1);
  for (const double s : {0.0, 1e-5, 1e-3, 0.01, 1.99, 1.999, path.length}) {
    const MotionValue x = path.coordinates[0]->at(s), y = path.coordinates[1]->at(s);
    EXPECT_NEAR(x.value, 2 * std::cos(s / 2), 1e-7) << s;
    EXPECT_NEAR(std::hypot(x.rate, y.rate), 1, 1e-5) << s;
    // 1e-5 over the square of the speed that counts, a twentieth of the fastest.
    EXPECT_NEAR(std::hypot(x.acceleration, y.acceleration), 0.5, 5e-3) << s;
  }
}

TEST(ArcLength, RefusesRestsOnTheWayAndNoWayAtAll) {
  EXPECT_THROW(by_arc_length(JointMotion({std::make_shared<ConstantMotion>(1)}), 1), InputError);
  const JointMotion pause({std::make_shared<Formula>("sin(pi*t)", FormulaConstants{}, 2.0)});
  EXPECT_THROW(by_arc_length(pause, 1), InputError);
}

}  // namespace
}  // namespace ulna
