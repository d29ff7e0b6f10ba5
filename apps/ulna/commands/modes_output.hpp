#pragma once
// Frames and shapes as `ulna modes` tells them: in JSON, and as steps of its page.

#include "output/json_output.hpp"
#include "ulna/formats/read_table.hpp"
#include "ulna/report/modes_report.hpp"
#include "ulna/structure/structure_modes.hpp"

namespace ulna::cli {

/// Displacements of all nodes in a shape.
Json shape_json(const RobotStructure& structure, const Eigen::VectorXd& shape);
/// Where the nodes are and which are joined: enough to draw a shape.
void add_drawing(Json& out, const RobotStructure& structure);

std::vector<std::vector<int>> members_of(const RobotStructure& structure);
ModesStep step_of(const RobotStructure& structure, const elastic::NaturalModes& modes);

/// "1", "2", ...
std::vector<std::string> numbered(int count);

/// A picture or, where the name ends in .csv, its numbers.
/// InputError for a name that is neither of a picture nor of a table.
void require_plot_name(const std::string& file);
void write_plot(const std::string& file, const RecordTable& table, const std::string& title);

}  // namespace ulna::cli
