// A run in pieces is the run as a whole; inputs act from the time they are set; a state that was
// kept leads to the same future.

#include "ulna/simulation/stepping.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ulna/formats/read_experiment.hpp"
#include "ulna/simulation/internal/model_exchange.hpp"

namespace ulna {
namespace {

/// An arm of three links, and what the experiment has besides.
Experiment swinging(const std::string& more) {
  return read_experiment_text("experiment: 1\nrobot: planar-3r\nduration: 1\n" + more,
                              "stepping.yaml")
      .experiment;
}

std::vector<double> at_end_in_pieces(const Experiment& e, int pieces) {
  Stepping run(with_inputs(e, {}), {"q", "v", "energy"});
  run.begin();
  for (int k = 1; k <= pieces; ++k) run.advance(e.end * k / pieces);
  const std::span<const double> row = run.outputs();
  return {row.begin(), row.end()};
}

std::vector<double> at_end(Experiment e) {
  e.record.channels = {"q", "v", "energy"};
  const Run run = simulate(e);
  const Eigen::VectorXd row = run.values.row(run.values.rows() - 1);
  return {row.begin(), row.end()};
}

void expect_same(const std::vector<double>& one, const std::vector<double>& two, double bound) {
  ASSERT_EQ(one.size(), two.size());
  for (std::size_t k = 0; k < one.size(); ++k) EXPECT_NEAR(one[k], two[k], bound) << k;
}

// Steps end at every pause, so that the two differ by the error of the integration.
TEST(Stepping, ARunInPiecesIsTheRun) {
  for (const char* more : {"start: {q: [0.5, -0.3, 0.2]}\n",
                           "start: {q: [0.5, -0.3, 0.2]}\nintegrator: {method: radau5}\n",
                           "start: {q: [0.5, -0.3, 0.2]}\nstop: [{when: v.joint1, above: 100}]\n",
                           "motions: {joint1: 0.3*sin(5*t)}\n",
                           "drives: {all: controller}\nmotions: {all: 0.2*sin(5*t)}\n"
                           "controllers: [{law: pd, kp: 5, kd: 0.1, rate: 100 Hz}]\n",
                           "start: {q: [0.5, -0.3, 0.2]}\nevents: [{name: lock, at: 0.35 s, do: "
                           "{drive: {joint2: locked}}}]\n"})
    for (const int pieces : {1, 7, 100}) {
      SCOPED_TRACE(std::to_string(pieces) + " pieces of " + std::string(more));
      const Experiment e = swinging(more);
      expect_same(at_end_in_pieces(e, pieces), at_end(e), 2e-5);
    }
}

TEST(Stepping, InputsActFromWhenTheyAreSet) {
  const Experiment e = swinging("");
  EXPECT_THAT(open_inputs(e), ::testing::ElementsAre("tau.joint1", "tau.joint2", "tau.joint3"));
  Stepping run(with_inputs(e, {"tau.joint1"}), {"tau.joint1", "q.joint1"});
  run.begin();
  run.advance(0.5);
  EXPECT_EQ(run.outputs()[0], 0);
  const double before = run.outputs()[1];
  run.set(0, 4);
  EXPECT_EQ(run.outputs()[1], before);
  run.advance(1.0);
  EXPECT_EQ(run.outputs()[0], 4);
  // The same as a function of time.
  Experiment given = swinging("drives: {joint1: {effort: 4*step(t - 0.5)}}\n");
  given.record.channels = {"q.joint1"};
  EXPECT_NEAR(run.outputs()[1], simulate(given).values.bottomRows(1)(0, 0), 1e-6);
}

TEST(Stepping, AStateThatWasKeptHasTheSameFuture) {
  const Experiment e = swinging("start: {q: [0.5, -0.3, 0.2]}\n");
  Stepping run(with_inputs(e, {}), {"q", "v", "energy"});
  run.begin();
  run.advance(0.4);
  const Checkpoint kept = run.save();
  run.advance(1.0);
  const std::vector<double> first(run.outputs().begin(), run.outputs().end());
  run.restore(kept);
  EXPECT_EQ(run.t(), 0.4);
  run.advance(1.0);
  const std::vector<double> second(run.outputs().begin(), run.outputs().end());
  expect_same(first, second, 0);
}

TEST(Stepping, WrongNamesAndTimesAreRefused) {
  const Experiment e = swinging("motions: {joint1: 0.3*sin(5*t)}\n");
  EXPECT_THROW(with_inputs(e, {"tau.joint1"}), InputError);  // its effort is found, not given
  EXPECT_THROW(with_inputs(e, {"tau.joint4"}), InputError);
  EXPECT_THROW(with_inputs(e, {"tau.joint2", "tau.joint2"}), InputError);
  Stepping run(with_inputs(e, {}), {"q"});
  EXPECT_THROW(run.advance(0.1), InputError);  // not begun
  run.begin();
  run.advance(0.5);
  EXPECT_THROW(run.advance(0.4), InputError);
  EXPECT_THROW(run.advance(1.1), InputError);
}

// The rates that are handed out are those of the run: one small step of Euler's method apart.
TEST(ModelExchange, RatesAreThoseOfTheRun) {
  const Experiment e = swinging("start: {q: [0.5, -0.3, 0.2], v: [1, 2, -1]}\n");
  ModelExchange exchange(with_inputs(e, {}), {"q", "v"});
  EXPECT_THAT(
      exchange.state_names(),
      ::testing::ElementsAre("q.joint1", "q.joint2", "q.joint3", "v.joint1", "v.joint2", "v.joint3",
                             "work.efforts", "work.external", "work.dissipated"));
  const Eigen::VectorXd y = exchange.start();
  Eigen::VectorXd dy(exchange.states());
  exchange.rates(0, y.data(), dy.data());
  Stepping run(with_inputs(e, {}), {"q"});
  run.begin();
  constexpr double h = 1e-6;
  run.advance(h);
  for (int k = 0; k < 6; ++k)
    EXPECT_NEAR((run.state()[static_cast<std::size_t>(k)] - y(k)) / h, dy(k), 1e-3) << k;
}

}  // namespace
}  // namespace ulna
