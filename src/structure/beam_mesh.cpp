#include "ulna/structure/beam_mesh.hpp"

#include <algorithm>
#include <cmath>

namespace ulna {

Robot with_finer_beams(Robot robot, int factor) {
  for (BodyData& body : robot.bodies)
    for (BeamData& beam : body.beams) {
      if (beam.sections.size() > 1) {  // one per element
        std::vector<Section> finer;
        for (const Section& section : beam.sections)
          finer.insert(finer.end(), static_cast<std::size_t>(factor), section);
        beam.sections = std::move(finer);
      }
      beam.elements *= factor;
    }
  return robot;
}

double mesh_error(const Eigen::VectorXd& coarse, const Eigen::VectorXd& fine) {
  const Eigen::Index n = std::min(coarse.size(), fine.size());
  double error = 0;
  for (Eigen::Index k = 0; k < n; ++k) {
    if (!(fine(k) > 1e-6 * fine(n - 1))) continue;
    error = std::max(error, std::abs(coarse(k) / fine(k) - 1));
  }
  return error;
}

}  // namespace ulna
