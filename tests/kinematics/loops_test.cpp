// Closing loops: every type of closing joint, the derivatives of its rows, maps of coordinates.

#include <gmock/gmock.h>

#include "support/closed_ring.hpp"
#include "support/four_bar_chain.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/internal/loop_elimination.hpp"
#include "ulna/kinematics/kernels/loop_rows.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/spatial/rotation.hpp"
#include "ulna/symbolic/graph.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;

using testing::closing_types;
using testing::Ring;
using testing::ring;

TEST(LoopClosure, IsZeroWhereTheRingIsClosedAndItsJointAtZero) {
  testing::Generator g(1);
  for (const JointType type : closing_types) {
    const Ring r = ring(g, type);
    const Model model(r.robot);
    Workspace work(model);
    LoopClosure closure(model);
    closure.update(work, r.closed);
    EXPECT_LT(closure.residual().norm(), 1e-13) << name_of(type);
    EXPECT_LT(closure.largest_gap(work), 1e-7) << name_of(type);  // an angle from its cosine
    const VectorXd zero = VectorXd::Zero(model.speeds());
    const VectorXd own = closure.closing_state(work, 0, r.closed, zero, zero).q;
    VectorXd neutral = VectorXd::Zero(own.size());
    if (type == JointType::spherical) neutral(0) = 1;
    if (type == JointType::sphere_in_groove) neutral(1) = 1;
    EXPECT_LT((own - neutral).norm(), 1e-12) << name_of(type);
  }
}

TEST(LoopClosure, JacobianAndBiasAreTheDerivativesOfTheResidual) {
  testing::Generator g(2);
  for (const JointType type : closing_types) {
    const Ring r = ring(g, type);
    const Model model(r.robot);
    Workspace work(model);
    LoopClosure closure(model);
    // Anywhere, also where the loop is open.
    const VectorXd q = model.integrate(r.closed, testing::random_entries(g, model.speeds(), 0.3));
    const VectorXd v = testing::random_entries(g, model.speeds());
    closure.update_rates(work, q, v);
    const VectorXd rate = closure.times(v), bias = closure.bias();
    const double h = 1e-4;
    const auto residual = [&](double t) {
      closure.update(work, model.integrate(q, t * v));
      return VectorXd(closure.residual());
    };
    const VectorXd before = residual(-h), now = residual(0), after = residual(h);
    // Differences of second order: errors of h^2, and of rounding over h^2 = 1e-8.
    EXPECT_LT((rate - (after - before) / (2 * h)).norm(), 1e-6) << name_of(type);
    EXPECT_LT((bias + (after - 2 * now + before) / (h * h)).norm(), 1e-5) << name_of(type);
  }
}

/// The acceleration of a frame as rates of the components of its twist in its own axes.
VectorXd rates_in_own_axes(const Pose<double>& X, const Twist<double>& V, const Twist<double>& A) {
  const Matrix3<double> R = X.rotation.transpose();
  const Vector3<double> w = R * V.angular, v = R * V.linear;
  VectorXd rates(6);
  rates << R * A.angular, R * A.linear - w.cross(v);
  return rates;
}

