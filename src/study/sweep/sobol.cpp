#include <array>
#include <cstdint>
#include <vector>

#include "ulna/study/sampling.hpp"

namespace ulna {
namespace {

/// A primitive polynomial (its degree and inner coefficients) and the first direction numbers:
/// those of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional
/// projections", SIAM J. Sci. Comput. 30 (2008).
struct Direction {
  int degree;
  unsigned inner;
  std::array<unsigned, 8> first;
};

constexpr std::array<Direction, 39> directions = {{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
}};

using Numbers = std::array<std::uint32_t, 32>;

/// docs/theory/sampling.md, eq. 9: the recurrence of the polynomial.
Numbers numbers_of(const Direction& d) {
  Numbers v{};
  for (int k = 0; k < 32; ++k) {
    if (k < d.degree) {
      v[k] = d.first[k] << (31 - k);
      continue;
    }
    v[k] = v[k - d.degree] ^ (v[k - d.degree] >> d.degree);
    for (int i = 1; i < d.degree; ++i)
      if ((d.inner >> (d.degree - 1 - i)) & 1u) v[k] ^= v[k - i];
  }
  return v;
}

std::vector<Numbers> all_numbers() {
  std::vector<Numbers> all(1);
  for (int k = 0; k < 32; ++k) all[0][k] = 1u << (31 - k);  // van der Corput
  for (const Direction& d : directions) all.push_back(numbers_of(d));
  return all;
}

std::uint32_t reversed(std::uint32_t x) {
  x = (x >> 16) | (x << 16);
  x = ((x & 0x00ff00ffu) << 8) | ((x & 0xff00ff00u) >> 8);
  x = ((x & 0x0f0f0f0fu) << 4) | ((x & 0xf0f0f0f0u) >> 4);
  x = ((x & 0x33333333u) << 2) | ((x & 0xccccccccu) >> 2);
  return ((x & 0x55555555u) << 1) | ((x & 0xaaaaaaaau) >> 1);
}

}  // namespace

int sobol_dimensions() { return static_cast<int>(directions.size()) + 1; }

std::uint32_t sobol_bits(std::uint32_t n, int dimension) {
  static const std::vector<Numbers> all = all_numbers();
  std::uint32_t x = 0;
  for (int k = 0; n != 0; n >>= 1, ++k)
    if (n & 1u) x ^= all[static_cast<std::size_t>(dimension)][k];
  return x;
}

// eq. 10: a hash in which a bit depends on those behind it only, run on reversed bits (Laine and
// Karras 2011).
std::uint32_t owen_scrambled(std::uint32_t bits, std::uint32_t seed) {
  std::uint32_t x = reversed(bits);
  x ^= x * 0x3d20adeau;
  x += seed;
  x *= (seed >> 16) | 1u;
  x ^= x * 0x05526c56u;
  x ^= x * 0x53a22864u;
  return reversed(x);
}

}  // namespace ulna
