#pragma once
// Random poses, twists, wrenches and inertias, of size 1.

#include <random>

#include "ulna/spatial/rotation.hpp"
#include "ulna/spatial/twist.hpp"
#include "ulna/spatial/wrench.hpp"

namespace ulna::testing {

class Random {
 public:
  /// `turn`: standard deviation of each entry of the rotation vectors, rad.
  explicit Random(unsigned seed, double turn = 1) : engine_(seed), turn_(turn) {}

  double number() { return normal_(engine_); }
  Vector3<double> vector() { return {number(), number(), number()}; }
  Pose<double> pose() { return {exp_rotation(vector() * turn_), vector()}; }
  Twist<double> twist() { return {vector(), vector()}; }
  Wrench<double> wrench() { return {vector(), vector()}; }
  Inertia<double> inertia() {
    Inertia<double> sum;
    for (int i = 0; i < 5; ++i)  // a few points make a possible body
      sum += Inertia<double>::from_centre(1.0 + i, vector(), Matrix3<double>::Zero());
    return sum;
  }

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> normal_;
  double turn_;
};

}  // namespace ulna::testing
