#include "options/speeds_options.hpp"

#include <fmt/format.h>

#include "ulna/formats/internal/read_speeds.hpp"

namespace ulna::cli {

void add_speeds_options(CLI::App& app, SpeedWords& words, const std::string& help) {
  const Option speeds =
      add_text(app, "--speeds", words.speeds, "joint-rates|middle|body:NAME|FILE", help);
  add_number(app, "--time", words.time, "T",
             "Time in s at which the formulas of --speeds FILE are evaluated (default: 0)")
      .needs(speeds);
}

GeneralizedSpeeds speeds_from(const Model& model, const SpeedWords& words) {
  const std::string name = words.speeds.value_or("joint-rates");
  if (name == "joint-rates" || name == "middle") return {name};
  if (name.rfind("body:", 0) == 0) {
    model.body(name.substr(5));  // known, or its nearest name is said
    return {name};
  }
  if (name.ends_with(".yaml") || name.ends_with(".yml")) return read_speeds(name);
  throw InputError(Problem{{},
                           "--speeds",
                           fmt::format("'{}' is not available", name),
                           "joint-rates, middle, body:NAME or a file of formulas (.yaml)",
                           nearest_name_hint(name, {"joint-rates", "middle"})});
}

}  // namespace ulna::cli
