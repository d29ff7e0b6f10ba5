// The same robot with other modes.

#include <algorithm>

#include "ulna/elastic/modal_body.hpp"

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
      if (!beam.flexible) continue;
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

Robot with_more_modes(Robot robot, int more) {
  return with_changed_modes(std::move(robot), [=](int before) { return before + more; });
}

}  // namespace ulna
