// A table of random states: coordinates, speeds, and accelerations or efforts.
#pragma once

#include <numbers>
#include <vector>

#include "random_numbers.hpp"

namespace ulna::bench {

struct States {
  static constexpr std::size_t count = 64;

  explicit States(std::size_t joints) : n(joints), q(count * n), v(count * n), u(count * n) {
    RandomNumbers random(1234);
    for (double& x : q) x = random.within(std::numbers::pi);
    for (double& x : v) x = random.within(1);
    for (double& x : u) x = random.within(1);
  }

  std::size_t n;
  std::vector<double> q, v, u;
};

}  // namespace ulna::bench
