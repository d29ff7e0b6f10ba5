#include "ulna/motion/internal/sample.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

/// Names with commas, quotes or line ends are quoted, as RFC 4180 has it.
std::string quoted_cell(const std::string& name) {
  if (name.find_first_of(",\"\n\r") == std::string::npos) return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

}  // namespace

std::vector<double> equal_times(double begin, double end, int count) {
  if (count < 2 || !std::isfinite(begin) || !std::isfinite(end) || !(end > begin))
    throw InputError(fmt::format("{} samples from {} to {} s", count, begin, end),
                     "at least 2 samples of a finite time above zero");
  std::vector<double> times;
  for (int k = 0; k < count; ++k)
    times.push_back(k + 1 == count ? end : begin + (end - begin) * k / (count - 1));
  return times;
}

SampledMotion sampled(const Motion& motion, const std::vector<double>& times,
                      const std::vector<std::string>& names) {
  const int n = motion.size();
  if (std::ssize(names) != n)
    throw InputError(fmt::format("{} names for {} coordinates", names.size(), n), "one for each");
  SampledMotion table;
  table.columns = {"time"};
  table.columns.insert(table.columns.end(), names.begin(), names.end());
  for (const char* derivative : {".rate", ".acceleration"})
    for (const std::string& name : names) table.columns.push_back(name + derivative);
  table.rows.resize(std::ssize(times), 3 * n + 1);
  Eigen::VectorXd q(n), v(n), a(n);
  for (std::size_t k = 0; k < times.size(); ++k) {
    motion.at(times[k], q, v, a);
    table.rows.row(static_cast<Eigen::Index>(k)) << times[k], q.transpose(), v.transpose(),
        a.transpose();
  }
  return table;
}

SampledMotion sampled(const ScalarMotion& motion, const std::vector<double>& times,
                      const std::string& name) {
  SampledMotion table;
  table.columns = {"time", name, name + ".rate", name + ".acceleration", name + ".jerk"};
  table.rows.resize(std::ssize(times), 5);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const MotionValue y = motion.at(times[k]);
    table.rows.row(static_cast<Eigen::Index>(k)) << times[k], y.value, y.rate, y.acceleration,
        y.jerk;
  }
  return table;
}

std::string csv_text(const SampledMotion& table) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (std::size_t k = 0; k < table.columns.size(); ++k)
    fmt::format_to(out, "{}{}", k ? "," : "", quoted_cell(table.columns[k]));
  fmt::format_to(out, "\n");
  for (Eigen::Index i = 0; i < table.rows.rows(); ++i) {
    for (Eigen::Index k = 0; k < table.rows.cols(); ++k)
      fmt::format_to(out, "{}{}", k ? "," : "", table.rows(i, k) + 0.0);  // no "-0"
    fmt::format_to(out, "\n");
  }
  return fmt::to_string(text);
}

}  // namespace ulna
