// The steppers by themselves, on equations with known solutions.

#include "ulna/simulation/kernels/runge_kutta.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "../support/allocations.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

/// A body on a circle around a centre of attraction, with an eccentric start: one turn is 2 pi.
struct Kepler {
  void rates(double, const double* y, double* dy) {
    const double r = std::hypot(y[0], y[1]), r3 = r * r * r;
    dy[0] = y[2], dy[1] = y[3], dy[2] = -y[0] / r3, dy[3] = -y[1] / r3;
  }
  bool project(double, double*, double*) { return false; }
  static constexpr double start[4] = {0.5, 0, 0, 1.7320508075688772};
};

/// dy/dt = y cos t, y = exp(sin t); depends on time as well.
struct Wave {
  void rates(double t, const double* y, double* dy) { dy[0] = y[0] * std::cos(t); }
  bool project(double, double*, double*) { return false; }
};

template <class Tableau>
double error_with_step(double h) {
  Wave wave;
  RungeKutta<Tableau, Wave> stepper(wave, 1, {1e9, 1e9}, h);  // no step is refused
  const double one = 1;
  stepper.start(0, &one, h);
  while (stepper.t() < 2) stepper.step(2);
  return std::abs(stepper.y()[0] - std::exp(std::sin(2.0)));
}

template <class Tableau>
class Steppers : public ::testing::Test {};
using Tableaus = ::testing::Types<DormandPrince, Dop853>;
TYPED_TEST_SUITE(Steppers, Tableaus);

TYPED_TEST(Steppers, StagesAreConsistent) {
  using T = TypeParam;
  for (int s = 1; s <= T::stages + T::dense_stages; ++s) {
    double sum = 0, size = 0;
    for (int j = 0; j < s; ++j) sum += T::a[s][j], size += std::abs(T::a[s][j]);
    EXPECT_NEAR(sum, T::c[s], 4e-16 * std::max(1.0, size)) << "stage " << s;
  }
  double e5 = 0, e3 = 0;
  for (int j = 0; j <= T::stages; ++j) e5 += T::error5[j], e3 += T::error3[j];
  EXPECT_NEAR(e5, 0, 1e-15);
  EXPECT_NEAR(e3, 0, 1e-15);
}

TYPED_TEST(Steppers, HalvingTheStepGainsTheOrder) {
  // Steps large enough for the error to stand above rounding.
  const double h = TypeParam::order == 5 ? 0.1 : 0.5;
  const double gain = error_with_step<TypeParam>(h) / error_with_step<TypeParam>(h / 2);
  EXPECT_GT(std::log2(gain), TypeParam::order - 0.5);
  EXPECT_LT(std::log2(gain), TypeParam::order + 1.5);
}

TYPED_TEST(Steppers, ToleranceGovernsTheError) {
  for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
    Kepler kepler;
    RungeKutta<TypeParam, Kepler> stepper(kepler, 4, {tolerance, tolerance});
    stepper.start(0, Kepler::start);
    while (stepper.t() < 2 * M_PI) stepper.step(2 * M_PI);
    double error = 0;
    for (int i = 0; i < 4; ++i)
      error = std::max(error, std::abs(stepper.y()[i] - Kepler::start[i]));
    // Errors of some hundred steps add up, and an error of the speed grows along the orbit.
    EXPECT_LT(error, 500 * tolerance);
    EXPECT_GT(stepper.statistics.steps, 10);
  }
}

TYPED_TEST(Steppers, EndsExactlyWhereItMust) {
  Wave wave;
  RungeKutta<TypeParam, Wave> stepper(wave, 1, {1e-8, 1e-8});
  const double one = 1;
  stepper.start(0, &one);
  for (int k = 1; k <= 70; ++k) {
    const double stop = 0.1 * k;
    while (stepper.t() < stop) stepper.step(stop);
    EXPECT_EQ(stepper.t(), stop);
    EXPECT_NEAR(stepper.y()[0], std::exp(std::sin(stop)), 1e-7);
  }
}

TYPED_TEST(Steppers, DenseOutputIsAccurateWithinTheStep) {
  Wave wave;
  RungeKutta<TypeParam, Wave> stepper(wave, 1, {1e-9, 1e-9});
  const double one = 1;
  stepper.start(0, &one);
  double worst = 0;
  while (stepper.t() < 6) {
    stepper.step(6);
    for (const double share : {0.0, 0.1, 0.35, 0.5, 0.77, 1.0}) {
      const double t = stepper.previous_t() + share * (stepper.t() - stepper.previous_t());
      double y = 0;
      stepper.interpolate(t, &y);
      worst = std::max(worst, std::abs(y - std::exp(std::sin(t))));
    }
  }
  EXPECT_LT(worst, 3e-7);  // one order below that of the steps
}

TYPED_TEST(Steppers, ALastStepCanBeEndedEarlier) {
  Wave wave;
  RungeKutta<TypeParam, Wave> stepper(wave, 1, {1e-10, 1e-10});
  const double one = 1;
  stepper.start(0, &one);
  stepper.step(3);
  const double t = stepper.t() * 0.6;
  stepper.end_last_step_at(t);
  EXPECT_EQ(stepper.t(), t);
  EXPECT_NEAR(stepper.y()[0], std::exp(std::sin(t)), 1e-9);
  while (stepper.t() < 3) stepper.step(3);
  EXPECT_NEAR(stepper.y()[0], std::exp(std::sin(3.0)), 1e-8);
}

TYPED_TEST(Steppers, NothingIsAllocatedPerStep) {
  Kepler kepler;
  RungeKutta<TypeParam, Kepler> stepper(kepler, 4, {1e-10, 1e-10});
  stepper.start(0, Kepler::start);
  double y[4];
  testing::count_allocations(true);
  while (stepper.t() < 5) {
    stepper.step(5);
    stepper.interpolate(stepper.t(), y);
  }
  const long allocations = testing::count_allocations(false);
  EXPECT_EQ(allocations, 0);
}

struct Blowup {  // y = 1 / (1 - t)
  void rates(double, const double* y, double* dy) { dy[0] = y[0] * y[0]; }
  bool project(double, double*, double*) { return false; }
};

TYPED_TEST(Steppers, ASolutionThatEndsIsReported) {
  Blowup blowup;
  RungeKutta<TypeParam, Blowup> stepper(blowup, 1, {1e-8, 1e-8});
  const double one = 1;
  stepper.start(0, &one);
  EXPECT_THROW(
      {
        for (int k = 0; k < 100000 && stepper.t() < 2; ++k) stepper.step(2);
      },
      ComputationError);
  EXPECT_LT(stepper.previous_t(), 1.0001);
}

}  // namespace
}  // namespace ulna
