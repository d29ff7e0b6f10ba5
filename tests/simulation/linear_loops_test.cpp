// Robots with loops as linear systems on independent coordinates, and where they rest.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mechanisms.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/kinematics/state.hpp"
#include "ulna/simulation/equilibrium.hpp"
#include "ulna/simulation/linearize.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::frozen;
using testing::g;
using testing::parallelogram;
using testing::posture_of_parallelogram;

constexpr double down = -std::numbers::pi / 2;
// A parallelogram of two cranks is one pendulum: its inertia and its moment of mass.
constexpr double inertia = 2 * 0.1 + (1 + 2) * 0.04 + 3 * 0.16, moment = (1 + 2) * 0.2 + 3 * 0.4;

TEST(LinearLoops, AParallelogramIsAPendulum) {
  Robot robot = parallelogram(3);
  robot.joints[0].degrees[0].damping = 0.7;
  robot.joints[0].degrees[0].friction = 0.2;  // of constant sense: no matter
  const double I = inertia + 0.1 + 3 * 0.04, S = moment + 3 * 0.2;
  const Model model(robot);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
  const auto foot = static_cast<std::size_t>(model.joint("foot0"));
  const int crank = model.joints()[foot].v;
  LinearOutput output;
  output.independent = {crank};
  for (const double angle : {down, 0.3, -down}) {
    const LinearSystem linear =
        linearize(model, posture_of_parallelogram(model, angle), zero, zero, output);
    ASSERT_EQ(linear.A.rows(), 2);
    ASSERT_EQ(linear.speeds, std::vector<int>{crank});
    // Differences of order four with 1e-3 rad: errors of some 1e-12.
    EXPECT_NEAR(linear.A(1, 0), S * g * std::sin(angle) / I, 1e-9) << angle;
    EXPECT_NEAR(linear.A(1, 1), -0.7 / I, 1e-12) << angle;
    EXPECT_NEAR(linear.B(1, 0), 1 / I, 1e-12) << angle;
    EXPECT_NEAR(linear.acceleration(0), -S * g * std::cos(angle) / I, 1e-11) << angle;
    EXPECT_EQ(linear.A(0, 1), 1);
    EXPECT_EQ(linear.C(0, 0), 1);
  }
}

TEST(LinearLoops, ItPredictsHowAMovingFiveBarGoesOn) {
  // Two runs from states that differ by x differ later by exp(A t) x, to x^2 and t^2.
  const Model model(read_robot("five-bar").robot);
  Experiment e(frozen(read_robot("five-bar").robot));
  const int left = model.joints()[static_cast<std::size_t>(model.joint("left"))].v,
            right = model.joints()[static_cast<std::size_t>(model.joint("right"))].v;
  e.end = 1e-3;
  e.integrator.method = IntegratorMethod::dop853;
  e.integrator.tolerances = {1e-13, 1e-15};
  const auto started = [&](const Eigen::Vector4d& x) {
    e.q = Eigen::VectorXd::Zero(model.coordinates());
    e.v = Eigen::VectorXd::Zero(model.speeds());
    e.keep_q.assign(static_cast<std::size_t>(model.coordinates()), 0);
    e.keep_v.assign(static_cast<std::size_t>(model.speeds()), 0);
    // Elbows outside.
    e.q << 2.2, 0.9, -1.6, 1.65;
    e.q(left) += x(0), e.q(right) += x(1);
    e.v(left) = 3 + x(2), e.v(right) = -2 + x(3);
    for (const int k : {left, right})
      e.keep_q[static_cast<std::size_t>(k)] = e.keep_v[static_cast<std::size_t>(k)] = 1;
    e.record.channels = {"q", "v"};
    return simulate(e);
  };
  const auto state = [&](const ulna::Run& run, Eigen::Index row) {
    Eigen::Vector4d x;
    const char* names[] = {"q.left", "q.right", "v.left", "v.right"};
    for (int k = 0; k < 4; ++k) x(k) = run.column(names[k])(row);
    return x;
  };
  const ulna::Run base = started(Eigen::Vector4d::Zero());
  Eigen::VectorXd q(model.coordinates()), v(model.speeds());
  for (int k = 0; k < model.coordinates(); ++k) {
    q(k) = base.column("q." + model.coordinate_names()[static_cast<std::size_t>(k)])(0);
    v(k) = base.column("v." + model.speed_names()[static_cast<std::size_t>(k)])(0);
  }
  LinearOutput output;
  output.independent = {left, right};
  const LinearSystem linear = linearize(model, q, v, Eigen::VectorXd::Zero(model.speeds()), output);
  const Eigen::Index last = static_cast<Eigen::Index>(base.t.size()) - 1;
  for (int k = 0; k < 4; ++k) {
    const double h = 1e-4;
    const Eigen::Vector4d x = h * Eigen::Vector4d::Unit(k);
    const Eigen::Vector4d change = (state(started(x), last) - state(started(-x), last)) / (2 * h);
    const Eigen::Vector4d rate = (change - Eigen::Vector4d::Unit(k)) / e.end;
    // (exp(A t) - 1)/t = A + A^2 t/2 + ..., along a state that moves on.
    EXPECT_LT((rate - linear.A.col(k)).norm(), 0.02 * linear.A.norm()) << k;
  }
}

