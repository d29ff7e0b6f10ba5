// States from what is given of them: by name, in trees and through loops.

#include "ulna/kinematics/state.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "support/closed_ring.hpp"
#include "support/four_bar_chain.hpp"
#include "support/near.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"
#include "ulna/numerics/internal/rank.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;
using testing::expect_near;
using ::testing::HasSubstr;

NamedValues named(const std::vector<std::string>& names, const VectorXd& values) {
  NamedValues out;
  for (std::size_t k = 0; k < names.size(); ++k)
    out.push_back({names[k], values(static_cast<Eigen::Index>(k))});
  return out;
}

TEST(States, OfATreeKeepWhatIsNamedAndAreNeutralElsewhere) {
  testing::Generator g(7);
  testing::RobotRecipe recipe;
  recipe.bodies = 4;
  recipe.types = {JointType::revolute, JointType::cylindrical, JointType::spherical};
  const Model model(testing::random_robot(g, recipe));
  const std::string slide = model.coordinate_names().back(), rate = model.speed_names().front();
  const State state = complete_state(
      model, {.q = NamedValues{{slide, 0.3}}, .v = NamedValues{{rate, -2}}, .a = {}});
  VectorXd q = model.neutral(), v = VectorXd::Zero(model.speeds());
  q(model.coordinates() - 1) = 0.3;
  v(0) = -2;
  EXPECT_EQ(state.q, model.normalized(q));
  EXPECT_EQ(state.v, v);
  EXPECT_EQ(state.a, VectorXd::Zero(model.speeds()));
  EXPECT_TRUE(state.closing.empty());
}

class ClosingTypes : public ::testing::TestWithParam<JointType> {
 protected:
  testing::Generator g{11};
  testing::Ring r = testing::ring(g, GetParam());
  Model model{r.robot};
  Workspace work{model};
  LoopClosure closure{model};

  /// Another posture of the ring, a little away from the closed one.
  VectorXd moved() {
    closure.update(work, r.closed);
    const VectorXd v = compatible_speeds(closure, testing::random_entries(g, model.speeds()));
    AssemblyOptions options;
    options.start = model.integrate(r.closed, 0.3 * v / (1 + v.norm()));
    options.tolerance = 1e-12;
    return assembled(model, options);
  }
};

TEST_P(ClosingTypes, HaveTheCoordinatesThatAreNamed) {
  const VectorXd q = moved();
  closure.update(work, q);
  const VectorXd own = closure.closing_coordinates(work, 0);
  const State state =
      complete_state(model, {.q = named(closing_coordinate_names(model.loops()[0]), own),
                             .v = {},
                             .a = {},
                             .near = r.closed});
  // The assembly ends at 1e-11 of metres and radians; rows far from singular keep that.
  expect_near(state.closing[0].q, own, 1e-9);
  closure.update(work, state.q);
  EXPECT_LT(closure.largest_gap(work), 1e-10);
}

