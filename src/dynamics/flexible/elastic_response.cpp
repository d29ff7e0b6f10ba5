#include "ulna/dynamics/internal/elastic_response.hpp"

#include <algorithm>
#include <array>

#include "ulna/dynamics/internal/deflection.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

Eigen::VectorXd elastic_place(const Model& model, const ElasticModes& modes, const VectorRef& q,
                              const std::string& where) {
  const std::vector<std::string>& names = model.speed_names();
  const auto speed = std::ranges::find(names, where);
  if (speed != names.end()) {
    const Eigen::VectorXd row = modes.motion.row(speed - names.begin()).transpose();
    if (row.isZero())
      throw InputError("joint coordinate '" + where + "' is locked", "a joint that is free");
    return row;
  }
  const std::size_t dot = where.rfind('.');
  const std::array<std::string, 6> axes = {"rx", "ry", "rz", "x", "y", "z"};
  const auto axis =
      std::ranges::find(axes, dot == std::string::npos ? std::string() : where.substr(dot + 1));
  if (axis == axes.end())
    throw InputError("'" + where + "' does not name a place for a force or a measured motion",
                     "FRAME.x, .y, .z, .rx, .ry or .rz, or a joint coordinate",
                     nearest_name_hint(where, names));
  Workspace work(model);
  const int frame = model.frame(where.substr(0, dot));
  const Eigen::MatrixXd J = jacobian(model, work, q, {.frame = frame});
  return modes.motion.transpose() * J.row(axis - axes.begin()).transpose();
}

Eigen::VectorXcd elastic_response(const ElasticModes& modes, const Eigen::VectorXd& in,
                                  const Eigen::VectorXd& out, const Eigen::VectorXd& w) {
  Eigen::VectorXcd response(w.size());
  const std::complex<double> i(0, 1);
  for (long k = 0; k < w.size(); ++k) {
    const Eigen::MatrixXcd D = (modes.K - w(k) * w(k) * modes.M).cast<std::complex<double>>() +
                               i * w(k) * modes.C.cast<std::complex<double>>();
    const Eigen::VectorXcd right = in.cast<std::complex<double>>();
    response(k) =
        (out.cast<std::complex<double>>().transpose() * dense::solve_complex(D, right))(0);
  }
  return response;
}

ElasticDrawing elastic_drawing(const Model& model, const VectorRef& q) {
  constexpr int sections = 12;
  Workspace work(model);
  update_poses(model, work, q);
  std::vector<Vector3<double>> nodes;
  ElasticDrawing drawing;
  std::vector<char> bends(model.bodies().size(), 0);
  for (std::size_t k = 0; k < model.flexible_links().size(); ++k) {
    const FlexibleLink& link = model.flexible_links()[k];
    bends[static_cast<std::size_t>(link.body)] = 1;
    std::vector<int> member;
    for (int s = 0; s <= sections; ++s) {
      const double x = link.modal->length * s / sections;
      const Pose<double> X = section_pose(model, static_cast<int>(k), q, x);
      member.push_back(static_cast<int>(nodes.size()));
      nodes.push_back(frame_pose(model, work, link.body) * (link.modal->X_BR * X.position));
    }
    drawing.members.push_back(std::move(member));
  }
  const auto line = [&](const Vector3<double>& from, const Vector3<double>& to) {
    const int first = static_cast<int>(nodes.size());
    nodes.push_back(from);
    nodes.push_back(to);
    drawing.members.push_back({first, first + 1});
  };
  for (std::size_t f = model.bodies().size(); f < model.frames().size(); ++f) {
    const int body = model.frames()[f].body;
    if (body > 0 && !bends[static_cast<std::size_t>(body)])
      line(frame_pose(model, work, body).position,
           frame_pose(model, work, static_cast<int>(f)).position);
  }
  for (const Joint& joint : model.joints())
    if (joint.parent > 0 && !bends[static_cast<std::size_t>(joint.parent)])
      line(frame_pose(model, work, joint.parent).position,
           frame_pose(model, work, joint.child).position);
  drawing.nodes.resize(3, static_cast<long>(nodes.size()));
  for (std::size_t k = 0; k < nodes.size(); ++k) drawing.nodes.col(static_cast<long>(k)) = nodes[k];
  return drawing;
}

Eigen::Matrix3Xd drawn_motion(const Model& model, const VectorRef& q, const VectorRef& v) {
  const double size = v.cwiseAbs().maxCoeff(), step = size > 0 ? 1e-5 / size : 1;
  const Eigen::VectorXd d = step * v;
  return (elastic_drawing(model, model.integrate(q, d)).nodes -
          elastic_drawing(model, model.integrate(q, -d)).nodes) /
         (2 * step);
}

}  // namespace ulna
