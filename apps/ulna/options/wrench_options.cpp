#include "options/wrench_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "options/command_line.hpp"
#include "options/vector_text.hpp"

namespace ulna::cli {
namespace {

constexpr const char* wrench_form = "BODY:FX,FY,FZ or BODY@FRAME:FX,FY,FZ,MX,MY,MZ";

/// "hand", "hand@tool", "tool@hand": where it acts and in whose axes. Names may hold an '@': the
/// longest first part that is a name counts.
ExternalWrench placed(const Model& model, const std::string& text) {
  std::string place = text, axes;
  const auto known = [&](const std::string& name) {
    return std::any_of(model.frames().begin(), model.frames().end(),
                       [&](const Frame& frame) { return frame.name == name; });
  };
  for (std::size_t at = text.rfind('@'); at != std::string::npos && at > 0 && !known(place);
       at = text.rfind('@', at - 1)) {
    place = text.substr(0, at);
    axes = text.substr(at + 1);
  }
  const Frame& frame = model.frames()[static_cast<std::size_t>(model.frame(place))];
  ExternalWrench wrench{.body = frame.body};
  for (const FrameData& data : model.robot().frames)  // undeformed, if the body is flexible
    if (data.name == place) wrench.point = data.X_BF.position;
  if (!axes.empty()) wrench.expressed_in = model.frame(axes);
  return wrench;
}

}  // namespace

void add_wrench_option(CLI::App& command, std::vector<std::string>& texts) {
  add_texts(command, "--wrench", texts, "BODY[@FRAME]:FX,FY,FZ[,MX,MY,MZ]",
            "External force (N) at the origin of a body or frame and moment (N m), in world axes "
            "or those of FRAME (may be repeated)");
}

std::vector<ExternalWrench> wrenches_from(const Model& model,
                                          const std::vector<std::string>& texts) {
  std::vector<ExternalWrench> wrenches;
  for (const std::string& text : texts) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos)
      throw InputError(Problem{{}, "--wrench", fmt::format("'{}' found", text), wrench_form, {}});
    const std::string numbers = text.substr(colon + 1);
    std::vector<Entry> entries = xyz(Dimension::force, "f");
    const bool with_moment = std::count(numbers.begin(), numbers.end(), ',') > 2;
    if (with_moment)
      for (const Entry& entry : xyz(Dimension::torque, "m")) entries.push_back(entry);
    const Eigen::VectorXd values = parse_vector("--wrench", numbers, entries);

    ExternalWrench wrench = placed(model, text.substr(0, colon));
    wrench.force = values.head<3>();
    if (with_moment) wrench.moment = values.tail<3>();
    wrenches.push_back(wrench);
  }
  return wrenches;
}

}  // namespace ulna::cli