TEST(ClosingJoints, HaveTheCoordinatesRatesAndAccelerationsThatTheyHaveInATree) {
  testing::Generator g(9);
  for (const JointType type : testing::all_moving_types) {
    // A body on a joint of the type; the same body floating, with the joint closing a loop.
    Robot robot = testing::random_robot(g, {.bodies = 1, .types = {type}});
    const Model tree(robot);
    JointData floating;
    floating.name = "floating";
    floating.type = JointType::free;
    floating.child = "b0";
    robot.joints[0].cut = true;
    robot.joints.push_back(floating);
    const Model ring(robot);
    ASSERT_EQ(ring.loops().size(), 1u);
    // Angles of a closing joint are known up to whole turns.
    const VectorXd q = tree.random(g) * (tree.coordinates() == tree.speeds() ? 0.9 : 1.0);
    const VectorXd v = testing::random_entries(g, tree.speeds());
    const VectorXd a = testing::random_entries(g, tree.speeds());
    Workspace work(tree), open(ring);
    update_motions(tree, work, q, v, a);
    const int body = tree.body("b0");
    const Pose<double> X = frame_pose(tree, work, body);
    const Twist<double> V = frame_velocity(tree, work, body);
    VectorXd place(7), speed(6);
    place << quaternion_from_rotation(X.rotation), X.position;
    speed << X.rotation.transpose() * V.angular, X.rotation.transpose() * V.linear;
    LoopClosure closure(ring);
    closure.update(open, place);
    EXPECT_LT(closure.residual().norm(), 1e-13) << name_of(type);
    const ClosingJointState own = closure.closing_state(
        open, 0, place, speed, rates_in_own_axes(X, V, frame_acceleration(tree, work, body)));
    ASSERT_EQ(own.q.size(), q.size());
    EXPECT_LT(tree.difference(q, own.q).norm(), 1e-12) << name_of(type);
    EXPECT_LT((own.v - v).norm(), 1e-12) << name_of(type);
    EXPECT_LT((own.a - a).norm(), 1e-11) << name_of(type);
  }
}

TEST(LoopClosure, AssemblesFromNearby) {
  testing::Generator g(3);
  for (const JointType type : closing_types) {
    const Ring r = ring(g, type);
    const Model model(r.robot);
    AssemblyOptions options;
    options.start = model.integrate(r.closed, testing::random_entries(g, model.speeds(), 0.1));
    const AssemblyResult found = assemble(model, options);
    ASSERT_EQ(found.solutions.size(), 1u) << name_of(type) << ": " << found.reason;
    EXPECT_LT(found.solutions[0].gap, 1e-10);
  }
}

TEST(LoopRows, RunOnExpressions) {
  // The symbolic scalar has no comparison: that this compiles and records is the point.
  Graph graph;
  const Graph::Scope scope(graph);
  Loop loop;
  loop.type = JointType::revolute;
  loop.rows = 5;
  RelativePose<Expression> X{Mat3<Expression>::identity(), Vec3<Expression>::zero()};
  Expression rows[6];
  loop_rows(loop, X, rows);
  for (int k = 0; k < 5; ++k) EXPECT_TRUE(rows[k].is_zero());
}

TEST(IndependentSpeeds, ChosenByTheUserGiveTheSameMotionAsByPivoting) {
  testing::Generator g(4);
  const Ring r = ring(g, JointType::revolute);
  const Model model(r.robot);
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, r.closed);
  const SpeedSplit pivoted = split_speeds(closure);
  const VectorXd some = testing::random_entries(g, static_cast<int>(pivoted.independent.size()));
  const VectorXd v = independent_map(closure, pivoted).speeds(some);
  EXPECT_LT(closure.times(v).norm(), 1e-12 * v.norm());
  closure.update_rates(work, r.closed, v);
  const VectorXd a = independent_map(closure, pivoted).accelerations(some);
  EXPECT_LT((closure.times(a) - closure.bias()).norm(), 1e-11 * (1 + a.norm()));
  EXPECT_THROW(split_speeds(closure, {0}), InputError);
}

