// Dimensions of mechanisms found from where one of their points shall pass.

#include "ulna/study/synthesis.hpp"

#include <gmock/gmock.h>

#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;

/// A planar four-bar; lengths in metres, the coupler point in the coupler's frame.
struct FourBar {
  double ground = 1, crank = 0.3, coupler = 0.9, rocker = 0.7, px = 0.5, py = 0.4, x0 = 0, y0 = 0;
};
Robot four_bar(const FourBar& l) {
  Robot robot;
  robot.name = "four-bar";
  for (const char* name : {"crank", "coupler", "rocker"}) {
    BodyData body;
    body.name = name;
    body.inertial = {1, {0, 0, 0}, Vector3<double>(0.01, 0.01, 0.01).asDiagonal()};
    robot.bodies.push_back(body);
  }
  const auto hinge = [&](const char* name, const char* parent, const char* child, double x,
                         double y) {
    JointData joint;
    joint.name = name;
    joint.type = JointType::revolute;
    joint.parent = parent;
    joint.child = child;
    joint.X_PF.position << x, y, 0;
    robot.joints.push_back(joint);
  };
  hinge("foot", "world", "crank", l.x0, l.y0);
  hinge("pin", "crank", "coupler", l.crank, 0);
  hinge("swing", "world", "rocker", l.x0 + l.ground, l.y0);
  hinge("close", "coupler", "rocker", l.coupler, 0);
  robot.joints.back().X_MC.position << -l.rocker, 0, 0;
  robot.joints.back().cut = true;
  FrameData frame;
  frame.name = "point";
  frame.body = "coupler";
  frame.X_BF.position << l.px, l.py, 0;
  robot.frames.push_back(frame);
  return robot;
}

/// The coupler point at nine crank angles, forty degrees apart.
std::vector<SynthesisTarget> nine_points(const FourBar& l, double phase) {
  const Model model(four_bar(l));
  Workspace work(model);
  AssemblyOptions options;
  options.start = Eigen::Vector3d(phase, 0.5 - phase, 1.5);
  options.tolerance = 1e-14;
  std::vector<SynthesisTarget> targets;
  for (int k = 0; k < 9; ++k) {
    const double angle = k * 40 * M_PI / 180;
    options.start(0) = phase + angle;
    options.held = {0};
    const VectorXd q = assembled(model, options);
    update_poses(model, work, q);
    SynthesisTarget target;
    target.position = frame_pose(model, work, model.frame("point")).position;
    target.inputs = {{"foot", angle}};
    targets.push_back(target);
    options.start = q;
  }
  return targets;
}

SynthesisTask task_of(const Robot& robot, std::vector<SynthesisTarget> targets) {
  SynthesisTask task;
  task.frame = "point";
  task.targets = std::move(targets);
  task.free_phase = true;
  task.variables = {design_variable(robot, "foot x", {"joint.foot.at.x"}, -1, 1),
                    design_variable(robot, "foot y", {"joint.foot.at.y"}, -1, 1),
                    design_variable(robot, "swing x", {"joint.swing.at.x"}, -2, 2),
                    design_variable(robot, "swing y", {"joint.swing.at.y"}, -2, 2),
                    design_variable(robot, "crank", {"joint.pin.at.x"}, 0.05, 1),
                    design_variable(robot, "coupler", {"joint.close.at.x"}, 0.1, 2),
                    design_variable(robot, "rocker", {"-joint.close.child_at.x"}, 0.1, 2),
                    design_variable(robot, "point x", {"frame.point.at.x"}, -1, 1.5),
                    design_variable(robot, "point y", {"frame.point.at.y"}, -1, 1.5)};
  return task;
}

TEST(Synthesis, FindsAFourBarAgainFromNineCouplerPoints) {
  FourBar known;
  known.x0 = 0.1;
  known.y0 = -0.2;
  const std::vector<SynthesisTarget> targets = nine_points(known, 0.4);
  const Robot robot = four_bar({});
  SynthesisOptions options;
  options.restarts = 200;
  options.wanted = 1;
  const SynthesisResult found = synthesize(robot, task_of(robot, targets), options);
  ASSERT_FALSE(found.designs.empty());
  const Design& best = found.designs[0];
  EXPECT_TRUE(best.followed) << best.note;
  EXPECT_LT(best.error, 1e-6 * known.ground) << found.starts << " starts";
  // The path between the points is met, too: ninety crank angles.
  FourBar fine = known;
  const Model truth(four_bar(fine)), copy(best.robot);
  Workspace work(truth), work2(copy);
  AssemblyOptions a, b;
  a.start = Eigen::Vector3d(0.4, 0.1, 1.5);
  b.start = best.postures[0];
  double worst = 0;
  for (int k = 0; k <= 90; ++k) {
    a.held = b.held = {0};
    a.start(0) = 0.4 + k * 4 * M_PI / 180;
    b.start(0) = best.phase + k * 4 * M_PI / 180;
    a.tolerance = b.tolerance = 1e-13;
    a.start = assembled(truth, a);
    b.start = assembled(copy, b);
    update_poses(truth, work, a.start);
    update_poses(copy, work2, b.start);
    worst = std::max(worst, (frame_pose(truth, work, truth.frame("point")).position -
                             frame_pose(copy, work2, copy.frame("point")).position)
                                .norm());
  }
  EXPECT_LT(worst, 1e-6 * known.ground);
}