TEST(LinearLoops, AParallelogramHangsDownAndAPlatformRestsUnderItsDrives) {
  const Model model(parallelogram(2));
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
  const Equilibrium hangs = find_equilibrium(model, posture_of_parallelogram(model, -0.4), zero);
  ASSERT_TRUE(hangs.found) << hangs.reason;
  EXPECT_LT((hangs.q - posture_of_parallelogram(model, down)).norm(), 1e-9);
  EXPECT_TRUE(hangs.stable);
  const Equilibrium stands = find_equilibrium(model, posture_of_parallelogram(model, 1.5), zero);
  ASSERT_TRUE(stands.found) << stands.reason;
  EXPECT_FALSE(stands.stable);
  // Under a torque at a crank.
  Eigen::VectorXd tau = zero;
  tau(model.joints()[static_cast<std::size_t>(model.joint("foot1"))].v) = 10;
  const Equilibrium turned = find_equilibrium(model, posture_of_parallelogram(model, -1), tau);
  ASSERT_TRUE(turned.found) << turned.reason;
  EXPECT_NEAR(turned.q(model.joints()[static_cast<std::size_t>(model.joint("foot0"))].q),
              -std::acos(10 / (moment * g)), 1e-9);

  const Model platform(read_robot("ddts").robot);
  const LinearSystem linear =
      linearize(platform, assembled(platform), Eigen::VectorXd::Zero(platform.speeds()),
                Eigen::VectorXd::Zero(platform.speeds()));
  EXPECT_EQ(linear.A.rows(), 12);
  for (const int k : linear.speeds)
    EXPECT_TRUE(platform.speed_names()[static_cast<std::size_t>(k)].starts_with("leg"));
}

TEST(LinearLoops, AnEffortAtTheJointThatClosesAParallelogramIsOneAtItsCranks) {
  // The coupler does not turn: every pin has the rate of the cranks, in one sense or the other.
  const Model model(parallelogram(2));
  const int crank = model.joints()[static_cast<std::size_t>(model.joint("foot0"))].q;
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(model.speeds() + std::ssize(closing_degrees(model)));
  double cosine[2];
  for (int k = 0; k < 2; ++k) {
    tau(model.speeds()) = k == 0 ? 10 : -10;
    const Equilibrium rests = find_equilibrium(model, posture_of_parallelogram(model, -1.4), tau);
    ASSERT_TRUE(rests.found) << rests.reason;
    EXPECT_TRUE(rests.stable);
    cosine[k] = std::cos(rests.q(crank));
    EXPECT_NEAR(std::abs(cosine[k]), 10 / (moment * g), 1e-9);
  }
  EXPECT_NEAR(cosine[0] + cosine[1], 0, 1e-9);
  EXPECT_THROW(find_equilibrium(model, posture_of_parallelogram(model, -1.4),
                                Eigen::VectorXd::Zero(model.speeds() + 7)),
               InputError);
}

Equilibrium rest_of(const Model& model) {
  const Eigen::VectorXd start = assemble(model).solutions.at(0).q;
  return find_equilibrium(model, start, Eigen::VectorXd::Zero(model.speeds()));
}

