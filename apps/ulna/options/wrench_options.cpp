#include "options/wrench_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "options/command_line.hpp"
#include "options/vector_text.hpp"

namespace ulna::cli {

void add_wrench_option(CLI::App& command, std::vector<std::string>& texts) {
  add_texts(
      command, "--wrench", texts, "BODY:FX,FY,FZ[,MX,MY,MZ]",
      "External force (N) at the body's origin and moment (N m), world axes; may be repeated");
}

std::vector<ExternalWrench> wrenches_from(const Model& model,
                                          const std::vector<std::string>& texts) {
  std::vector<ExternalWrench> wrenches;
  for (const std::string& text : texts) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos)
      throw InputError(Problem{{},
                               "--wrench",
                               fmt::format("'{}' found", text),
                               "BODY:FX,FY,FZ or BODY:FX,FY,FZ,MX,MY,MZ",
                               {}});
    const std::string numbers = text.substr(colon + 1);
    std::vector<Entry> entries = xyz(Dimension::number, "f");
    const bool with_moment = std::count(numbers.begin(), numbers.end(), ',') > 2;
    if (with_moment)
      for (const Entry& entry : xyz(Dimension::number, "m")) entries.push_back(entry);
    const Eigen::VectorXd values = parse_vector("--wrench", numbers, entries);

    ExternalWrench wrench{.body = model.body(text.substr(0, colon))};
    wrench.force = values.head<3>();
    if (with_moment) wrench.moment = values.tail<3>();
    wrenches.push_back(wrench);
  }
  return wrenches;
}

}  // namespace ulna::cli
