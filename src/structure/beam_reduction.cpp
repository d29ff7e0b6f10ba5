#include "ulna/structure/internal/beam_reduction.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ulna/numerics/error.hpp"

namespace ulna {

elastic::BeamStructure beam_frame(const BeamData& beam, int elements, unsigned freedoms) {
  const int sections = std::max<int>(1, static_cast<int>(beam.sections.size()));
  const int count = elements > 0 ? elements : beam.elements;
  if (count % sections != 0)
    throw InputError(fmt::format("{} elements for {} sections", count, sections),
                     "a multiple of the sections");
  elastic::BeamStructure frame;
  const double length = beam.length();
  frame.add_clamped_node("start", Vector3<double>::Zero());
  for (int k = 1; k <= count; ++k) {
    frame.add_node(k == count ? "end" : fmt::format("node {}", k), {length * k / count, 0, 0},
                   freedoms);
    elastic::StructureElement element;
    element.name = fmt::format("beam '{}', element {}", beam.name, k);
    element.start = k - 1, element.end = k;
    element.axes.setIdentity();
    element.length = length / count;
    element.properties = properties_of(beam, (k - 1) * sections / count);
    frame.add_element(element);
  }
  return frame;
}

std::vector<int> end_freedoms(const elastic::BeamStructure& frame) {
  return frame.nodes().back().map.freedoms;
}

ModeTable reduced_mode_table(const elastic::BeamStructure& frame,
                             const elastic::SystemMatrices& system,
                             const elastic::Reduction& reduction) {
  const elastic::ReducedSystem small = elastic::reduce(system, reduction);
  ModeTable table;
  table.length = frame.nodes().back().position.x();
  table.names = elastic::reduced_system(system, reduction).names;
  for (std::string& name : table.names)  // they become parts of coordinate names
    std::replace(name.begin(), name.end(), ' ', '_');
  table.stiffness = small.K;
  table.mass = small.M;
  if (system.damped()) table.damping = small.C;
  const auto n = static_cast<int>(frame.nodes().size()), modes = reduction.size();
  table.translations.resize(3 * n, modes);
  table.rotations.resize(3 * n, modes);
  for (int k = 0; k < n; ++k) {
    table.nodes.push_back(frame.nodes()[k].position.x());
    for (int m = 0; m < modes; ++m) {
      const Vector6<double> u = frame.nodes()[k].map.motion(reduction.T.col(m));
      table.translations.block<3, 1>(3 * k, m) = u.head<3>();
      table.rotations.block<3, 1>(3 * k, m) = u.tail<3>();
    }
  }
  return table;
}

}  // namespace ulna
