#include "commands/condense_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ulna/formats/internal/matrix_market.hpp"
#include "ulna/formats/internal/write_calculix.hpp"
#include "ulna/structure/internal/beam_reduction.hpp"
#include "ulna/structure/internal/end_frame.hpp"

namespace ulna::cli::condense_source_detail {
namespace {

// K, M and perhaps C from files.
elastic::SystemMatrices read_system(const std::string& files) {
  const std::vector<std::string> names = comma_parts(files);
  if (names.size() < 2 || names.size() > 3)
    throw InputError(Problem{{}, "--matrices", "found '" + files + "'", "K.mtx,M.mtx[,C.mtx]", {}});
  elastic::SystemMatrices system;
  system.K = read_matrix_market(names[0]);
  system.M = read_matrix_market(names[1]);
  if (names.size() == 3) system.C = read_matrix_market(names[2]);
  elastic::check(system);
  return system;
}

// Freedoms of the nodes of one or more frames, as the matrices number them.
std::vector<int> interface_of(const RobotStructure& structure, const CondenseOptions& options,
                              const elastic::SystemMatrices& system) {
  std::vector<int> frames;
  if (options.interface)
    for (const std::string& name : comma_parts(*options.interface))
      frames.push_back(structure.model().frame(name));
  else
    frames.push_back(frame_or_tip(structure.model(), {}));
  std::vector<int> interface;
  for (const int frame : frames)
    for (const int freedom : structure.frame().nodes()[structure.node_of(frame)].map.freedoms) {
      const std::string& name = structure.frame().freedom_names()[freedom];
      const auto at = std::find(system.names.begin(), system.names.end(), name);
      const auto index = static_cast<int>(at - system.names.begin());
      if (at == system.names.end()) {
        if (!options.interface) return {};  // a loop has taken it; only craig-bampton needs one
        throw InputError(Problem{{},
                                 "--interface",
                                 fmt::format("'{}' of {} follows from a loop", name,
                                             structure.model().frames()[frame].name),
                                 "a frame whose freedoms are free",
                                 {}});
      }
      if (std::find(interface.begin(), interface.end(), index) == interface.end())
        interface.push_back(index);
    }
  std::sort(interface.begin(), interface.end());
  return interface;
}

// "arm" or "arm.tube": a beam of a body, which may have only one.
const BeamData& beam_named(const Robot& robot, const std::string& text) {
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw InputError(Problem{{}, "--beam", found, expected, {}});
  };
  std::vector<std::string> names;
  for (const BodyData& body : robot.bodies) {
    if (body.beams.empty()) continue;
    names.push_back(body.name);
    if (body.name == text) {
      if (body.beams.size() > 1) refuse("body '" + text + "' has several beams", "BODY.BEAM");
      return body.beams[0];
    }
    for (const BeamData& beam : body.beams) {
      names.push_back(body.name + "." + beam.name);
      if (names.back() == text) return beam;
    }
  }
  throw InputError(Problem{{},
                           "--beam",
                           "no beam '" + text + "'",
                           "a body with a beam, or BODY.BEAM",
                           nearest_name_hint(text, names)});
}

void add_beam(Source& source, const Model& model, const CondenseOptions& options) {
  if (options.interface)
    throw InputError(
        Problem{{}, "--interface", "given together with --beam", "the end of the beam", {}});
  const int elements = options.elements ? parse_count("--elements", *options.elements, 1) : 0;
  const StructureOptions choice = structure_options(model, options.structure);
  source.beam = beam_frame(beam_named(model.robot(), *options.beam), elements, choice.freedoms);
  source.system = source.beam->assemble(choice.element);
  source.interface = end_freedoms(*source.beam);
}

// Rigid links on free joints vibrate nowhere: there is nothing to condense.
void require_stiffness(const Model& model, const elastic::SystemMatrices& system) {
  if (system.K.norm() > 0 || has_beams(model)) return;
  throw InputError(fmt::format("no link of robot '{}' has a beam: nothing bends", model.name()),
                   "links with beam: {length, material, section, ...} in the robot file",
                   "or springs in its joints, by --elastic JOINT=STIFFNESS");
}

}  // namespace
}  // namespace ulna::cli::condense_source_detail

namespace ulna::cli {

Source source_of(const CondenseOptions& options, int count) {
  Source source;
  if (options.matrices) {
    if (!options.robot.empty())
      throw InputError("both a robot and --matrices are given", "one of the two");
    source.system = condense_source_detail::read_system(*options.matrices);
    if (options.interface)
      for (const std::string& part : comma_parts(*options.interface))
        source.interface.push_back(parse_count("--interface", part, 1) - 1);
    return source;
  }
  if (options.robot.empty())
    throw InputError("no robot is given", "ROBOT, or --matrices K.mtx,M.mtx");
  StructureChoice choice = options.structure;
  const Model loaded = load(options);
  const Model model = with_end_frame(options.beam ? loaded : in_its_plane(loaded, choice));
  if (options.beam) {
    condense_source_detail::add_beam(source, model, options);
    return source;
  }
  const Eigen::VectorXd q = closed_state(model, options.q).q;
  const RobotStructure structure(model, q, structure_options(model, choice));
  source.system = structure.system();
  condense_source_detail::require_stiffness(model, source.system);
  source.interface = condense_source_detail::interface_of(structure, options, source.system);
  if (options.export_to && options.export_to->ends_with(".inp"))
    source.deck = write_calculix(structure, count, &source.lost);
  return source;
}

}  // namespace ulna::cli
