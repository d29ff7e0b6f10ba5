// Joint reactions: what each joint of a moving robot transmits, fixed joints included, on random
// trees of all joint types, followers, joints declared inwards and payloads among them.

#include "ulna/dynamics/reactions.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "../support/random_robot.hpp"
#include "support/near.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/other_scalars.hpp"

namespace ulna {
namespace {

using testing::difference;
using testing::Generator;
using testing::random_entries;
using testing::random_vector;

constexpr double g0 = 9.81;

// Relative to the largest entry: some hundred roundings on the way through trees ten deep.
constexpr double rounding = 1e-12;

Robot robot_of_all_kinds(Generator& g, int seed) {
  testing::RobotRecipe recipe;
  recipe.bodies = 3 + seed % 9;
  recipe.types = testing::all_moving_types;
  recipe.types.insert(recipe.types.end(), 3, JointType::fixed);
  recipe.branches = seed % 2 == 1;
  recipe.friction = seed % 3 != 0;
  recipe.mimic = seed % 5 == 1;
  recipe.reversed = seed % 5 >= 3;
  Robot robot = testing::random_robot(g, recipe);
  robot.payloads.push_back({"load",
                            "b1",
                            {testing::random_rotation(g), random_vector(g)},
                            testing::random_inertial(g),
                            {}});
  robot.frames.push_back({"probe", "b2", {testing::random_rotation(g), random_vector(g)}, {}});
  return robot;
}

class RandomReactions : public ::testing::TestWithParam<int> {
 protected:
  RandomReactions() : g(GetParam()), model(robot_of_all_kinds(g, GetParam())), work(model) {
    const int n = model.speeds(), last = static_cast<int>(model.bodies().size()) - 1;
    q = model.random(g);
    v = random_entries(g, n);
    a = random_entries(g, n);
    wrenches = {{last, random_vector(g), random_vector(g), random_vector(g), 1},
                {1, random_vector(g), random_vector(g), random_vector(g), 0},
                {0, random_vector(g), random_vector(g), random_vector(g), 0}};
  }

