#include "ulna/report/internal/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

// The least of 1, 2, 5 times a power of ten that is not below `least`.
double nice_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double m : {1.0, 2.0, 5.0})
    if (m * power >= least * (1 - 1e-9)) return m * power;
  return 10 * power;
}

std::string superscript(int n) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = n < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(n))) out += digits[c - '0'];
  return out;
}

// Steps and places of ticks must not overflow, nor be lost in rounding.
void require_range(double low, double high) {
  constexpr double largest = 1e307, smallest = 1e-290;
  const double size = std::max(std::abs(low), std::abs(high));
  if (size <= largest && high - low >= smallest && high - low > 1e-14 * size) return;
  throw InputError(fmt::format("an axis from {:.6g} to {:.6g} cannot be drawn", low, high),
                   "numbers below 1e307 that differ by more than 1e-290");
}

}  // namespace

Ticks nice_ticks(double low, double high, int most) {
  Ticks ticks;
  require_range(low, high);
  double step = nice_step((high - low) / std::max(most, 2));
  double first = 0, last = 0;
  constexpr int rounds = 20;
  for (int round = 0; round < rounds; ++round) {  // rounding at both ends may give one too many
    first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
    if (last - first + 1 <= std::max(most, 2)) break;
    step = nice_step(step * 1.5);
  }
  for (double k = first; k <= last && ticks.values.size() < 100; ++k)
    ticks.values.push_back(k * step + 0.0);

  const double largest = std::max(std::abs(low), std::abs(high));
  // Labels of more than five digits are read from an offset.
  const double offset = largest / step > 1e5 ? first * step : 0;
  const double span = offset != 0 ? high - offset : largest;
  int exponent = static_cast<int>(std::floor(std::log10(span) + 1e-9));
  exponent = exponent >= 5 || exponent <= -4 ? 3 * static_cast<int>(std::floor(exponent / 3.0)) : 0;
  const double unit = std::pow(10, exponent);
  const int decimals =
      std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit) - 1e-9)), 0, 12);
  for (const double value : ticks.values) {
    std::string label = fmt::format("{:.{}f}", (value - offset) / unit + 0.0, decimals);
    if (label.find_first_not_of("-0.") == std::string::npos) label = "0";
    if (label[0] == '-') label.replace(0, 1, "−");
    ticks.labels.push_back(std::move(label));
  }
  if (exponent != 0) ticks.factor = "10" + superscript(exponent);
  if (offset != 0)
    ticks.offset = fmt::format("{} {:.12g}", offset < 0 ? "−" : "+", std::abs(offset));
  return ticks;
}

Ticks log_ticks(double low, double high) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  Ticks ticks;
  const int every = std::max(1, static_cast<int>((high - low) / 8) + 1);
  for (int power = static_cast<int>(std::floor(low)); power <= static_cast<int>(std::ceil(high));
       ++power)
    for (const int m : {1, 2, 5}) {
      if (m != 1 && high - low > 2) continue;
      if (m == 1 && power % every != 0) continue;
      const double at = power + std::log10(m);
      if (at < low - 1e-9 || at > high + 1e-9) continue;
      ticks.values.push_back(at);
      if (power >= -3 && power <= 4) {
        ticks.labels.push_back(fmt::format("{:g}", m * std::pow(10, power)));
        continue;
      }
      std::string label = m == 1 ? "10" : fmt::format("{}·10", m);
      if (power < 0) label += "⁻";
      for (const char c : std::to_string(std::abs(power))) label += digits[c - '0'];
      ticks.labels.push_back(label);
    }
  if (ticks.values.size() < 2) return nice_ticks(low, high, 4);
  return ticks;
}

Ticks degree_ticks(double low, double high, int count) {
  for (const int step : {15, 30, 45, 90, 180, 360}) {
    if ((high - low) / step > count) continue;
    Ticks ticks;
    for (double at = std::ceil(low / step) * step; at <= high; at += step) {
      ticks.values.push_back(at);
      ticks.labels.push_back(fmt::format("{}{:.0f}", at < 0 ? "−" : "", std::abs(at)));
    }
    if (ticks.values.size() < 2) break;
    return ticks;
  }
  return nice_ticks(low, high, count);
}

}  // namespace ulna