TEST(LinearLoops, AMechanismThatFallsThroughItsStretchedPostureRestsBeyond) {
  // With its parallelograms as they are it falls to a stretched posture. Its hand is held level by
  // a rod that is in line with the forearm there: the weight beside the wrist turns it.
  const Model model(read_robot("palletiser").robot);
  const Equilibrium found = rest_of(model);
  ASSERT_TRUE(found.found) << found.reason;
  EXPECT_THAT(found.note, ::testing::HasSubstr("passed a singular posture of the loops"));
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, found.q);
  EXPECT_LT(closure.largest_gap(work), 1e-12);
  LoopDynamics loops(model);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
  EXPECT_LT(loops.forward(work, found.q, zero, zero).norm(), 1e-7);
}

TEST(LinearLoops, FromAStretchedPostureTheBranchesAreSearchedForARest) {
  const Model model(parallelogram(2));
  const Eigen::VectorXd stretched = posture_of_parallelogram(model, 0),
                        zero = Eigen::VectorXd::Zero(model.speeds());
  const Equilibrium found = find_equilibrium(model, stretched, zero);
  ASSERT_TRUE(found.found) << found.reason;
  Workspace work(model);
  LoopDynamics loops(model);
  EXPECT_LT(loops.forward(work, found.q, zero, zero).norm(), 1e-7);
  // Where two branches cross there is no linear system of one of them.
  try {
    linearize(model, stretched, zero, zero);
    FAIL();
  } catch (const ComputationError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("it is singular, with 2 degrees of freedom"));
  }
}

TEST(LinearLoops, AStretchedPostureMayBeARestAndMayBePassed) {
  // Sarrus' linkage upright, both legs in line: nothing pushes it aside, and it would fall.
  const Model sarrus(read_robot("sarrus").robot);
  const Equilibrium up = rest_of(sarrus);
  ASSERT_TRUE(up.found) << up.reason;
  EXPECT_FALSE(up.stable);
  EXPECT_NEAR(std::abs(up.q(1)), M_PI / 2, 1e-6);
  // Wohlhart's linkage passes a singular posture and rests below its start, closed.
  const Model wohlhart(read_robot("wohlhart").robot);
  const Equilibrium low = rest_of(wohlhart);
  ASSERT_TRUE(low.found) << low.reason;
  EXPECT_TRUE(low.stable);
  Workspace work(wohlhart);
  LoopClosure closure(wohlhart);
  closure.update(work, low.q);
  EXPECT_LT(closure.largest_gap(work), 1e-12);
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(wohlhart.speeds());
  const double above = energy(wohlhart, work, wohlhart.neutral(), still).potential;
  EXPECT_LT(energy(wohlhart, work, low.q, still).potential, above);
  // Let go there, it stays.
  LoopDynamics loops(wohlhart);
  EXPECT_LT(loops.forward(work, low.q, still, still).norm(), 1e-8);
}

TEST(LinearLoops, WhatCannotMoveAtADeadPointIsNotIndependentThere) {
  // Crank and rod in one line: the slide is at its end. Columns that are not there were read.
  const Model model(read_robot("slider-crank").robot);
  const auto message = [&](const std::vector<std::string>& names) -> std::string {
    std::vector<int> speeds;
    for (const std::string& name : names)
      speeds.push_back(model.joints()[static_cast<std::size_t>(model.joint(name))].v);
    try {
      independent_around(model, model.neutral(), speeds);
    } catch (const ComputationError& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_EQ(message({"crank"}), "taken");
  EXPECT_EQ(message({"slide"}),
            "the loops of robot 'slider-crank' do not let 'slide' move at this posture");
  EXPECT_NE(message({"crank", "rod"}).find("bind 'crank', 'rod' to each other"), std::string::npos);
}

TEST(LinearLoops, WhatDoesNotFitIsSaid) {
  const Model model(parallelogram(2));
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
  Eigen::VectorXd open = posture_of_parallelogram(model, 0.3);
  open(0) += 0.1;
  EXPECT_THROW(linearize(model, open, zero, zero), InputError);
  EXPECT_THROW(find_equilibrium(model, open, zero), InputError);
  LinearOutput two;
  two.independent = {0, 1};
  EXPECT_THROW(linearize(model, posture_of_parallelogram(model, 0.3), zero, zero, two), InputError);
  const Eigen::VectorXd wrong = Eigen::VectorXd::Ones(model.speeds());
  EXPECT_THROW(linearize(model, posture_of_parallelogram(model, 0.3), wrong, zero), InputError);
}

}  // namespace
}  // namespace ulna
