#include "page/kinematics_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "page/open_tree.hpp"
#include "page/text.hpp"
#include "ulna/generate/source.hpp"

namespace ulna {
namespace {

// A page for a robot of hundreds of bodies stays a page: further frames go without a target.
constexpr std::size_t most_text = 1'000'000;
constexpr std::size_t most_frames = 60;

/// Frames that move, the likely ones first: the platform or the tip, those with a name of their
/// own, the outer bodies.
std::vector<int> target_frames(const Model& model) {
  const int bodies = static_cast<int>(model.bodies().size());
  const int frames = static_cast<int>(model.frames().size());
  std::vector<int> order = {model.tip_frame()};
  if (const PlatformData* platform = model.platform())
    order = {model.frame(platform->platform_body)};
  for (int k = bodies; k < frames; ++k) order.push_back(k);
  for (int k = bodies - 1; k > 0; --k) order.push_back(k);
  std::vector<int> list;
  for (const int k : order)
    if (model.frames()[k].node > 0 && std::count(list.begin(), list.end(), k) == 0)
      list.push_back(k);
  list.resize(std::min(list.size(), most_frames));
  return list;
}

}  // namespace

namespace {

/// "6:function(q, J){...},\n"
std::string jacobian_text(const Model& model, int frame) {
  TraceOptions options;
  options.frame = frame;
  return fmt::format("{}:{},\n", frame, javascript_expression(trace(model, "jacobian", options)));
}

/// Both sides of every closure that move: the page cannot do without them.
std::string closure_jacobians(const OpenedLoops& open) {
  std::string text;
  for (const auto& [parent, child] : open.sides)
    for (const int frame : {parent, child})
      if (frame >= 0 && open.tree->frames()[frame].node > 0)
        text += jacobian_text(*open.tree, frame);
  return text;
}

}  // namespace

KinematicsScript kinematics_script(const Model& model, const VectorRef& q) {
  KinematicsScript out;
  const std::optional<OpenedLoops> open = open_tree(model);
  if (!open) {
    out.missing = "a loop of it cannot be opened";
    return out;
  }
  const Model& tree = *open->tree;
  try {
    out.text = "ulnaKinematics={poses:" + javascript_expression(trace(tree, "frame-poses")) +
               ",\njacobians:{";
    out.text += closure_jacobians(*open);
  } catch (const InputError& problem) {
    out = {};
    out.missing = problem.problems().front().message;
    return out;
  }
  nlohmann::ordered_json data;
  data["frames"] = nlohmann::ordered_json::array();
  for (const int frame : target_frames(model)) {
    if (out.text.size() > most_text) break;
    out.text += jacobian_text(tree, frame);
    data["frames"].push_back({{"name", clean_utf8(model.frames()[frame].name)}, {"index", frame}});
  }
  out.text += "}};";
  data["count"] = tree.frames().size();
  data["speeds"] = tree.speeds();
  if (!open->sides.empty()) {
    data["loops"] = loops_json(model, *open, q);
    data["tangents"] = tangents_json(model);
  }
  out.data = std::make_shared<const nlohmann::ordered_json>(std::move(data));
  return out;
}

}  // namespace ulna
