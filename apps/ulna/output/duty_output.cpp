#include "output/duty_output.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>

#include "output/table.hpp"
#include "output/terminal.hpp"

namespace ulna::cli {
namespace {

constexpr std::size_t most_rows = 24;

std::string and_more(std::size_t rows) {
  return rows > most_rows
             ? fmt::format("  and {} more in summary.json and --json\n", rows - most_rows)
             : "";
}

template <class Row, class Number>
Eigen::VectorXd column_of(const std::vector<Row>& rows, const Number& number) {
  Eigen::VectorXd out(static_cast<Eigen::Index>(std::min(rows.size(), most_rows)));
  for (Eigen::Index k = 0; k < out.size(); ++k) out(k) = number(rows[static_cast<std::size_t>(k)]);
  return out;
}

/// The same without what rounding leaves beside the largest of them.
template <class Row, class Number>
Eigen::VectorXd energies_of(const std::vector<Row>& rows, double largest, const Number& number) {
  constexpr double rounding = 1e-12;
  return column_of(rows, number).unaryExpr([&](double x) {
    return std::abs(x) <= rounding * largest ? 0.0 : x;
  });
}

template <class Row, class Word>
std::vector<std::string> words_of(const std::vector<Row>& rows, const Word& word) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < std::min(rows.size(), most_rows); ++k) out.push_back(word(rows[k]));
  return out;
}

std::string motors_text(const std::vector<MotorDuty>& motors) {
  using M = const MotorDuty&;
  double largest = 0;
  for (M m : motors) largest = std::max({largest, m.taken, m.given_back});
  return "\n" + heading("Motors: effort, speed and power, peak and RMS; energy in J") +
         Table()
             .words("motor", words_of(motors, [](M m) { return printable(m.name); }))
             .words("unit", words_of(motors, [](M m) { return m.unit; }))
             .numbers("peak effort", column_of(motors, [](M m) { return m.effort.value; }))
             .numbers("at t", column_of(motors, [](M m) { return m.effort.t; }))
             .numbers("RMS", column_of(motors, [](M m) { return m.rms_effort; }))
             .numbers("peak speed", column_of(motors, [](M m) { return m.speed.value; }))
             .numbers("RMS", column_of(motors, [](M m) { return m.rms_speed; }))
             .numbers("peak W", column_of(motors, [](M m) { return m.power.value; }))
             .numbers("RMS", column_of(motors, [](M m) { return m.rms_power; }))
             .numbers("taken", energies_of(motors, largest, [](M m) { return m.taken; }))
             .numbers("given back", energies_of(motors, largest, [](M m) { return m.given_back; }))
             .text() +
         and_more(motors.size());
}

/// Joints that carry nothing, or rounding only (frames of a URDF fixed to a link, the free joint of
/// a platform), are left out.
std::string bearings_text(const RunSummary& s) {
  using B = const BearingPeak&;
  constexpr double rounding = 1e-9;
  double force = 0, moment = 0;
  for (B b : s.bearings)
    force = std::max(force, b.force.value), moment = std::max(moment, b.moment.value);
  std::vector<BearingPeak> loaded;
  for (B b : s.bearings)
    if (b.force.value > rounding * force || b.moment.value > rounding * moment) loaded.push_back(b);
  if (loaded.empty()) return {};
  return "\n" +
         heading(fmt::format("Bearings: peak force (N) and moment (N m), without the drives{}",
                             s.bearings_unique ? ""
                                               : "; redundant closures: not unique, those for "
                                                 "which the closing joints carry least")) +
         Table()
             .words("joint", words_of(loaded, [](B b) { return printable(b.joint); }))
             .words("", words_of(loaded, [](B b) { return b.closes ? "closes a loop" : ""; }))
             .numbers("force", column_of(loaded, [](B b) { return b.force.value; }))
             .numbers("at t", column_of(loaded, [](B b) { return b.force.t; }))
             .numbers("moment", column_of(loaded, [](B b) { return b.moment.value; }))
             .numbers("at t", column_of(loaded, [](B b) { return b.moment.t; }))
             .text() +
         and_more(loaded.size());
}

std::string outside_text(const std::vector<TimeOutside>& outside) {
  using T = const TimeOutside&;
  return "\n" + heading("Outside limits: seconds beyond those of position, speed and effort") +
         Table()
             .words("joint", words_of(outside, [](T o) { return printable(o.name); }))
             .numbers("position", column_of(outside, [](T o) { return o.position; }))
             .numbers("speed", column_of(outside, [](T o) { return o.speed; }))
             .numbers("effort", column_of(outside, [](T o) { return o.effort; }))
             .numbers("first at t", column_of(outside, [](T o) { return o.first; }))
             .text() +
         and_more(outside.size());
}

}  // namespace

std::string duty_text(const RunSummary& s) {
  std::string text;
  if (!s.motors.empty()) text += motors_text(s.motors);
  text += bearings_text(s);
  if (!s.outside.empty()) text += outside_text(s.outside);
  return text.empty() ? text : text + "\n";
}

}  // namespace ulna::cli
