#include "commands/modes_output.hpp"

#include <fmt/format.h>

#include "commands/modes_options.hpp"
#include "output/picture.hpp"

namespace ulna::cli::modes_output_detail {
namespace {

Eigen::Matrix3Xd nodes_of(const RobotStructure& structure) {
  const auto& nodes = structure.frame().nodes();
  Eigen::Matrix3Xd places(3, static_cast<Eigen::Index>(nodes.size()));
  for (std::size_t k = 0; k < nodes.size(); ++k)
    places.col(static_cast<Eigen::Index>(k)) = nodes[k].position;
  return places;
}

}  // namespace
}  // namespace ulna::cli::modes_output_detail

namespace ulna::cli {

Json shape_json(const RobotStructure& structure, const Eigen::VectorXd& shape) {
  Json out;
  out["displacements"] = matrix_to_json(node_displacements(structure, shape));
  return out;
}

void add_drawing(Json& out, const RobotStructure& structure) {
  const elastic::BeamStructure& frame = structure.frame();
  out["nodes"] = Json::array();
  for (std::size_t k = 0; k < frame.nodes().size(); ++k) {
    Json node;
    node["name"] = frame.nodes()[k].name;
    node["body"] = structure.model().bodies()[structure.owner_of(static_cast<int>(k))].name;
    node["position"] = to_json(frame.nodes()[k].position);
    out["nodes"].push_back(node);
  }
  out["elements"] = Json::array();
  for (const elastic::StructureElement& e : frame.elements())
    out["elements"].push_back(Json::array({e.start, e.end}));
}

std::vector<std::vector<int>> members_of(const RobotStructure& structure) {
  std::vector<std::vector<int>> members;
  for (const elastic::StructureElement& e : structure.frame().elements())
    members.push_back({e.start, e.end});
  return members;
}

ModesStep step_of(const RobotStructure& structure, const elastic::NaturalModes& modes) {
  ModesStep step;
  step.nodes = modes_output_detail::nodes_of(structure);
  for (int k = 0; k < modes.count(); ++k)
    step.modes.push_back({modes.omega(k) * hertz, 0, k < modes.rigid_body_modes ? "rigid body" : "",
                          node_displacements(structure, modes.shapes.col(k)).transpose()});
  return step;
}

std::vector<std::string> numbered(int count) {
  std::vector<std::string> names;
  for (int k = 1; k <= count; ++k) names.push_back(fmt::format("{}", k));
  return names;
}

void require_plot_name(const std::string& file) {
  if (!is_picture(file) && !file.ends_with(".csv"))
    throw InputError(Problem{{file, 0, 0},
                             {},
                             "unknown kind of picture",
                             "a name that ends in .svg, .png, .pdf or .csv",
                             {}});
}

void write_plot(const std::string& file, const RecordTable& table, const std::string& title) {
  require_plot_name(file);
  write_table(file, table, title);
}

}  // namespace ulna::cli
