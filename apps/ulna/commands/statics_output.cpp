#include "commands/statics_output.hpp"

#include <fmt/format.h>

#include "output/table.hpp"
#include "output/terminal.hpp"

namespace ulna::cli {

FrameDeflection frame_deflection(const RobotStructure& structure, const Eigen::VectorXd& q,
                                 int frame, const StaticLoad& load) {
  FrameDeflection found;
  found.frame = frame;
  found.bent = static_deflection(structure, q, load);
  found.motion = structure.frame().node_motion(structure.node_of(frame), found.bent.freedoms);
  found.compliance = compliance(structure, frame);
  return found;
}

Json deflection_json(const Model& model, const FrameDeflection& found) {
  Json out = json_object();
  out["frame"] = model.frames()[found.frame].name;
  out["translation"] = to_json(found.motion.head<3>());
  out["rotation"] = to_json(found.motion.tail<3>());
  out["compliance"] = matrix_to_json(found.compliance);
  out["members"] = Json::array();
  for (const StressResultants& member : found.bent.members) {
    Json item;
    item["element"] = member.element;
    item["start"] = to_json(member.start);
    item["end"] = to_json(member.end);
    out["members"].push_back(item);
  }
  return out;
}

void print_deflection(const Model& model, const FrameDeflection& found) {
  print(fmt::format("{} moves by {} m and turns by {} rad\n\n", model.frames()[found.frame].name,
                    numbers_text(found.motion.head<3>()), numbers_text(found.motion.tail<3>())));
  print(heading("compliance: (translation, rotation) per (force, moment)"));
  print(matrix_text(found.compliance));
}

void print_members(const StaticDeflection& bent) {
  print(heading("\nstress resultants, at the start of each element and at its end"));
  std::vector<std::string> names;
  Eigen::MatrixXd forces(2 * static_cast<int>(bent.members.size()), 6);
  for (std::size_t k = 0; k < bent.members.size(); ++k) {
    names.push_back(bent.members[k].element);
    names.emplace_back("");
    forces.row(2 * static_cast<int>(k)) = bent.members[k].start.transpose();
    forces.row(2 * static_cast<int>(k) + 1) = bent.members[k].end.transpose();
  }
  print(Table().words("element", names).matrix({"N", "Qy", "Qz", "T", "My", "Mz"}, forces).text());
}

}  // namespace ulna::cli
