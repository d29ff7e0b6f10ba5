// Real arms through Ulna's own reader, as plain numbers for all contestants.

#include "robots.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <map>
#include <string_view>

#include "ulna/formats/read_robot.hpp"
#include "ulna/model/model.hpp"

namespace ulna::bench {
namespace {

using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

/// A body seen from the moving link (or the base, -1) it is fixed to.
struct Fixture {
  int link;
  Pose<double> X;
};

/// The inertia of a link about its centre of mass.
void store(Link& link, const Inertia<double>& inertia) {
  link.mass = inertia.mass;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  if (inertia.mass > 0) centre = inertia.first_moment / inertia.mass;
  Eigen::Map<Eigen::Vector3d>(link.p_BBcm.data()) = centre;
  Eigen::Map<RowMajor>(link.I_BBcm.data()) =
      inertia.about_origin - Inertia<double>::parallel_axis(inertia.mass, centre);
}

ChainSpec spec_of(const std::string& name, const Robot& robot) {
  ChainSpec spec{.name = name};
  Eigen::Map<Eigen::Vector3d>(spec.gravity.data()) = robot.gravity;
  std::map<std::string, Fixture> at{{world_name, {-1, {}}}};
  std::vector<Inertia<double>> inertias;
  // Joints may stand in any order: go round until nothing is added.
  for (bool grown = true; grown;) {
    grown = false;
    for (const JointData& joint : robot.joints) {
      if (!at.count(joint.parent) || at.count(joint.child)) continue;
      grown = true;
      const Fixture parent = at[joint.parent];
      const Pose<double> X = parent.X * joint.X_PF;
      if (joint.type != JointType::revolute || joint.mimic) {
        at[joint.child] = {parent.link, X * joint.X_MC};
        continue;
      }
      // Turn the frame so that its z lies along the axis; axes along z stay as they are.
      const Pose<double> X_FZ = Pose<double>::turn(
          Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), joint.axis).matrix());
      Link link{.parent = parent.link};
      Eigen::Map<RowMajor>(link.R_PJ.data()) = (X * X_FZ).rotation;
      Eigen::Map<Eigen::Vector3d>(link.p_PJ.data()) = X.position;
      spec.links.push_back(link);
      inertias.emplace_back();
      at[joint.child] = {static_cast<int>(spec.links.size()) - 1, X_FZ.inverse() * joint.X_MC};
    }
  }
  for (const BodyData& body : robot.bodies) {
    const Fixture& fixture = at[body.name];
    if (fixture.link < 0) continue;
    const Inertial& own = body.inertial;
    inertias[fixture.link] +=
        transform(fixture.X, Inertia<double>::from_centre(own.mass, own.centre, own.inertia));
  }
  for (std::size_t i = 0; i < inertias.size(); ++i) store(spec.links[i], inertias[i]);
  return spec;
}

/// Right angles that a file gives with ten digits, made exact.
ChainSpec with_exact_angles(ChainSpec spec) {
  for (Link& link : spec.links)
    for (double& x : link.R_PJ)
      for (double exact : {-1.0, 0.0, 1.0})
        if (std::abs(x - exact) < 1e-6) x = exact;
  return spec;
}

}  // namespace

std::optional<ChainSpec> arm(const std::string& name, const std::filesystem::path& directory) {
  constexpr std::string_view suffix = "-exact";
  if (name.ends_with(suffix)) {
    std::optional<ChainSpec> spec = arm(name.substr(0, name.size() - suffix.size()), directory);
    if (!spec) return spec;
    spec->name = name;
    return with_exact_angles(*spec);
  }
  const std::filesystem::path file = directory / (name + ".urdf");
  if (std::filesystem::exists(file)) return spec_of(name, read_robot(file.string()).robot);
  for (const ShippedRobot& shipped : shipped_robots())
    if (shipped.name == name) return spec_of(name, read_robot(name).robot);
  return std::nullopt;
}

}  // namespace ulna::bench
