#include "ulna/structure/load_factors.hpp"

#include <Eigen/Geometry>

#include "link_motion.hpp"

namespace ulna {

using elastic::StructureBody;
using elastic::StructureElement;

elastic::BucklingModes load_factors(const RobotStructure& structure, const VectorRef& q,
                                    const StaticLoad& load, int count) {
  const elastic::BeamStructure& frame = structure.frame();
  const Vector3<double> gravity =
      load.gravity ? structure.model().robot().gravity : Vector3<double>(Vector3<double>::Zero());
  const std::vector<LinkMotion> motions = link_motions(structure, q, load.motion);
  const StaticDeflection bent = static_deflection(structure, q, load);
  const elastic::SparseMatrix Kg = frame.sum_elements([&](const StructureElement& e) {
    const StressResultants& n = bent.members[&e - frame.elements().data()];
    return elastic::beam_geometric_stiffness(e.properties, e.length, n.start(0), n.end(0),
                                             structure.options().element.theory);
  }) + frame.sum_bodies([&](const StructureBody& b) {
    return body_geometric(structure, b, motions[b.group], gravity);
  });
  return elastic::buckling_modes(structure.system().K, Kg, count);
}

}  // namespace ulna
