// Motors on the joints that close loops.

#include <gmock/gmock.h>

#include "support/four_bar_chain.hpp"
#include "support/near.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/internal/loop_reactions.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"
#include "ulna/kinematics/state.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;
using testing::expect_near;
using ::testing::HasSubstr;

struct ClosingMotors : ::testing::Test {
  Model model{testing::four_bar_chain(2)};
  State state = complete_state(model, {testing::posture_of_chain(model, 1.2),
                                       NamedValues{{"foot0", 1.5}}, NamedValues{{"foot0", -4}}});
  int foot = degrees_by_name(model, {"foot0"})[0], closing = degrees_by_name(model, {"close1"})[0];

  static DynamicsOptions options(const std::vector<int>& actuated, const VectorXd& weights = {}) {
    DynamicsOptions out;
    out.actuated = actuated;
    out.weights = weights;
    return out;
  }
  LoopEfforts efforts(const std::vector<int>& actuated, const VectorXd& weights = {}) {
    Dynamics dynamics(model, options(actuated, weights));
    return dynamics.inverse(state.q, state.v, state.a);
  }
};

TEST_F(ClosingMotors, DoTheSameWorkAsAMotorOnTheCrank) {
  const LoopEfforts crank = efforts({foot}), other = efforts({closing});
  EXPECT_EQ(other.tau, VectorXd::Zero(model.speeds()));
  const double power = crank.tau.dot(state.v);
  EXPECT_GT(std::abs(power), 0.1);
  EXPECT_NEAR(other.closing(1) * state.closing[1].v(0), power, 1e-10 * std::abs(power));
  EXPECT_EQ(crank.closing, VectorXd::Zero(2));
}

TEST_F(ClosingMotors, GiveTheAccelerationsTheyWereFoundFor) {
  const LoopEfforts found = efforts({closing});
  const VectorXd tau = complete_efforts(model, state.q, NamedValues{{"close1", found.closing(1)}});
  Dynamics dynamics(model);
  expect_near(dynamics.forward(state.q, state.v, tau), state.a, 1e-9);
}

TEST_F(ClosingMotors, ShareTheEffortByWeights) {
  // Least norm: equal weights share so that each has its part in proportion to its row.
  const LoopEfforts both = efforts({foot, closing});
  EXPECT_TRUE(both.redundant_actuation);
  const double alone = efforts({foot}).tau(foot), ratio = state.closing[1].v(0) / state.v(foot);
  EXPECT_NEAR(both.tau(foot), alone / (1 + ratio * ratio), 1e-9);
  EXPECT_NEAR(both.closing(1), alone * ratio / (1 + ratio * ratio), 1e-9);
  // A motor that is nearly free of cost does nearly all.
  const LoopEfforts cheap = efforts({foot, closing}, Eigen::Vector2d(1, 1e-9));
  EXPECT_NEAR(cheap.tau(foot), 0, 1e-6);
}

TEST_F(ClosingMotors, AreInTheReactionOfTheirJoint) {
  Dynamics dynamics(model, options({closing}));
  const LoopEfforts found = dynamics.inverse(state.q, state.v, state.a);
  const LoopReactions with = loop_reactions(*dynamics.loops(), model, dynamics.work(), state.q,
                                            state.v, state.a, found.lambda);
  // About its axis a hinge passes on nothing but its motor's effort; hinges without motor nothing.
  EXPECT_NEAR(with.loops[1].moment.z(), found.closing(1), 1e-9);
  EXPECT_NEAR(with.loops[0].moment.z(), 0, 1e-9);
  for (const Wrench<double>& joint : with.joints) EXPECT_NEAR(joint.moment.z(), 0, 1e-9);
}

TEST_F(ClosingMotors, AreRefusedWhereThereIsNoSuchDegree) {
  EXPECT_THROW(efforts({model.speeds() + 2}), InputError);
  EXPECT_THROW(efforts({closing, closing}), InputError);
  EXPECT_THROW(degrees_by_name(model, {"close7"}), InputError);
}

}  // namespace
}  // namespace ulna
