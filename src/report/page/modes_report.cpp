#include "ulna/report/modes_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "page/binary.hpp"
#include "page/page_data.hpp"
#include "page/pose_track.hpp"
#include "page/text.hpp"

namespace ulna {
namespace {

using Json = nlohmann::ordered_json;

std::string floats_of(const Eigen::Matrix3Xd& columns) {
  std::vector<float> list;
  list.reserve(static_cast<std::size_t>(columns.size()));
  for (Eigen::Index k = 0; k < columns.cols(); ++k)
    for (int axis = 0; axis < 3; ++axis) list.push_back(static_cast<float>(columns(axis, k)));
  return base64_of(list);
}

void check(const ModesReport& modes, int coordinates) {
  if (modes.steps.empty() || modes.steps.front().nodes.cols() == 0)
    throw InputError("there are no nodes to show", "at least one step with nodes");
  const Eigen::Index nodes = modes.steps.front().nodes.cols();
  for (const std::vector<int>& member : modes.members)
    for (const int node : member)
      if (node < 0 || node >= nodes)
        throw InputError(fmt::format("a member has node {}", node),
                         fmt::format("0 to {}", nodes - 1));
  for (const ModesStep& step : modes.steps) {
    if (step.q.size() > 0 && step.q.size() != coordinates)
      throw InputError(fmt::format("step '{}' has {} coordinates", step.label, step.q.size()),
                       fmt::format("{}", coordinates));
    if (step.nodes.cols() != nodes)
      throw InputError(fmt::format("step '{}' has {} nodes", step.label, step.nodes.cols()),
                       fmt::format("{} as the first", nodes));
    for (const ModeShape& mode : step.modes)
      if (mode.displacement.cols() != nodes)
        throw InputError(fmt::format("a mode of {} nodes", mode.displacement.cols()),
                         fmt::format("{}", nodes));
  }
}

Json step_json(const ModesStep& step) {
  Json out = {{"label", clean_utf8(step.label)}, {"value", step.value}};
  out["nodes"] = floats_of(step.nodes);
  out["modes"] = Json::array();
  for (const ModeShape& mode : step.modes)
    out["modes"].push_back({{"hz", mode.frequency_hz},
                            {"damping", mode.damping},
                            {"note", clean_utf8(mode.note)},
                            {"shape", floats_of(mode.displacement)}});
  return out;
}

std::string title_of(const Model& model, const ModesReport& modes) {
  return modes.title.empty() ? model.name() : modes.title;
}

}  // namespace

std::string modes_json(const Model& model, const VectorRef& q, const ModesReport& modes) {
  check(modes, model.coordinates());
  Json out = head_json("modes", model, title_of(model, modes));
  // The frame takes the place of the links that are made up for a robot without shapes.
  for (Json& shape : out["robot"]["shapes"])
    if (!shape.contains("colour")) shape["colour"] = {0.6, 0.65, 0.7, 0.25};
  PoseTrack track(model, false);
  std::vector<double> records;  // the steps, in place of times
  for (const ModesStep& step : modes.steps) {
    track.add(step.q.size() > 0 ? VectorRef(step.q) : q);
    records.push_back(double(records.size()));
  }
  Json summary = Json::parse(modes.summary, nullptr, false);
  out["summary"] = summary.is_object() ? std::move(summary) : Json::object();
  out["time"] = base64_of(records);
  out["channels"] = Json::array();
  out["moves"] = true;
  out["poses"] = track.json();
  Json steps = Json::array();
  for (const ModesStep& step : modes.steps) steps.push_back(step_json(step));
  out["modes"] = {{"parameter", clean_utf8(modes.parameter)},
                  {"members", modes.members},
                  {"steps", std::move(steps)}};
  return script_safe(out);
}

std::string modes_html(const Model& model, const VectorRef& q, const ModesReport& modes) {
  return page_with(title_of(model, modes), modes_json(model, q, modes));
}

}  // namespace ulna
