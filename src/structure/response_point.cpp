#include "ulna/structure/internal/response_point.hpp"

#include <algorithm>
#include <array>

namespace ulna {

Eigen::VectorXd response_point(const RobotStructure& structure, const std::string& where) {
  const Model& model = structure.model();
  const auto& speeds = model.speed_names();
  const auto speed = std::find(speeds.begin(), speeds.end(), where);
  if (speed != speeds.end()) {
    const int freedom = structure.freedom_of(static_cast<int>(speed - speeds.begin()));
    if (freedom < 0)
      throw InputError("joint coordinate '" + where + "' is locked", "a joint that is free");
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(structure.frame().freedoms(), freedom);
    const elastic::SparseMatrix Z = structure.frame().basis();
    return Z.size() > 0 ? Eigen::VectorXd(Z.transpose() * unit) : unit;
  }
  const std::size_t dot = where.rfind('.');
  const std::array<std::string, 6> axes = {"x", "y", "z", "rx", "ry", "rz"};
  const std::string axis = dot == std::string::npos ? "" : where.substr(dot + 1);
  const auto found = std::find(axes.begin(), axes.end(), axis);
  if (found == axes.end())
    throw InputError("'" + where + "' does not name a place for a force or a measured motion",
                     "FRAME.x, .y, .z, .rx, .ry or .rz, or a joint coordinate",
                     nearest_name_hint(where, speeds));
  const int node = structure.node_of(model.frame(where.substr(0, dot)));
  return structure.frame().force_at(node,
                                    Vector6<double>::Unit(static_cast<int>(found - axes.begin())));
}

}  // namespace ulna
