#include <fmt/format.h>

#include <cmath>

#include "commands/modes_options.hpp"
#include "commands/modes_output.hpp"
#include "output/output_file.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/structure/internal/end_frame.hpp"

namespace ulna::cli::modes_at_rest_detail {
namespace {

Eigen::MatrixXd used_columns(const Eigen::MatrixXd& shares, const std::vector<std::string>& all,
                             std::vector<std::string>& names) {
  Eigen::MatrixXd used(shares.rows(), 0);
  for (int k = 0; k < shares.cols(); ++k) {
    if (shares.col(k).cwiseAbs().maxCoeff() < 1e-9) continue;
    used.conservativeResize(Eigen::NoChange, used.cols() + 1);
    used.rightCols<1>() = 100 * shares.col(k);
    names.push_back(all[k] + " %");
  }
  return used;
}

/// Members and joints leave the rest of a mode's strain energy to bushings and elements.
Eigen::MatrixXd with_rest(const StructureModes& found) {
  Eigen::MatrixXd shares(found.strain.rows(), found.strain.cols() + 1);
  for (int k = 0; k < shares.rows(); ++k) {
    const double known = found.strain.row(k).sum();
    const double rest = found.modes.omega(k) > 0 ? 1 - known : 0;
    shares.row(k) << found.strain.row(k), std::abs(rest) > 1e-6 ? rest : 0;
  }
  return shares;
}

/// Why there are no modes of links, or none at all; empty for robots with beams.
std::string remark_on(const Model& model, const RobotStructure& structure,
                      const elastic::NaturalModes& modes) {
  if (has_beams(model)) return {};
  if (modes.count() > 0 && modes.rigid_body_modes == modes.count())
    return std::string(structure.system().K.norm() == 0 ? "nothing is elastic: " : "") +
           "no link bends, and nothing resists the motions shown, which are rigid-body motions at "
           "0 Hz; give joints a spring: or links a beam: in the robot file, or joints a stiffness "
           "by --elastic all=STIFFNESS";
  return "no link bends: give links a beam: in the robot file; what vibrates here are joints with "
         "springs";
}

}  // namespace
}  // namespace ulna::cli::modes_at_rest_detail

namespace ulna::cli {

int modes_at_rest(const Model& model, const Eigen::VectorXd& q, const ModesOptions& options,
                  int count) {
  const RobotStructure structure(model, q, structure_options(model, options.structure));
  elastic::EigenOptions eigen;
  eigen.count = count;
  const StructureModes found = structure_modes(structure, eigen);
  const elastic::NaturalModes& modes = found.modes;
  if (!modes.warning.empty()) warn(modes.warning);
  const std::string remark = modes_at_rest_detail::remark_on(model, structure, modes);
  if (options.is_page()) {
    ModesReport page;
    page.members = members_of(structure);
    page.steps.push_back(step_of(structure, modes));
    write_file(*options.output, modes_html(model, q, page));
  }
  std::vector<std::string> parts;
  for (const Body& body : model.bodies()) parts.push_back(body.name);
  for (const std::string& speed : model.speed_names()) parts.push_back("spring of " + speed);
  for (const Loop& loop : model.loops()) parts.push_back("spring of " + loop.joint);
  parts.emplace_back("bushings and elements");
  const Eigen::MatrixXd shares = modes_at_rest_detail::with_rest(found);
  if (options.json) {
    Json out = json_object();
    out["frequencies_hz"] = to_json(modes.omega * hertz);
    out["frequencies_rad"] = to_json(modes.omega);
    out["freedoms"] = structure.frame().size();
    out["rigid_body_modes"] = modes.rigid_body_modes;
    out["residuals"] = to_json(modes.residual);
    add_drawing(out, structure);
    out["shapes"] = Json::array();
    for (int k = 0; k < modes.count(); ++k) {
      Json shape = shape_json(structure, modes.shapes.col(k));
      for (std::size_t p = 0; p < parts.size(); ++p)
        shape["strain_energy"][parts[p]] = shares(k, static_cast<int>(p));
      for (std::size_t p = 0; p < model.bodies().size(); ++p)
        shape["kinetic_energy"][parts[p]] = found.kinetic(k, static_cast<int>(p));
      for (int s = 0; s < model.speeds(); ++s)
        shape["joints"][model.speed_names()[s]] = found.joint_motion(k, s);
      shape["effective_mass"] = to_json(found.effective_mass.row(k).transpose());
      out["shapes"].push_back(shape);
    }
    if (!remark.empty()) out["remark"] = remark;
    if (!modes.warning.empty()) out["warning"] = modes.warning;
    if (options.output) out["file"] = *options.output;
    print_json(out);
    return 0;
  }
  const auto freedoms = structure.frame().size();
  print(heading(fmt::format("{}: {} freedom{}", model.name(), freedoms, freedoms == 1 ? "" : "s")));
  std::vector<std::string> names;
  const Eigen::MatrixXd strain = modes_at_rest_detail::used_columns(shares, parts, names);
  Table table;
  table.words("mode", numbered(modes.count()))
      .numbers("Hz", modes.omega * hertz)
      .numbers("rad/s", modes.omega)
      .matrix(names, strain)
      .matrix({"eff. mass x", "y", "z"}, found.effective_mass);
  print(table.text());
  print(
      fmt::format("\nshares are of the strain energy; effective masses in kg, of {:.6g} in all; "
                  "residuals below {:.1e}\n",
                  model.mass(), modes.residual.maxCoeff()));
  if (!remark.empty()) print(remark + "\n");
  if (options.output) print(fmt::format("wrote {}\n", printable(*options.output)));
  return 0;
}

}  // namespace ulna::cli