  Generator g;
  Model model;
  Workspace work;
  Eigen::VectorXd q, v, a;
  std::vector<ExternalWrench> wrenches;
};

TEST_P(RandomReactions, AlongTheFreeDirectionsTheyAreTheEffortsThatMoveTheBodies) {
  const std::vector<Wrench<double>> F = JointReactions(model).compute(work, q, v, a, wrenches);
  Eigen::VectorXd along = Eigen::VectorXd::Zero(model.speeds());
  for (std::size_t j = 0; j < F.size(); ++j) {
    const Joint& joint = model.joints()[j];
    JacobianQuery motion{.frame = joint.child};
    motion.point = model.robot().joints[j].X_MC.inverse().position;
    motion.relative_to = joint.parent;
    motion.expressed_in = joint.child;
    along += jacobian(model, work, q, motion).transpose() * F[j].vector();
  }
  const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a, wrenches);
  Eigen::VectorXd expected = tau - passive_efforts(model, work, q, v);
  for (int k = 0; k < model.speeds(); ++k) expected(k) -= model.parameters().armature[k] * a(k);
  EXPECT_LT(difference(along, expected), rounding);
}

// Force and moment about the world's origin that change the momentum of one body less its weight,
// from the motion of its centre of mass.
Wrench<double> needed(const Model& model, const Workspace& work, int body, const Inertial& i,
                      const Pose<double>& X_BI) {
  const Pose<double> X = frame_pose(model, work, body) * X_BI;
  const Twist<double> V = frame_velocity(model, work, body),
                      A = frame_acceleration(model, work, body);
  const Vector3<double> w = V.angular, centre = X * i.centre;
  const Vector3<double> r = centre - frame_pose(model, work, body).position;
  const Vector3<double> acceleration = A.linear + A.angular.cross(r) + w.cross(w.cross(r));
  const Matrix3<double> I = X.rotation * i.inertia * X.rotation.transpose();
  Wrench<double> F =
      Wrench<double>::force_at(centre, i.mass * (acceleration - model.robot().gravity));
  F.moment += I * A.angular + w.cross(I * w);
  return F;
}

TEST_P(RandomReactions, TheyAndTheLoadsGiveEachBodyItsMotion) {
  const std::vector<Wrench<double>> F =
      JointReactions(model).compute(work, q, v, a, wrenches, {.at = 0, .expressed_in = 0});
  update_motions(model, work, q, v, a);
  std::vector<Wrench<double>> sum(model.bodies().size());
  double largest = 1;
  for (std::size_t j = 0; j < F.size(); ++j) {
    sum[model.joints()[j].child] += F[j];
    sum[model.joints()[j].parent] -= F[j];
    largest = std::max(largest, F[j].vector().cwiseAbs().maxCoeff());
  }
  for (const ExternalWrench& load : wrenches) {
    const Matrix3<double> R = frame_pose(model, work, load.expressed_in).rotation;
    const Vector3<double> point = frame_pose(model, work, load.body) * load.point;
    sum[load.body] += Wrench<double>::force_at(point, R * load.force);
    sum[load.body].moment += R * load.moment;
  }
  for (std::size_t b = 1; b < model.bodies().size(); ++b) {
    const int body = static_cast<int>(b);
    Wrench<double> expected = needed(model, work, body, model.robot().bodies[b - 1].inertial, {});
    for (const PayloadData& load : model.robot().payloads)
      if (model.body(load.body) == body)
        expected += needed(model, work, body, load.inertial, load.X_BL);
    EXPECT_LT((sum[b].vector() - expected.vector()).cwiseAbs().maxCoeff(), rounding * largest)
        << model.bodies()[b].name;
  }
}

TEST_P(RandomReactions, BothFormulationsAgreeAtAnyPointInAnyAxes) {
  const int probe = model.frame("probe");
  JointReactions reactions(model);
  for (const ReactionQuery& query : {ReactionQuery{}, ReactionQuery{probe, {}},
                                     ReactionQuery{{}, probe}, ReactionQuery{probe, 0}}) {
    const auto F = reactions.compute(work, q, v, a, wrenches, query);
    const auto other = joint_reactions_newton_euler_4x4(model, q, v, a, wrenches, query);
    ASSERT_EQ(F.size(), model.joints().size());
    for (std::size_t j = 0; j < F.size(); ++j)
      EXPECT_LT(difference(F[j].vector(), other[j].vector()), rounding);
  }
}

TEST_P(RandomReactions, PointAndAxesChangeHowTheyAreSeenNotWhatTheyAre) {
  const int probe = model.frame("probe");
  JointReactions reactions(model);
  const auto own = reactions.compute(work, q, v, a, wrenches);
  const auto there = reactions.compute(work, q, v, a, wrenches, {probe, probe});
  for (std::size_t j = 0; j < own.size(); ++j) {
    const JointData& data = model.robot().joints[j];
    const Pose<double> X_WC = frame_pose(model, work, model.joints()[j].child);
    const Pose<double> X_WE{X_WC.rotation, X_WC * data.X_MC.inverse().position};
    const Pose<double> X_PE = frame_pose(model, work, probe).inverse() * X_WE;
    EXPECT_LT(difference(transform(X_PE, own[j]).vector(), there[j].vector()), rounding);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomReactions, ::testing::Range(0, 60));

Robot hanging_weight() {
  // A post welded to the world, an arm welded to it, a hinge along the arm's y, a slide, and a
  // weight welded at the end.
  Robot robot;
  robot.name = "crane";
  const auto add = [&](const char* name, double mass, const char* parent, JointType type,
                       const Vector3<double>& at) {
    BodyData body{name, {}, {}, {}};
    body.inertial.mass = mass;
    body.inertial.inertia = 0.1 * mass * Matrix3<double>::Identity();
    robot.bodies.push_back(body);
    JointData joint;
    joint.name = std::string("to ") + name;
    joint.type = type;
    joint.parent = parent;
    joint.child = name;
    joint.X_PF = Pose<double>::translation(at);
    joint.axis = type == JointType::prismatic ? Vector3<double>::UnitZ() : Vector3<double>::UnitY();
    robot.joints.push_back(joint);
  };
  add("post", 5, world_name, JointType::fixed, {1, 0, 0});
  add("arm", 3, "post", JointType::fixed, {0, 0, 2});
  add("rope", 0, "arm", JointType::revolute, {2, 0, 0});
  add("block", 1, "rope", JointType::prismatic, {0, 0, -1});
  add("weight", 10, "block", JointType::fixed, {0, 0, -0.5});
  return robot;
}

TEST(HangingWeight, EveryJointCarriesWhatHangsOnIt) {
  const Model model(hanging_weight());
  Workspace work(model);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(2);
  const auto F = JointReactions(model).compute(work, zero, zero, zero);
  const double carried[] = {19, 14, 11, 11, 10};
  for (int j = 0; j < 5; ++j) {
    EXPECT_LT((F[j].force - Vector3<double>(0, 0, carried[j] * g0)).norm(), 1e-13 * 200);
    // Up on the body; the rope hangs 2 m out: the weld of the arm and that of the post hold its
    // moment, the weight's own origin is above its centre.
    const double arm = j < 2 ? 2 * 11 * g0 : 0;
    EXPECT_LT((F[j].moment - Vector3<double>(0, -arm, 0)).norm(), 1e-13 * 400) << j;
  }
  // Seen from the foot of the post: the same for both welds, but for the signs of axes.
  const int post = model.frame("post");
  const auto at_post = JointReactions(model).compute(work, zero, zero, zero, {}, {post, 0});
  EXPECT_LT((at_post[3].moment - Vector3<double>(0, -2 * 11 * g0, 0)).norm(), 1e-13 * 400);
}

TEST(HangingWeight, TheRopeBearsTheWeightsCircularMotion) {
  const Model model(hanging_weight());
  Workspace work(model);
  Eigen::VectorXd q(2), v(2), a(2);
  q << 0, 0;
  v << 2, 0;
  a << 0, 0;
  const auto F = JointReactions(model).compute(work, q, v, a);
  // 1 kg at 1 m and 10 kg at 1.5 m below the hinge, 2 rad/s.
  EXPECT_NEAR(F[2].force.z(), 11 * g0 + 4 * (1 * 1 + 10 * 1.5), 1e-11);
  EXPECT_NEAR(F[4].force.z(), 10 * g0 + 4 * 10 * 1.5, 1e-11);
}

TEST(ReactionsOf, AJointDeclaredInwardsAreOfItsOwnParentOnItsOwnChild) {
  // The same pendulum, its hinge declared from the world and from the bob.
  Robot robot;
  robot.name = "pendulum";
  BodyData bob{"bob", {}, {}, {}};
  bob.inertial = {2, {1, 0, 0}, 0.1 * Matrix3<double>::Identity()};
  robot.bodies = {bob};
  JointData hinge;
  hinge.name = "hinge";
  hinge.type = JointType::revolute;
  hinge.axis = Vector3<double>::UnitY();
  hinge.child = "bob";
  robot.joints = {hinge};
  const Model outwards(robot);
  std::swap(robot.joints[0].parent, robot.joints[0].child);
  const Model inwards(robot);
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, 0.4),
                        v = Eigen::VectorXd::Constant(1, 1.5),
                        a = Eigen::VectorXd::Constant(1, -0.7);
  Workspace work(outwards), other(inwards);
  // The bob turns by q against the world, or the world by -q against the bob.
  const Wrench<double> F =
      JointReactions(outwards).compute(work, q, v, a, {}, {.at = {}, .expressed_in = 0})[0];
  const Wrench<double> on_world =
      JointReactions(inwards).compute(other, -q, -v, -a, {}, {.at = {}, .expressed_in = 0})[0];
  EXPECT_LT((F.vector() + on_world.vector()).norm(), 1e-13 * 30);
  EXPECT_GT(F.force.z(), 0);
}

TEST(ReactionsOf, OneTextServesDualNumbers) {
  // The rate of the reactions as the accelerations grow, against their difference: they are linear.
  using D = Dual<1>;
  Generator g(7);
  testing::RobotRecipe recipe;
  recipe.types = testing::all_moving_types;
  const Model model(testing::random_robot(g, recipe));
  Workspace work(model);
  const int n = model.speeds();
  const Eigen::VectorXd q = model.random(g), v = random_entries(g, n), a = random_entries(g, n),
                        da = random_entries(g, n);
  // A chain without welds: every body is its node, about the node's origin in world axes.
  std::vector<HeldBody<D>> bodies;
  const Parameters<D> parameters = converted<D>(model.parameters());
  for (const Body& body : model.bodies())
    if (body.node > 0)
      bodies.push_back(
          {body.node, static_cast<int>(bodies.size()) - 1, parameters.nodes[body.node]});
  std::vector<D> qd, vd, ad;
  for (double x : q) qd.emplace_back(x);
  for (int k = 0; k < n; ++k) {
    vd.emplace_back(v(k));
    ad.emplace_back(a(k));
    ad[k].d[0] = da(k);
  }
  Scratch<D> scratch(model.topology());
  const TreeView<D> tree = view<D>(model.topology(), parameters);
  node_poses(tree, scratch.view(), qd.data());
  node_motions(tree, scratch.view(), vd.data(), ad.data());
  std::vector<NodeWrench<D>> through(bodies.size());
  wrenches_through_joints<D>(tree, scratch.view(), bodies.data(), static_cast<int>(bodies.size()),
                             nullptr, through.data());
  JointReactions reactions(model);
  const ReactionQuery world{.at = {}, .expressed_in = 0};
  const auto before = reactions.compute(work, q, v, a, {}, world);
  const auto after = reactions.compute(work, q, v, a + da, {}, world);
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const Vector3<double> rate(through[k].f.x.d[0], through[k].f.y.d[0], through[k].f.z.d[0]);
    EXPECT_LT(difference(after[k].force - before[k].force, rate), 1e-12);
  }
}

TEST(ReactionsOf, ARobotWithALoopAreRefused) {
  Robot robot = hanging_weight();
  JointData closing;
  closing.name = "closing";
  closing.type = JointType::revolute;
  closing.parent = "post";
  closing.child = "weight";
  closing.cut = true;
  robot.joints.push_back(closing);
  const Model model(robot);
  EXPECT_THROW(JointReactions{model}, InputError);
}

}  // namespace
}  // namespace ulna
