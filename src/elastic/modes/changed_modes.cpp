// The same robot with other modes.

#include <algorithm>

#include "ulna/elastic/modal_body.hpp"
#include "ulna/model/kernels/exact_beam.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {

Robot with_rigid_links(Robot robot, const std::vector<std::string>& bodies) {
  for (BodyData& body : robot.bodies)
    if (bodies.empty() || std::find(bodies.begin(), bodies.end(), body.name) != bodies.end()) {
      for (BeamData& beam : body.beams) beam.flexible.reset();
      body.modal.reset();
    }
  make_flexible(robot);
  return robot;
}

namespace {

/// Changes the numbers of modes of every flexible beam. Damping ratios given one by one go on with
/// the last of their kind.
template <class Change>
Robot with_changed_modes(Robot robot, const Change& change) {
  for (BodyData& body : robot.bodies)
    for (BeamData& beam : body.beams) {
      if (!beam.flexible || beam.flexible->family == ModeFamily::geometrically_exact) continue;
      FlexibleData& f = *beam.flexible;
      const int before[] = {f.bending_y, f.bending_z, f.torsion, f.axial};
      if (f.bending_y > 0) f.bending_y = change(f.bending_y);
      if (f.bending_z > 0) f.bending_z = change(f.bending_z);
      if (f.damping.size() <= 1) continue;
      const int after[] = {f.bending_y, f.bending_z, f.torsion, f.axial};
      std::vector<double> ratios;
      std::size_t first = 0;
      for (int kind = 0; kind < 4; ++kind) {
        for (int m = 0; m < after[kind]; ++m)
          ratios.push_back(f.damping.at(first + std::min(m, before[kind] - 1)));
        first += static_cast<std::size_t>(before[kind]);
      }
      f.damping = ratios;
    }
  make_flexible(robot);
  return robot;
}

}  // namespace

Robot with_bending_modes(Robot robot, int modes) {
  return with_changed_modes(std::move(robot), [=](int) { return modes; });
}

Robot with_body_modes(Robot robot, const std::string& name, std::optional<int> modes,
                      std::optional<ModeFamily> family) {
  const auto body = std::ranges::find(robot.bodies, name, &BodyData::name);
  if (body == robot.bodies.end() || !body->modal)
    throw InputError("body '" + name + "' is not flexible", "a flexible body");
  if (modes == 0) return with_rigid_links(std::move(robot), {name});
  bool own = false;
  for (BeamData& beam : body->beams) own |= beam.flexible.has_value();
  if (!own)
    throw InputError("the modes of body '" + name + "' come from a file",
                     "0 (rigid), or a beam with modes of its own");
  // The others stand aside while the modes of this one change.
  Robot alone = robot;
  for (BodyData& other : alone.bodies)
    if (other.name != name)
      for (BeamData& beam : other.beams) beam.flexible.reset();
  if (family)
    for (BodyData& other : alone.bodies)
      for (BeamData& beam : other.beams)
        if (beam.flexible) beam.flexible->family = *family;
  alone = modes ? with_bending_modes(std::move(alone), *modes) : std::move(alone);
  const auto changed = std::ranges::find(alone.bodies, name, &BodyData::name);
  for (std::size_t k = 0; k < body->beams.size(); ++k)
    body->beams[k].flexible = changed->beams[k].flexible;
  make_flexible(robot);
  return robot;
}

Robot with_more_modes(Robot robot, int more) {
  return with_changed_modes(std::move(robot), [=](int before) { return before + more; });
}

}  // namespace ulna
