// TEMPORARY: just enough of URDF for the two arms, until Ulna's own reader serves here.

#include "robots.hpp"

#include <Eigen/Geometry>
#include <pugixml.hpp>
#include <sstream>

namespace ulna::bench {
namespace {

using Eigen::Isometry3d, Eigen::Matrix3d, Eigen::Vector3d;
using Matrix3RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Vector3d numbers(const char* text) {
  Vector3d v = Vector3d::Zero();
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  in >> v.x() >> v.y() >> v.z();
  return v;
}

Isometry3d pose(const pugi::xml_node& origin) {
  const Vector3d rpy = numbers(origin.attribute("rpy").value());
  Isometry3d X(Eigen::AngleAxisd(rpy.z(), Vector3d::UnitZ()) *
               Eigen::AngleAxisd(rpy.y(), Vector3d::UnitY()) *
               Eigen::AngleAxisd(rpy.x(), Vector3d::UnitX()));
  X.translation() = numbers(origin.attribute("xyz").value());
  return X;
}

// Adds to body B the inertial element of a link that is fixed to it at X_BL.
void add_inertia(Link& body, const pugi::xml_node& inertial, const Isometry3d& X_BL) {
  const double mass = inertial.child("mass").attribute("value").as_double();
  if (mass == 0) return;
  const pugi::xml_node i = inertial.child("inertia");
  const auto at = [&](const char* name) { return i.attribute(name).as_double(); };
  const Isometry3d X_BC = X_BL * pose(inertial.child("origin"));
  Matrix3d I;
  I << at("ixx"), at("ixy"), at("ixz"), at("ixy"), at("iyy"), at("iyz"), at("ixz"), at("iyz"),
      at("izz");
  Eigen::Map<Matrix3RowMajor> total(body.I_BBcm.data());
  Eigen::Map<Vector3d> centre(body.p_BBcm.data());
  // Two bodies about their common centre: m1 m2 / (m1 + m2) times the square of their distance.
  const Vector3d d = X_BC.translation() - centre;
  const double reduced = body.mass * mass / (body.mass + mass);
  total += X_BC.linear() * I * X_BC.linear().transpose() +
           reduced * (d.squaredNorm() * Matrix3d::Identity() - d * d.transpose());
  centre += mass / (body.mass + mass) * d;
  body.mass += mass;
}

// Walks the tree from `link`, which is fixed to body number `body` (-1: the base) at X_BL.
void walk(const pugi::xml_node& robot, const std::string& link, int body, const Isometry3d& X_BL,
          ChainSpec& spec) {
  if (body >= 0)
    add_inertia(spec.links[body],
                robot.find_child_by_attribute("link", "name", link.c_str()).child("inertial"),
                X_BL);
  for (const pugi::xml_node& joint : robot.children("joint")) {
    if (link != joint.child("parent").attribute("link").value()) continue;
    const std::string child = joint.child("child").attribute("link").value();
    const std::string type = joint.attribute("type").value();
    const Isometry3d X_BJ = X_BL * pose(joint.child("origin"));
    if (type != "revolute" && type != "continuous") {
      walk(robot, child, body, X_BJ, spec);
      continue;
    }
    // Turn the frame so that its z lies along the axis; axes along z stay as they are.
    const Vector3d axis = numbers(joint.child("axis").attribute("xyz").value()).normalized();
    const Isometry3d X_JZ(Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), axis));
    Link moving{.parent = body};
    Eigen::Map<Matrix3RowMajor>(moving.R_PJ.data()) = (X_BJ * X_JZ).linear();
    Eigen::Map<Vector3d>(moving.p_PJ.data()) = X_BJ.translation();
    spec.links.push_back(moving);
    walk(robot, child, static_cast<int>(spec.links.size()) - 1, X_JZ.inverse(), spec);
  }
}

}  // namespace

std::optional<ChainSpec> shared_robot(const std::string& name,
                                      const std::filesystem::path& directory) {
  pugi::xml_document document;
  if (!document.load_file((directory / (name + ".urdf")).c_str())) return std::nullopt;
  const pugi::xml_node robot = document.child("robot");
  ChainSpec spec{.name = name};
  for (const pugi::xml_node& link : robot.children("link")) {
    const std::string root = link.attribute("name").value();
    const bool is_child = robot.find_child([&](const pugi::xml_node& joint) {
      return root == joint.child("child").attribute("link").value();
    });
    if (!is_child) walk(robot, root, -1, Isometry3d::Identity(), spec);
  }
  return spec;
}

}  // namespace ulna::bench
