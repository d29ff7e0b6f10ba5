// Flexible links inside closed loops: the loop closes on the deflected ends, energy stays, and
// stiff links move like rigid ones.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mechanisms.hpp"
#include "support/flexible_robot.hpp"
#include "ulna/dynamics/internal/elastic_modes.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::worst_closure;

/// The shipped crank-rocker with its strips as stiff as asked for, in any family.
Robot four_bar(double stiffness, double damping = 0, ModeFamily family = ModeFamily::pinned_pinned,
               int modes = 2) {
  Robot robot = read_robot("flexible-four-bar").robot;
  for (BodyData& body : robot.bodies)
    for (BeamData& beam : body.beams) {
      BeamProperties p = properties_of(beam);
      // Flexible beams leave out how sections turn in bending: so must the rigid rod.
      p.rotatory_inertia_y = p.rotatory_inertia_z = 0;
      p.EIz *= stiffness;
      beam.products = p;
      beam.material.reset();
      beam.sections.clear();
      beam.elements = 6;
      beam.flexible->family = family;
      beam.flexible->bending_y = modes;
      beam.flexible->damping = {damping};
    }
  make_flexible(robot);
  return robot;
}

Experiment spun(const Robot& robot, double rate, double end) {
  Experiment e(std::make_shared<const Model>(robot));
  e.q = Eigen::VectorXd::Zero(e.model->coordinates());
  e.v = Eigen::VectorXd::Zero(e.model->speeds());
  e.keep_q.assign(static_cast<std::size_t>(e.model->coordinates()), 0);
  e.keep_v.assign(static_cast<std::size_t>(e.model->speeds()), 0);
  e.q(0) = 0.5, e.keep_q[0] = 1;
  e.v(0) = rate, e.keep_v[0] = 1;
  e.end = end;
  e.integrator.method = IntegratorMethod::dop853;
  e.integrator.tolerances = {1e-10, 1e-13};
  e.record.channels = {"q", "v", "energy", "closure"};
  if (!e.model->flexible_links().empty()) e.record.channels.push_back("elastic");
  return e;
}

TEST(FlexibleLoops, TheUndampedFourBarKeepsItsEnergyAndItsLoop) {
  for (const ModeFamily family : {ModeFamily::pinned_pinned, ModeFamily::finite_element}) {
    SCOPED_TRACE(name_of(family));
    const ulna::Run run = simulate(spun(four_bar(1, 0, family), 25, 1));
    ASSERT_TRUE(run.summary.complete);
    // It bends in earnest: some millijoule of a joule is in the strips.
    EXPECT_GT(run.column("elastic.energy").maxCoeff(), 1e-4);
    EXPECT_LT(worst_closure(run), 1e-10);
    EXPECT_LT(run.summary.energy_balance, 1e-9 * run.summary.largest_kinetic);
  }
}

TEST(FlexibleLoops, StiffLinksMoveLikeRigidOnes) {
  const double end = 0.6;
  const ulna::Run rigid = simulate(spun(with_rigid_links(four_bar(1)), 10, end));
  double before = 0;
  for (const double stiffness : {4.0, 16.0, 64.0}) {
    const ulna::Run run = simulate(spun(four_bar(stiffness, 0.5), 10, end));
    const double error =
        std::abs(run.column("q.crank").tail(1)(0) - rigid.column("q.crank").tail(1)(0));
    // Deflections, and with them the error, fall with the stiffness.
    if (before > 0) {
      EXPECT_NEAR(before / error, 4, 0.4) << stiffness;
    }
    before = error;
  }
  EXPECT_LT(before, 2e-4);  // of some radians
}

TEST(FlexibleLoops, PinnedModesAndElementsGiveTheSameMotion) {
  const auto end_of = [](const Robot& robot) {
    const ulna::Run run = simulate(spun(robot, 20, 0.5));
    return run.column("q.crank").tail(1)(0);
  };
  const double pinned = end_of(four_bar(1, 0.02, ModeFamily::pinned_pinned, 4)),
               elements = end_of(four_bar(1, 0.02, ModeFamily::finite_element, 6)),
               rigid = end_of(with_rigid_links(four_bar(1)));
  // Bending changes the crank's way by 1e-3; the two descriptions agree on it to some percent.
  EXPECT_GT(std::abs(pinned - rigid), 1e-4);
  EXPECT_NEAR(pinned, elements, 0.05 * std::abs(pinned - rigid));
}

TEST(FlexibleLoops, LinksVibrateBetweenTheirHinges) {
  // With the crank held each strip is a beam on two hinges, and their chords move little.
  const Model model(four_bar(1, 0, ModeFamily::pinned_pinned, 3));
  ModesQuery query;
  AssemblyOptions options;
  options.start = model.neutral();
  options.start(0) = 1;
  options.held = {0};
  query.q = assembled(model, options);
  query.all_locked = true;
  const ElasticModes modes = elastic_modes(model, query);
  ASSERT_EQ(modes.speeds.size(), 6u);
  const BeamProperties p = properties_of(model.robot().bodies[1].beams[0]);
  const auto pinned = [&](double l) {
    return std::pow(std::numbers::pi / l, 2) * std::sqrt(p.EIz / p.mass);
  };
  // The loop with its crank held is a rigid triangle: the chords do not move to first order.
  EXPECT_NEAR(modes.frequencies(0), pinned(0.4), 0.01 * pinned(0.4));
  EXPECT_NEAR(modes.frequencies(1), pinned(0.3), 0.01 * pinned(0.3));
  EXPECT_EQ(modes.motion.rows(), model.speeds());
}

