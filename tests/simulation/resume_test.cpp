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

/// Picks a part up, is driven to another place, gets other gains, and lets the part go: each of
/// them ends a phase of the run.
Experiment pick_and_place() {
  Experiment e(frozen(testing::double_pendulum()));
  e.end = 2;
  e.q = Eigen::Vector2d(1, 0.5);
  e.drives.resize(2);
  e.drives[0].kind = DriveKind::controller;
  const auto held_with = [](double kp) {
    auto pd = std::make_shared<Feedback>();
    pd->joints = {0};
    pd->kp = Eigen::Vector2d(kp, 0);
    pd->kd = Eigen::Vector2d(6, 0);
    pd->ki = Eigen::Vector2d(20, 0);
    return pd;
  };
  e.controllers = {held_with(80)};
  const auto event = [&](const std::string& name, double t, std::vector<EventAction> actions) {
    Event it;
    it.name = name;
    it.time = t;
    it.stops = false;
    it.actions = std::move(actions);
    e.events.push_back(it);
  };
  EventAction pick, gains, release, push, ask;
  pick.kind = EventAction::Kind::pick;
  pick.payload.name = "part";
  pick.payload.body = e.model->bodies()[2].name;
  pick.payload.X_BL.position = {0, 0, -0.5};
  pick.payload.inertial.mass = 0.7;
  gains.kind = EventAction::Kind::control;
  gains.controller = held_with(200);
  release.kind = EventAction::Kind::release;
  release.name = "part";
  push.kind = EventAction::Kind::drive;
  push.joint = 1;
  push.drive = testing::pushed("0.3");
  ask.kind = EventAction::Kind::call;
  ask.call = [push](double, const Eigen::VectorXd&, const Eigen::VectorXd&) {
    return std::vector<EventAction>{push};
  };
  event("pick", 0.313, {pick});
  event("gains", 0.7, {gains});  // at a record
  event("asked", 1.05, {ask});
  event("release", 1.3, {release});
  Event crossing;
  crossing.name = "elbow";
  crossing.channel = "q.elbow";
  crossing.stops = false;
  e.events.push_back(crossing);
  return e;
}

TEST(Resume, IsTheSameRunAfterEventsHaveChangedIt) {
  const PartOfRun whole = part_of_run(pick_and_place());
  ASSERT_EQ(whole.checkpoints.back().phases.size(), 4u);
  for (const IntegratorMethod method :
       {IntegratorMethod::automatic, IntegratorMethod::dop853, IntegratorMethod::rk4,
        IntegratorMethod::sundials_bdf, IntegratorMethod::radau5})
    if (is_available(method)) expect_same_when_resumed(pick_and_place(), method);
}

TEST(Resume, IsTheSameRunOfALoopThatHasPickedSomethingUp) {
  Experiment e = swinging_loop();
  Event event;
  event.name = "pick";
  event.channel = "q." + e.model->coordinate_names()[0];
  event.value = -0.31;
  event.stops = false;
  event.once = true;
  EventAction pick;
  pick.kind = EventAction::Kind::pick;
  pick.payload.name = "part";
  pick.payload.body = e.model->bodies()[2].name;
  pick.payload.inertial.mass = 2;
  event.actions = {pick};
  e.events = {event};
  ASSERT_EQ(part_of_run(e).checkpoints.back().phases.size(), 1u);
  for (const IntegratorMethod method : {IntegratorMethod::dormand_prince, IntegratorMethod::ida})
    if (is_available(method)) expect_same_when_resumed(e, method);
}

TEST(Resume, RefusesPhasesThatDoNotFit) {
  const Experiment e = pick_and_place();
  const PartOfRun whole = part_of_run(e);
  const auto refused = [&](auto change) {
    Checkpoint c = whole.checkpoints.back();
    change(c);
    EXPECT_THROW(part_of_run(e, &c), InputError);
  };
  refused([](Checkpoint& c) { c.phases.clear(); });
  refused([](Checkpoint& c) { c.phases[0].event = "other"; });
  refused([](Checkpoint& c) { c.phases[1].q.resize(1); });
  refused([](Checkpoint& c) { c.phases[2].v(0) = NAN; });
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
