#include "options/log_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "options/vector_text.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"

namespace ulna::cli {
namespace {

LogOptions log_options(const LogWords& words) {
  LogOptions options;
  for (const std::string& text : words.columns) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos)
      throw InputError(Problem{{}, "--column", fmt::format("'{}' found", text), "NAME=TITLE", {}});
    options.columns.emplace_back(text.substr(0, sign), text.substr(sign + 1));
  }
  return options;
}

}  // namespace

void add_log_options(CLI::App& app, LogWords& words) {
  add_texts(app, "--column", words.columns, "NAME=TITLE[*FACTOR]",
            "Column of t, q.JOINT or tau.JOINT in a log (may be repeated)");
  add_text(app, "--cutoff", words.cutoff, "HZ",
           "Cut-off frequency of the low-pass filter (default: chosen from the spectrum)");
  add_flag(app, "--recorded-rates", words.recorded_rates,
           "Use v and a of the log instead of derivatives of q");
}

LoadedLog load_log(const std::string& file, const Model& model, const LogWords& words) {
  ReadLog read = read_log(file, model, log_options(words));
  std::vector<std::string> found;
  for (const auto& [name, title] : read.columns)
    found.push_back(
        name == title || title.starts_with(name + "[") ? name : name + " from '" + title + "'");
  note(printable(fmt::format("{}: {}; {}", file, read.layout, fmt::join(found, ", "))));
  if (!read.unused.empty())
    note(printable(fmt::format("{}: unused columns: {}", file, fmt::join(read.unused, ", "))));
  MeasurementOptions options;
  if (words.cutoff) options.cutoff = parse_number("--cutoff", *words.cutoff, Dimension::frequency);
  options.recorded_rates = words.recorded_rates;
  LoadedLog out{std::move(read.log), {}};
  for (const std::string& warning : read.warnings) warn(printable(warning));
  out.measured = measured_motion(model, out.log, options);
  for (const std::string& warning : out.measured.warnings) warn(printable(warning));
  return out;
}

Json measurement_to_json(const Measurement& measured) {
  Json out = Json::object();
  out["time_offset"] = measured.offset;
  out["rate"] = measured.rate;
  out["jitter"] = measured.jitter;
  out["samples"] = measured.samples();
  out["parts"] = measured.parts.size();
  out["bandwidth"] = measured.bandwidth;
  out["coordinates"] = Json::array();
  for (const CoordinateNoise& noise : measured.noise)
    out["coordinates"].push_back({{"name", noise.name},
                                  {"cutoff", noise.cutoff},
                                  {"position_noise", noise.position},
                                  {"acceleration_noise", noise.acceleration},
                                  {"acceleration_rms", noise.acceleration_rms}});
  out["warnings"] = measured.warnings;
  return out;
}

void print_measurement(const std::string& file, const Measurement& measured) {
  std::vector<std::string> names;
  Eigen::MatrixXd numbers(std::ssize(measured.noise), 4);
  for (std::size_t k = 0; k < measured.noise.size(); ++k) {
    const CoordinateNoise& noise = measured.noise[k];
    names.push_back(noise.name);
    numbers.row(static_cast<Eigen::Index>(k)) << noise.cutoff, noise.position, noise.acceleration,
        noise.acceleration_rms;
  }
  print(heading(printable(fmt::format(
      "{}: {} samples at {:.6g} Hz{}", file, measured.samples(), measured.rate,
      measured.parts.size() > 1 ? fmt::format(" in {} parts", measured.parts.size()) : ""))));
  print(Table()
            .words("coordinate", names)
            .numbers("cut-off [Hz]", numbers.col(0))
            .numbers("noise of q", numbers.col(1))
            .numbers("noise of a", numbers.col(2))
            .numbers("rms of a", numbers.col(3))
            .text());
}

}  // namespace ulna::cli
