// Random numbers that are the same with every standard library.
#pragma once

#include <cstdint>
#include <random>

namespace ulna::bench {

class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : engine_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }
  double within(double limit) { return between(-limit, limit); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace ulna::bench
