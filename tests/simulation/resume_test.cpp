// A run that was interrupted and resumed is the same run, to the last bit, with every integrator;
// what was noted before the interruption is kept.

#include <gmock/gmock.h>

#include "drives.hpp"
#include "machines.hpp"
#include "mechanisms.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::frozen;
using testing::parallelogram;
using testing::posture_of_parallelogram;

Experiment swinging_arm() {
  Experiment e(frozen(testing::double_pendulum()));
  e.end = 2;
  e.q = Eigen::Vector2d(1, 0.5);
  Event early;
  early.name = "early";
  early.channel = "q.elbow";
  early.stops = false;
  e.events.push_back(early);
  return e;
}

Experiment swinging_loop() {
  const auto model = frozen(parallelogram(3));
  Experiment e(model);
  e.end = 2;
  e.q = posture_of_parallelogram(*model, -0.3);
  return e;
}

struct PartOfRun {
  std::vector<double> numbers;
  RunSummary summary;
  std::vector<Checkpoint> checkpoints;
};

PartOfRun part_of_run(const Experiment& e, const Checkpoint* from = nullptr) {
  PartOfRun part;
  RunOptions options;
  options.resume = from;
  options.record = [&](double t, std::span<const double> row) {
    part.numbers.push_back(t);
    part.numbers.insert(part.numbers.end(), row.begin(), row.end());
  };
  options.checkpoint = [&](const Checkpoint& c) { part.checkpoints.push_back(c); };
  part.summary = simulate(e, options);
  return part;
}

void expect_same_when_resumed(Experiment e, IntegratorMethod method) {
  SCOPED_TRACE(name_of(method));
  e.integrator.method = method;
  if (e.integrator.fixed_step()) e.integrator.step = 0.003;
  const PartOfRun whole = part_of_run(e);
  ASSERT_GE(whole.checkpoints.size(), 10u);
  const auto records = static_cast<std::size_t>(whole.summary.records);
  const std::size_t width = whole.numbers.size() / records;
  for (const std::size_t k :
       {std::size_t{0}, whole.checkpoints.size() / 2, whole.checkpoints.size() - 2}) {
    const Checkpoint& from = whole.checkpoints[k];
    const PartOfRun rest = part_of_run(e, &from);
    const std::size_t before = width * static_cast<std::size_t>(from.records);
    ASSERT_EQ(rest.numbers.size(), whole.numbers.size() - before) << from.t;
    EXPECT_TRUE(std::equal(rest.numbers.begin(), rest.numbers.end(),
                           whole.numbers.begin() + static_cast<long>(before)))
        << "from t = " << from.t;
    EXPECT_EQ(rest.summary.q, whole.summary.q);
    EXPECT_EQ(rest.summary.statistics.steps, whole.summary.statistics.steps);
    ASSERT_EQ(rest.summary.events.size(), whole.summary.events.size()) << from.t;
    for (std::size_t i = 0; i < whole.summary.events.size(); ++i)
      EXPECT_EQ(rest.summary.events[i].t, whole.summary.events[i].t);
    EXPECT_EQ(rest.summary.independent, whole.summary.independent);
    EXPECT_EQ(rest.summary.notes, whole.summary.notes);
  }
}

TEST(Resume, IsTheSameRunWithEveryIntegrator) {
  EXPECT_FALSE(part_of_run(swinging_arm()).summary.events.empty());
  for (const IntegratorMethod method :
       {IntegratorMethod::dormand_prince, IntegratorMethod::dop853, IntegratorMethod::rk4,
        IntegratorMethod::semi_implicit, IntegratorMethod::sundials_erk,
        IntegratorMethod::sundials_bdf})
    if (is_available(method)) expect_same_when_resumed(swinging_arm(), method);
}

TEST(Resume, IsTheSameRunOfAMechanismWithLoops) {
  for (const IntegratorMethod method :
       {IntegratorMethod::dormand_prince, IntegratorMethod::sundials_erk,
        IntegratorMethod::sundials_bdf, IntegratorMethod::ida})
    if (is_available(method)) expect_same_when_resumed(swinging_loop(), method);
}

TEST(Resume, RefusesACheckpointOfAnotherPlace) {
  const Experiment e = swinging_arm();
  const PartOfRun whole = part_of_run(e);
  const auto refused = [&](auto change) {
    Checkpoint c = whole.checkpoints[5];
    change(c);
    EXPECT_THROW(part_of_run(e, &c), InputError);
  };
  refused([](Checkpoint& c) { c.t = 1e300; });
  refused([](Checkpoint& c) { c.t += 0.01; });
  refused([](Checkpoint& c) { c.step.step = 0; });
  refused([](Checkpoint& c) { c.step.step = NAN; });
  refused([](Checkpoint& c) { c.records = 1000; });
  refused([](Checkpoint& c) { c.y(0) = NAN; });
  refused([](Checkpoint& c) { c.y.conservativeResize(1); });
}

}  // namespace
}  // namespace ulna
