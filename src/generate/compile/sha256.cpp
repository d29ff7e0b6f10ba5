#include "compile/sha256.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace ulna::generate {
namespace {

using Word = std::uint32_t;

/// The first 32 bits of the fraction of a root of each of the first primes.
template <int N>
std::array<Word, N> prime_roots(double (*root)(double)) {
  std::array<Word, N> out{};
  int found = 0;
  for (int n = 2; found < N; ++n) {
    bool prime = true;
    for (int d = 2; d * d <= n; ++d) prime &= n % d != 0;
    if (!prime) continue;
    const double r = root(n);
    out[found++] = static_cast<Word>((r - std::floor(r)) * 4294967296.0);
  }
  return out;
}

void compress(std::array<Word, 8>& hash, const unsigned char* block) {
  static const std::array<Word, 64> constants =
      prime_roots<64>([](double x) { return std::cbrt(x); });
  std::array<Word, 64> w{};
  for (int t = 0; t < 16; ++t)
    for (int k = 0; k < 4; ++k) w[t] = w[t] << 8 | block[4 * t + k];
  for (int t = 16; t < 64; ++t) {
    const Word a = w[t - 15], b = w[t - 2];
    w[t] = w[t - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + w[t - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (int t = 0; t < 64; ++t) {
    const Word t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                    ((e & f) ^ (~e & g)) + constants[t] + w[t];
    const Word t2 =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1;
    d = c, c = b, b = a, a = t1 + t2;
  }
  const Word now[8] = {a, b, c, d, e, f, g, h};
  for (int k = 0; k < 8; ++k) hash[k] += now[k];
}

}  // namespace

std::string sha256(std::string_view data) {
  std::array<Word, 8> hash = prime_roots<8>([](double x) { return std::sqrt(x); });
  std::string padded(data);
  padded += '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  for (int shift = 56; shift >= 0; shift -= 8)
    padded += static_cast<char>((data.size() * 8ULL) >> shift & 0xff);
  for (std::size_t at = 0; at < padded.size(); at += 64)
    compress(hash, reinterpret_cast<const unsigned char*>(padded.data()) + at);
  std::string out;
  for (const Word word : hash) out += fmt::format("{:08x}", word);
  return out;
}

}  // namespace ulna::generate
