#include "ulna/structure/internal/end_frame.hpp"

#include <algorithm>

#include "ulna/model/internal/actuator_inputs.hpp"

namespace ulna {

bool has_beams(const Model& model) {
  const auto& bodies = model.robot().bodies;
  return std::any_of(bodies.begin(), bodies.end(),
                     [](const BodyData& body) { return !body.beams.empty(); });
}

Model with_end_frame(const Model& model) {
  if (!model.robot().frames.empty() || !has_beams(model)) return model;
  Robot robot = model.robot();
  FrameData end;
  end.name = "end";
  for (const BodyData& body : robot.bodies) {
    if (!body.beams.empty()) {
      end.body = body.name;
      end.X_BF = Pose<double>::translation(body.beams.back().to);
    }
    if (body.name == end.name) end.name += "'";
  }
  robot.frames.push_back(end);
  return made_from(model, std::move(robot));
}

}  // namespace ulna