TEST(Synthesis, KeepsToGrashofAndTheTransmissionAngle) {
  // Three points only: many designs meet them, of which those are wanted that turn and push well.
  std::vector<SynthesisTarget> targets = nine_points({}, 0.4);
  targets = {targets[0], targets[3], targets[6]};
  const Robot robot = four_bar({});
  SynthesisTask task = task_of(robot, targets);
  task.grashof = GrashofCondition{{"foot", "pin", "close", "swing"}, GrashofType::crank_rocker};
  task.transmission = TransmissionAngle{"pin", "close", "swing", 30 * M_PI / 180};
  task.speed_limit = std::pair{std::string("foot"), 0.0127};
  SynthesisOptions options;
  options.restarts = 60;
  options.wanted = 2;
  const SynthesisResult found = synthesize(robot, task, options);
  ASSERT_FALSE(found.designs.empty());
  const Design& best = found.designs[0];
  EXPECT_EQ(best.note, "");
  EXPECT_LT(best.error, 1e-8);
  EXPECT_GT(best.transmission, 30 * M_PI / 180 - 1e-9);
  EXPECT_GT(best.largest_speed, 0);
  const VectorXd& x = best.values;
  const double ground = std::hypot(x(2) - x(0), x(3) - x(1));
  const double lengths[] = {x(4), x(5), x(6), ground};
  EXPECT_EQ(*std::min_element(lengths, lengths + 4), x(4));  // the crank is the shortest
  const double longest = *std::max_element(lengths, lengths + 4);
  EXPECT_LE(x(4) + longest, 0.5 * (x(4) + x(5) + x(6) + ground) + 1e-9);
}

TEST(Synthesis, FreeInputsMeetPointsInAnyPosture) {
  const std::vector<SynthesisTarget> all = nine_points({}, 0.4);
  std::vector<SynthesisTarget> targets = {all[0], all[2], all[4], all[7]};
  for (SynthesisTarget& target : targets) target.inputs.clear();
  const Robot robot = four_bar({});
  SynthesisTask task = task_of(robot, targets);
  task.free_phase = false;
  SynthesisOptions options;
  options.restarts = 20;
  options.wanted = 1;
  options.tolerance = 1e-6;
  const SynthesisResult found = synthesize(robot, task, options);
  ASSERT_FALSE(found.designs.empty());
  EXPECT_LT(found.designs[0].error, 1e-6);
}

// The methods that minimise one number find a four-bar again whose feet are known, from five points
// at given crank angles; how closely differs, as they do.
TEST(Synthesis, DirectSearchAndVariableMetricMeetTheirTargets) {
  const FourBar known;
  const std::vector<SynthesisTarget> all = nine_points(known, 0);
  const Robot robot =
      four_bar({.crank = 0.35, .coupler = 1.0, .rocker = 0.8, .px = 0.3, .py = 0.2});
  SynthesisTask task;
  task.frame = "point";
  task.targets = {all[0], all[2], all[4], all[5], all[7]};
  task.variables = {design_variable(robot, "crank", {"joint.pin.at.x"}, 0.1, 0.5),
                    design_variable(robot, "coupler", {"joint.close.at.x"}, 0.6, 1.3),
                    design_variable(robot, "rocker", {"-joint.close.child_at.x"}, 0.5, 1.2),
                    design_variable(robot, "point x", {"frame.point.at.x"}, 0, 1),
                    design_variable(robot, "point y", {"frame.point.at.y"}, 0, 1)};
  SynthesisOptions options;
  options.restarts = 12;
  options.wanted = 1;
  for (const auto& [method, bound] : {std::pair{SynthesisMethod::gauss_newton, 1e-9},
                                      {SynthesisMethod::davidon_fletcher_powell, 1e-8},
                                      {SynthesisMethod::hooke_jeeves, 1e-6},
                                      {SynthesisMethod::complex_method, 1e-6}}) {
    options.method = method;
    options.tolerance = bound;
    const SynthesisResult found = synthesize(robot, task, options);
    ASSERT_FALSE(found.designs.empty()) << name_of(method);
    EXPECT_LT(found.designs[0].error, 2 * bound)
        << name_of(method) << ", " << found.starts << " starts, " << found.evaluations;
    EXPECT_TRUE(found.designs[0].followed) << name_of(method);
    EXPECT_NEAR(found.designs[0].values(0), known.crank, 100 * bound) << name_of(method);
  }
}

TEST(Synthesis, NamesWhatIsUnknown) {
  const Robot robot = four_bar({});
  for (const auto& [text, words] : {std::pair{"joint.pinn.at.x", "did you mean 'pin'?"},
                                    {"joint.pin.at.q", "'q' where x, y or z stands"},
                                    {"body.crank.mass", "x, y or z"}}) {
    try {
      design_place(robot, text);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(words));
    }
  }
}

}  // namespace
}  // namespace ulna
