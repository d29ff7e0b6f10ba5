#include "ulna/motion/program.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ulna/model/model.hpp"
#include "ulna/motion/kernels/constant_acceleration.hpp"
#include "ulna/motion/kernels/constant_rate.hpp"
#include "ulna/motion/kernels/cycloidal.hpp"
#include "ulna/motion/kernels/harmonic.hpp"
#include "ulna/motion/kernels/polynomial_345.hpp"
#include "ulna/motion/kernels/polynomial_4567.hpp"
#include "ulna/motion/trapezoidal_jerk.hpp"

namespace ulna {

MotionProgram::MotionProgram(double from, double to, double time, double start)
    : from_(from), to_(to), time_(time), start_(start), end_(start + time) {
  if (!std::isfinite(from) || !std::isfinite(to) || !std::isfinite(to - from))
    throw InputError(fmt::format("a motion program from {} to {}", from, to), "finite values");
  if (!(time > 0) || !std::isfinite(time))
    throw InputError(fmt::format("a motion program that takes {} s", time), "a time above zero");
  if (!std::isfinite(start) || !(end_ > start))
    throw InputError(
        fmt::format("a motion program that starts at {} s and takes {} s", start, time),
        "a finite start, and a time that is not lost against it in rounding");
}

MotionValue MotionProgram::at(double t) const {
  if (t < start_) return {from_, 0, 0, 0};
  if (t > end_) return {to_, 0, 0, 0};
  const double tau = t == end_ ? 1 : std::min(1.0, (t - start_) / time_);
  const MotionValue s = law(tau);
  const double rise = to_ - from_, T = time_;
  // The sum of both ends meets each exactly, which from + rise s does not.
  return {(1 - s.value) * from_ + s.value * to_, rise * s.rate / T, rise * s.acceleration / (T * T),
          rise * s.jerk / (T * T * T)};
}

std::vector<double> MotionProgram::breakpoints() const {
  std::vector<double> times{start_};
  for (const double tau : inner_breaks()) times.push_back(start_ + tau * time_);
  times.push_back(end_);
  return times;
}

const std::vector<std::string>& program_names() {
  static const std::vector<std::string> names{
      "constant-rate", "constant-acceleration", "harmonic", "cycloidal", "poly345",
      "poly4567",      "trapezoidal-jerk"};
  return names;
}

std::shared_ptr<const MotionProgram> program_named(const std::string& name, double from, double to,
                                                   double time, double start) {
  if (name == "constant-rate") return std::make_shared<ConstantRate>(from, to, time, start);
  if (name == "constant-acceleration")
    return std::make_shared<ConstantAcceleration>(from, to, time, start);
  if (name == "harmonic") return std::make_shared<Harmonic>(from, to, time, start);
  if (name == "cycloidal") return std::make_shared<Cycloidal>(from, to, time, start);
  if (name == "poly345") return std::make_shared<Polynomial345>(from, to, time, start);
  if (name == "poly4567") return std::make_shared<Polynomial4567>(from, to, time, start);
  if (name == "trapezoidal-jerk") return std::make_shared<TrapezoidalJerk>(from, to, time, start);
  std::string list;
  for (const std::string& known : program_names()) list += (list.empty() ? "" : ", ") + known;
  throw InputError(fmt::format("there is no motion program '{}'", name), list,
                   nearest_name_hint(name, program_names()));
}

}  // namespace ulna
