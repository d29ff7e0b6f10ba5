// URDF files as found in the wild, read by Ulna and by MuJoCo, each with its own reader. Left out
// where the files are not at hand. MuJoCo does not know mimic joints: they are free there, and the
// efforts of Ulna are theirs times the map G from Ulna's coordinates.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "../support/random_robot.hpp"
#include "agreement.hpp"
#include "mujoco_model.hpp"
#include "support/places.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {
namespace {

using testing::expect_agreement;
using testing::Generator;
using testing::random_entries;

void remove_elements(std::string& xml, const std::string& name) {
  const std::string close = "</" + name + ">";
  for (std::size_t begin; (begin = xml.find("<" + name)) != std::string::npos;)
    xml.erase(begin, xml.find(close, begin) + close.size() - begin);
}

/// The file without its shapes, whose meshes are missing. Bodies on fixed joints stay themselves,
/// and weightless ones get the least that MuJoCo wants.
std::string for_mujoco(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string xml{std::istreambuf_iterator<char>(file), {}};
  for (const char* name : {"visual", "collision", "gazebo", "transmission"})
    remove_elements(xml, name);
  xml.insert(xml.rfind("</robot>"),
             "<mujoco><compiler fusestatic='false' balanceinertia='true' inertiafromgeom='false' "
             "boundmass='1e-12' boundinertia='1e-12'/></mujoco>");
  return xml;
}

/// How far a joint goes with the coordinate that drives it.
struct Follow {
  const Joint* driver;
  double multiplier = 1, offset = 0;
};
Follow follow(const Model& model, const std::string& name) {
  const JointData& data = model.robot().joints[model.joint(name)];
  if (!data.mimic) return {&model.joints()[model.joint(name)]};
  const Follow leader = follow(model, data.mimic->joint);
  return {leader.driver, data.mimic->multiplier * leader.multiplier,
          data.mimic->multiplier * leader.offset + data.mimic->offset};
}

class Urdf : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr int states = 3;
  const std::filesystem::path path =
      std::filesystem::path(testing::shared_folder()) / "robots" / (GetParam() + ".urdf");
};

TEST_P(Urdf, SaysTheSameToUlnaAndToMujoco) {
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  Robot robot = read_robot(path.string()).robot;
  for (JointData& joint : robot.joints)
    for (DegreeData& degree : joint.degrees) degree.friction = 0;  // a constraint in MuJoCo
  // Ulna minds an impossible inertia only where it is felt by itself; MuJoCo makes it a sphere's.
  for (BodyData& body : robot.bodies) {
    Matrix3<double>& I = body.inertial.inertia;
    if (!why_impossible(body.inertial.mass, I).empty())
      I = Matrix3<double>::Identity() * I.trace() / 3;
  }
  const Model model(robot);
  Workspace work(model);
  const testing::Mujoco peer(for_mujoco(path), "robot.urdf", robot.gravity);
  mjData* d = peer.data.get();

  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(peer.model->nv, model.speeds());
  int moving = 0;
  Generator g(1);
  for (int state = 0; state < states; ++state) {
    const Eigen::VectorXd q = model.random(g);
    const Eigen::VectorXd v = random_entries(g, model.speeds()),
                          a = random_entries(g, model.speeds());
    moving = 0;
    for (const Joint& joint : model.joints()) {
      if (joint.type == JointType::fixed) continue;
      const Follow f = follow(model, joint.name);
      const int id = peer.joint(joint.name);
      d->qpos[peer.model->jnt_qposadr[id]] = f.multiplier * q(f.driver->q) + f.offset;
      G(peer.model->jnt_dofadr[id], f.driver->v) = f.multiplier;
      ++moving;
    }
    ASSERT_EQ(moving, peer.model->nv);
    peer.per_speed(d->qvel) = G * v;
    peer.per_speed(d->qacc) = G * a;
    mj_inverse(peer.model.get(), d);

    update_poses(model, work, q);
    for (const BodyData& body : robot.bodies) {
      const int id = mj_name2id(peer.model.get(), mjOBJ_BODY, body.name.c_str());
      if (id < 0) {
        EXPECT_EQ(model.bodies()[model.body(body.name)].node, 0) << body.name;  // became the world
        continue;
      }
      expect_agreement(frame_pose(model, work, model.frame(body.name)).matrix(),
                       peer.body_pose(id).matrix(), 1e-12);
    }
    // What MuJoCo rounds of inertias.
    expect_agreement(mass_matrix(model, work, q), G.transpose() * peer.mass_matrix() * G, 1e-6);
    expect_agreement(inverse_dynamics(model, work, q, v, a),
                     G.transpose() * peer.per_speed(d->qfrc_inverse), 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, Urdf,
                         ::testing::Values("panda", "ur5", "kinova", "baxter", "talos_reduced",
                                           "double_pendulum"),
                         [](const auto& robot) { return robot.param; });

}  // namespace
}  // namespace ulna
