#include "kinematics_script.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text.hpp"
#include "ulna/generate/source.hpp"

namespace ulna {
namespace {

// A page for a robot of hundreds of bodies stays a page: further frames go without a target.
constexpr std::size_t most_text = 1'000'000;
constexpr std::size_t most_frames = 60;

/// Frames that move, the likely ones first: the tip, those with a name of their own, the outer
/// bodies.
std::vector<int> target_frames(const Model& model) {
  const int bodies = static_cast<int>(model.bodies().size());
  const int frames = static_cast<int>(model.frames().size());
  std::vector<int> order = {model.tip_frame()};
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

KinematicsScript kinematics_script(const Model& model) {
  KinematicsScript out;
  try {
    out.text = "ulnaKinematics={poses:" + javascript_expression(trace(model, "frame-poses")) +
               ",\njacobians:{";
  } catch (const InputError& problem) {
    out.missing = problem.problems().front().message;
    return out;
  }
  out.data["frames"] = nlohmann::ordered_json::array();
  for (const int frame : target_frames(model)) {
    if (out.text.size() > most_text) break;
    TraceOptions options;
    options.frame = frame;
    out.text +=
        fmt::format("{}:{},\n", frame, javascript_expression(trace(model, "jacobian", options)));
    out.data["frames"].push_back(
        {{"name", clean_utf8(model.frames()[frame].name)}, {"index", frame}});
  }
  out.text += "}};";
  out.data["count"] = model.frames().size();
  out.data["speeds"] = model.speeds();
  return out;
}

}  // namespace ulna
