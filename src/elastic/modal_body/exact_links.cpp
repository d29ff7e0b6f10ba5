// The same robot with geometrically exact links.

#include <algorithm>

#include "ulna/elastic/geometrically_exact.hpp"
#include "ulna/elastic/modal_body.hpp"
#include "ulna/model/kernels/exact_beam.hpp"

namespace ulna {
namespace {

/// Counts of strain functions instead of modes; damping ratios of each kind go on with its first,
/// those of a kind that had none with the first of all.
void count_strains(BeamData& beam) {
  FlexibleData& f = *beam.flexible;
  const BeamProperties p = properties_of(beam);
  const bool spatial = f.bending_y > 0 && f.bending_z > 0 && p.GJ > 0 && p.polar_inertia > 0;
  const int before[] = {f.bending_y, f.bending_z, f.torsion, f.axial};
  f.torsion = f.torsion > 0 || spatial ? 2 : 0;
  f.bending_y = f.bending_y > 0 ? 2 : 0;
  f.bending_z = f.bending_z > 0 ? 2 : 0;
  f.axial = f.axial > 0 ? 1 : 0;
  f.family = ModeFamily::geometrically_exact;
  if (f.damping.size() <= 1) return;
  const int after[] = {f.bending_y, f.bending_z, f.torsion, f.axial};
  std::vector<double> ratios;
  std::size_t first = 0;
  for (int kind = 0; kind < 4; ++kind) {
    ratios.insert(ratios.end(), static_cast<std::size_t>(after[kind]),
                  before[kind] > 0 ? f.damping.at(first) : f.damping[0]);
    first += static_cast<std::size_t>(before[kind]);
  }
  f.damping = ratios;
}

void cut(BeamData& beam, const GeometricallyExact& options) {
  FlexibleData& f = *beam.flexible;
  if (f.family != ModeFamily::geometrically_exact) count_strains(beam);
  if (options.shear && f.axial == 0) {
    f.axial = 1;
    if (f.damping.size() > 1) f.damping.push_back(f.damping[0]);
  }
  const int sections = std::max(1, static_cast<int>(beam.sections.size()));
  const int each = (options.elements + sections - 1) / sections;
  if (sections > 1) {
    std::vector<Section> repeated;
    for (const Section& section : beam.sections)
      repeated.insert(repeated.end(), static_cast<std::size_t>(each), section);
    beam.sections = std::move(repeated);
  }
  beam.elements = each * sections;
}

}  // namespace

Robot with_geometrically_exact_links(Robot robot, const GeometricallyExact& options) {
  constexpr int most_elements = 1000;  // each adds six speeds to a full mass matrix
  if (options.elements < 1 || options.elements > most_elements)
    throw InputError(
        "a geometrically exact beam of " + std::to_string(options.elements) + " elements",
        "1 to " + std::to_string(most_elements) + " elements");
  for (BodyData& body : robot.bodies) {
    if (body.modal && mode_table_of(*body.modal))
      throw InputError(Problem{body.mark, "body '" + body.name + "'", "its modes come from a file",
                               "a beam with stiffness and mass",
                               "elements need the properties of the sections"});
    for (BeamData& beam : body.beams)
      if (beam.flexible) cut(beam, options);
  }
  make_flexible(robot);
  return robot;
}

}  // namespace ulna