// Sparse elimination and dense QR find the same rank, and the speeds that the first leaves
// independent do determine the others.
TEST(IndependentSpeeds, EliminationByLoopsFindsTheRankOfQr) {
  testing::Generator g(17);
  for (const int loops : {1, 3, 12}) {
    const Model model(testing::four_bar_chain(loops));
    AssemblyOptions options;
    options.start = testing::posture_of_chain(model, 0.7);
    Workspace work(model);
    LoopClosure closure(model);
    closure.update(work, assembled(model, options));
    const SpeedSplit dense = split_speeds(closure), sparse = split_speeds_by_loops(closure);
    EXPECT_EQ(sparse.rank, dense.rank);
    EXPECT_EQ(sparse.independent.size(), 1u);
    EXPECT_GT(split_speeds(closure, sparse.independent).quality, 1e-4);
  }
  for (const JointType type : {JointType::revolute, JointType::spherical, JointType::universal}) {
    const Ring r = ring(g, type);
    const Model model(r.robot);
    Workspace work(model);
    LoopClosure closure(model);
    closure.update(work, r.closed);
    const SpeedSplit sparse = split_speeds_by_loops(closure);
    EXPECT_EQ(sparse.rank, split_speeds(closure).rank);
    EXPECT_NO_THROW(split_speeds(closure, sparse.independent));
  }
}

TEST(CoordinateMap, ComposesAndInverts) {
  testing::Generator g(5);
  const auto random_map = [&](int out, int in) {
    CoordinateMap map;
    map.G = Eigen::Map<const Eigen::MatrixXd>(testing::random_entries(g, out * in).data(), out, in);
    for (int k = 0; k < out; ++k)
      map.H.push_back(
          Eigen::Map<const Eigen::MatrixXd>(testing::random_entries(g, in * in).data(), in, in));
    map.gamma = VectorXd::Zero(out);
    map.G.diagonal().array() += 2;  // well away from singular
    return map;
  };
  CoordinateMap inner = random_map(4, 4), outer = random_map(3, 4);
  const VectorXd v = testing::random_entries(g, 4), a = testing::random_entries(g, 4);
  inner.gamma = inner.gamma_at(v);
  outer.gamma = outer.gamma_at(inner.speeds(v));
  const CoordinateMap both = compose(outer, inner);
  EXPECT_LT((both.accelerations(a) - outer.accelerations(inner.accelerations(a))).norm(), 1e-13);
  EXPECT_LT((both.gamma - both.gamma_at(v)).norm(), 1e-13);
  const CoordinateMap back = inverse(inner), none = compose(back, inner);
  EXPECT_LT((none.G - Eigen::MatrixXd::Identity(4, 4)).norm(), 1e-12);
  EXPECT_LT(none.gamma.norm(), 1e-12);
  for (const Eigen::MatrixXd& H : none.H) EXPECT_LT(H.norm(), 1e-11);
  EXPECT_THROW(inverse(outer), InputError);
}

/// A nut of this pitch (m/rad), mounted where the screw stands at this angle.
Robot mounted_screw(double pitch, double angle) {
  Robot robot;
  robot.name = "mounted screw";
  BodyData nut;
  nut.name = "nut";
  nut.inertial.mass = 1;
  robot.bodies = {nut};
  JointData screw, mount;
  screw.name = "screw", screw.type = JointType::screw, screw.child = "nut";
  screw.axis = Vector3<double>::UnitZ(), screw.pitch = pitch;
  mount.name = "mount", mount.type = JointType::fixed, mount.child = "nut", mount.cut = true;
  mount.X_PF.position = {0, 0, pitch * angle};
  mount.X_PF.rotation = rotation_z(angle);
  robot.joints = {screw, mount};
  return robot;
}

TEST(Assembly, FindsScrewsThatAreTurnedManyTimes) {
  // Closure equations see the angle modulo a turn: searches from elsewhere end on a wrong thread.
  for (const double pitch : {0.01, 8e-4, 0.2, -0.01})
    for (const double turns : {3.0, 10.0, -7.3, 250.4}) {
      const double angle = 2 * M_PI * turns;
      const Model model(mounted_screw(pitch, angle));
      const AssemblyResult found = assemble(model);
      ASSERT_EQ(found.solutions.size(), 1u) << found.reason;
      EXPECT_NEAR(found.solutions[0].q(0), angle, 1e-9 * std::abs(angle)) << pitch;
      EXPECT_EQ(found.starts, 1) << pitch << ", " << turns << " turns";
    }
}

}  // namespace
}  // namespace ulna
