#include "ulna/elastic/modal_body.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "modal_body/modal_parts.hpp"
#include "modal_body/strain_elements.hpp"

namespace ulna {

namespace {

ModalBody made(const BendingBeam& of, std::shared_ptr<const ModeTable> table) {
  const BeamData& beam = of.beam;
  const BeamSamples samples(beam, of.element, of.table);
  ModalBody body;
  body.modes = samples.modes();
  body.length = beam.length();
  body.X_BR = {section_axes(beam), beam.from};
  for (const BeamShape& shape : samples.shapes) {
    body.names.push_back(shape.name);
    for (const ShapePart part : {across_y, across_z})
      if (std::abs(shape.at(part, 0).slope) * body.length >
          1e-9 * std::abs(shape.at(part, body.length / 3).value))
        body.turns_at_root = true;
  }
  fill_inertia(of, samples, body);
  fill_stiffness(of, samples, body);
  fill_damping(of, samples, body);
  fill_sections(beam, samples, std::move(table), body);
  return body;
}

}  // namespace

ModalBody modal_body(const BeamData& beam, const std::string& element) {
  const FlexibleData& f = *beam.flexible;
  if (f.family == ModeFamily::geometrically_exact) return geometrically_exact_body(beam, element);
  if (f.family == ModeFamily::finite_element) {
    const int most = std::max(f.bending_y, f.bending_z);
    if (most > beam.elements)
      refuse_beam(beam, element, fmt::format("{} modes from {} elements", most, beam.elements),
                  "at most as many modes as elements", fmt::format("elements: {}", most));
  }
  return made({beam, element, nullptr, f.damping, f.rayleigh}, nullptr);
}

ModalBody modal_body(const BeamData& beam, const std::string& element,
                     std::shared_ptr<const ModeTable> table, const std::vector<double>& damping) {
  for (const std::string& problem : problems_of(*table))
    refuse_beam(beam, element, "modes: " + problem,
                "shapes and matrices of the member held at its start");
  if (std::abs(table->length - beam.length()) > 1e-6 * beam.length())
    refuse_beam(beam, element, fmt::format("modes of a length of {:.9g} m", table->length),
                fmt::format("the length of the beam, {:.9g} m", beam.length()));
  return made({beam, element, table.get(), damping, {}}, table);
}

namespace {

/// The same beam with its axis from end to start.
BeamData turned_round(BeamData beam) {
  beam.reference = Vector3<double>(section_axes(beam).col(1));
  std::swap(beam.from, beam.to);
  std::reverse(beam.sections.begin(), beam.sections.end());
  for (AttachedBody& part : beam.attached) part.station = 1 - part.station;
  return beam;
}

}  // namespace

void make_flexible(Robot& robot) {
  for (BodyData& body : robot.bodies) {
    if (body.modal && mode_table_of(*body.modal)) continue;
    body.modal.reset();
    int flexible = 0;
    for (const BeamData& beam : body.beams) flexible += beam.flexible && beam.flexible->modes() > 0;
    // One flexible beam among several is refused when the robot is frozen.
    if (flexible == 0 || body.beams.size() > 1) continue;
    const std::string element = "body '" + body.name + "', beam";
    if (!check(body.beams[0], element).empty()) continue;  // said there, too
    auto modal = std::make_shared<ModalBody>(modal_body(body.beams[0], element));
    modal->reversed = [beam = turned_round(body.beams[0]), element] {
      return std::make_shared<const ModalBody>(modal_body(beam, element));
    };
    body.modal = modal;
  }
}

}  // namespace ulna
