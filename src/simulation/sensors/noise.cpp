// Noise from a counter: no state, so that samples do not depend on how a run came to them.

#include <cmath>
#include <numbers>

#include "ulna/simulation/parts/sensor.hpp"

namespace ulna {
namespace {

/// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// In (0, 1).
double uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

}  // namespace

double noise_sample(std::uint64_t seed, std::uint64_t sensor, std::uint64_t output,
                    std::uint64_t sample) {
  const std::uint64_t stream = mixed(mixed(mixed(seed) ^ sensor) ^ (output + 1));
  const std::uint64_t first = mixed(stream ^ mixed(2 * sample));
  const std::uint64_t second = mixed(stream ^ mixed(2 * sample + 1));
  // Box and Muller.
  return std::sqrt(-2 * std::log(uniform(first))) *
         std::cos(2 * std::numbers::pi * uniform(second));
}

}  // namespace ulna