TEST_P(ClosingTypes, HaveTheRatesAndAccelerationsThatAreNamed) {
  const VectorXd q = moved();
  closure.update(work, q);
  const VectorXd v = compatible_speeds(closure, testing::random_entries(g, model.speeds()));
  closure.update_rates(work, q, v);
  const VectorXd a = compatible_accelerations(closure, testing::random_entries(g, model.speeds()));
  const ClosingJointState own = closure.closing_state(work, 0, q, v, a);

  // The closing joint's rates first, then speeds of the tree until all are determined.
  closure.update(work, q);
  const SpeedSplit split = split_speeds(closure);
  const CoordinateMap map = independent_map(closure, split);
  std::vector<std::string> names;
  std::vector<double> speeds, rates;
  Eigen::MatrixXd N(0, map.in());
  const auto take = [&](const std::string& name, const Eigen::RowVectorXd& row, double speed,
                        double rate) {
    Eigen::MatrixXd more(N.rows() + 1, N.cols());
    more << N, row;
    if (rank_by_qr(more, 1e-3).rank < more.rows()) return;
    N = more;
    names.push_back(name);
    speeds.push_back(speed);
    rates.push_back(rate);
  };
  const Eigen::MatrixXd KG =
      closure.closing_jacobian(work, 0) * map.G(closure.blocks()[0].columns, Eigen::all);
  const std::vector<std::string> closing = closing_speed_names(model.loops()[0]);
  for (std::size_t d = 0; d < closing.size(); ++d) {
    const auto k = static_cast<Eigen::Index>(d);
    take(closing[d], KG.row(k), own.v(k), own.a(k));
  }
  EXPECT_FALSE(names.empty());
  for (int k = 0; k < model.speeds() && N.rows() < N.cols(); ++k)
    take(model.speed_names()[k], map.G.row(k), v(k), a(k));
  ASSERT_EQ(N.rows(), N.cols());

  const auto values = [](const std::vector<double>& list) {
    return VectorXd(Eigen::Map<const VectorXd>(list.data(), std::ssize(list)));
  };
  const State state = complete_state(
      model, {.q = q, .v = named(names, values(speeds)), .a = named(names, values(rates))});
  // Rounding times the condition of the choice, at most 1e3 here, and of the rows.
  expect_near(state.v, v, 1e-9);
  expect_near(state.a, a, 1e-8);
  expect_near(state.closing[0].v, own.v, 1e-9);
  expect_near(state.closing[0].a, own.a, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(States, ClosingTypes,
                         ::testing::Values(JointType::revolute, JointType::prismatic,
                                           JointType::screw, JointType::cylindrical,
                                           JointType::universal, JointType::spherical,
                                           JointType::planar, JointType::sphere_in_groove),
                         [](const auto& one) {
                           std::string name = name_of(one.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(States, OfFourBarsFollowAnyOneOfTheirJoints) {
  const Model model(testing::four_bar_chain(3));
  const VectorXd start = testing::posture_of_chain(model, 1.2);
  const State whole = complete_state(model, {.q = start, .v = {}, .a = {}});
  for (const Loop& loop : model.loops()) {
    const State state = complete_state(
        model,
        {.q = whole.q, .v = NamedValues{{loop.joint, 2}}, .a = NamedValues{{loop.joint, -3}}});
    // The accelerations follow by differences of the speeds along the motion.
    const double h = 1e-5;
    const auto speeds = [&](double t) {
      const VectorXd near = model.integrate(whole.q, t * state.v + 0.5 * t * t * state.a);
      return complete_state(model, {.q = near, .v = NamedValues{{loop.joint, 2 - 3 * t}}, .a = {}})
          .v;
    };
    expect_near(state.a, (speeds(h) - speeds(-h)) / (2 * h), 1e-6);
    for (std::size_t k = 0; k < model.loops().size(); ++k)
      if (model.loops()[k].joint == loop.joint) {
        EXPECT_NEAR(state.closing[k].v(0), 2, 1e-12);
        EXPECT_NEAR(state.closing[k].a(0), -3, 1e-11);
      }
  }
}

std::string refusal(const Model& model, const StateRequest& request) {
  try {
    complete_state(model, request);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "taken";
}

TEST(States, RefuseWhatDoesNotFit) {
  const Model model(testing::four_bar_chain(1));
  const VectorXd q = complete_state(model, {testing::posture_of_chain(model, 1.2), {}, {}}).q;
  EXPECT_THAT(refusal(model, {.q = NamedValues{{"close1", 1}}}), HasSubstr("no 'close1'"));
  EXPECT_THAT(refusal(model, {.q = NamedValues{{"close1", 1}}}), HasSubstr("close0"));
  EXPECT_THAT(refusal(model, {.q = NamedValues{{"foot0", 1}, {"foot0", 2}}}), HasSubstr("twice"));
  EXPECT_THAT(refusal(model, {.q = NamedValues{{"foot0", NAN}}}), HasSubstr("finite"));
  EXPECT_THAT(refusal(model, {.q = VectorXd::Zero(2)}), HasSubstr("q"));
  EXPECT_THAT(refusal(model, {.q = q, .v = NamedValues{{"foot0", 1}, {"close0", 1}}}),
              HasSubstr("1, as many as it has degrees of freedom"));
  // A rocker of a parallelogram never turns against its coupler by more than half a turn.
  EXPECT_THAT(refusal(Model(testing::four_bar_chain(1)),
                      {.q = NamedValues{{"foot0", 0.5}, {"close0", 3.0}}}),
              HasSubstr("cannot be assembled"));
}

TEST(States, EffortsAlongAClosingJointDoItsWork) {
  const Model model(testing::four_bar_chain(2));
  const State state = complete_state(
      model, {testing::posture_of_chain(model, 1.2), NamedValues{{"close1", 1.5}}, {}});
  const VectorXd tau = complete_efforts(model, state.q, NamedValues{{"close1", 4}});
  EXPECT_NEAR(tau.dot(state.v), 4 * 1.5, 1e-12);
}

}  // namespace
}  // namespace ulna