TEST(FlexibleLoops, LevelsBelowExactVibrateAsTheExactOneDoesAtRest) {
  // What they leave out is of second order in deflections and speeds, or of the weights that
  // stiffen the strips: there are none of these.
  Robot robot = four_bar(1, 0.01);
  robot.gravity.setZero();
  const Model model(std::move(robot));
  ModesQuery query;
  AssemblyOptions options;
  options.start = model.neutral();
  options.start(0) = 1;
  options.held = {0};
  query.q = assembled(model, options);
  query.locked = {model.joint("crank")};
  const ElasticModes exact = elastic_modes(model, query);
  for (const ElasticLevel level : {ElasticLevel::consistent, ElasticLevel::inconsistent}) {
    query.level = level;
    const ElasticModes modes = elastic_modes(model, query);
    ASSERT_EQ(modes.speeds, exact.speeds) << name_of(level);
    for (Eigen::Index k = 0; k < exact.frequencies.size(); ++k)
      EXPECT_NEAR(modes.frequencies(k), exact.frequencies(k), 1e-4 * exact.frequencies(k))
          << name_of(level);
  }
  // In motion they differ: the levels are not the same equations.
  query.v = Eigen::VectorXd::Zero(model.speeds());
  query.v(0) = 40;
  query.locked.clear();
  query.level = ElasticLevel::exact;
  const Eigen::MatrixXd K = elastic_modes(model, query).K;
  query.level = ElasticLevel::inconsistent;
  EXPECT_GT((elastic_modes(model, query).K - K).norm(), 1e-4 * K.norm());
}

/// The four-bar whose crank also moves a slider by a rod between two balls, which has no inertia
/// about its line.
Robot with_spinning_rod(double spring) {
  Robot robot = four_bar(1, 0.01);
  const auto body = [&](const char* name, double mass, const Vector3<double>& inertia) {
    BodyData data;
    data.name = name;
    data.inertial.mass = mass;
    data.inertial.inertia = inertia.asDiagonal();
    robot.bodies.push_back(data);
  };
  body("rod", 0.1, {0, 0.001, 0.001});
  body("block", 0.2, {0.001, 0.001, 0.001});
  const auto joint = [&](const char* name, JointType type, const char* parent, const char* child,
                         const Vector3<double>& at, const Vector3<double>& child_at) {
    JointData data;
    data.name = name;
    data.type = type;
    data.parent = parent;
    data.child = child;
    data.axis = Vector3<double>::UnitX();
    data.axis2 = Vector3<double>::UnitZ();
    data.X_PF.position = at;
    data.X_MC.position = child_at;
    robot.joints.push_back(data);
  };
  joint("knob", JointType::spherical, "crank", "rod", {0.05, 0, 0.03}, {0, 0, 0});
  joint("guide", JointType::prismatic, "world", "block", {0, 0, 0.03}, {0, 0, 0});
  joint("end", JointType::spherical, "rod", "block", {0.3, 0, 0}, {0, 0, 0});
  robot.joints.back().cut = true;
  if (spring > 0) {
    robot.joints[robot.joints.size() - 3].degrees.assign(3, {});
    for (DegreeData& degree : robot.joints[robot.joints.size() - 3].degrees)
      degree.stiffness = spring;
  }
  return robot;
}

TEST(FlexibleLoops, AMasslessSpinBetweenTwoBallsHasNoPartInTheVibration) {
  const Model model(with_spinning_rod(0));
  ModesQuery query;
  AssemblyOptions options;
  options.start = model.neutral();
  options.start(0) = 1;
  options.held = {0};
  query.q = assembled(model, options);
  query.locked = {model.joint("crank")};
  const ElasticModes modes = elastic_modes(model, query);
  const Model plain(four_bar(1, 0.01));
  ModesQuery same;
  same.q = query.q.head(0);
  options.start = plain.neutral();
  options.start(0) = 1;
  same.q = assembled(plain, options);
  same.locked = {plain.joint("crank")};
  const ElasticModes known = elastic_modes(plain, same);
  ASSERT_EQ(modes.frequencies.size(), known.frequencies.size());
  EXPECT_LT((modes.frequencies - known.frequencies).norm(), 1e-5 * known.frequencies.norm());
}

TEST(FlexibleLoops, ModesStayStraightWhenTheMechanismIsAssembled) {
  const Model model(four_bar(1));
  AssemblyOptions options;
  options.start = model.random(*std::make_unique<std::mt19937_64>(3));
  options.start.tail(4) << 0.004, -0.001, 0.003, 0.001;
  const Eigen::VectorXd q = assembled(model, options);
  EXPECT_EQ(q.tail(4), options.start.tail(4));
}

TEST(FlexibleLoops, LevelsBelowExactAreClosedByMultipliersOnly) {
  Experiment e = spun(four_bar(1), 1, 0.1);
  e.elastic = ElasticLevel::consistent;
  EXPECT_TRUE(simulate(e).summary.complete);
  e.closing = LoopMethod::embedding;  // needs a symmetric mass matrix
  EXPECT_THROW(simulate(e), InputError);
}

}  // namespace
}  // namespace ulna
