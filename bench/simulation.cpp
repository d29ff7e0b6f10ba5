#include "simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "ulna/formats/read_robot.hpp"
#include "ulna/motion/kernels/cycloidal.hpp"
#include "ulna/simulation/kernels/runge_kutta.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna::bench {
namespace {

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

Experiment intelledex() {
  Experiment experiment(std::make_shared<const Model>(read_robot("intelledex605").robot));
  experiment.end = 2;
  experiment.integrator.tolerances = {1e-8, 1e-10};
  return experiment;
}

Experiment controlled(FeedbackLaw law, double gain) {
  Experiment experiment = intelledex();
  auto controller = std::make_shared<Feedback>();
  controller->law = law;
  controller->kp = Eigen::VectorXd::Constant(6, gain * gain);
  controller->kd = Eigen::VectorXd::Constant(6, 2 * gain);
  controller->joints = {0, 1, 2, 3, 4, 5};
  experiment.controllers = {controller};
  for (int j = 0; j < 6; ++j) {
    const double from = j == 1 ? M_PI / 2 : 0;
    experiment.drives.push_back(
        {DriveKind::controller, {std::make_shared<Cycloidal>(from, M_PI / 3, 2.0)}, {}, {}});
  }
  return experiment;
}

SimulatedRun timed(const std::string& name, const Experiment& experiment) {
  SimulatedRun run{name, experiment.end, 1e9, 0};
  for (int round = 0; round < 30; ++round) {
    const RunSummary summary = simulate(experiment, RunOptions{});
    run.seconds = std::min(run.seconds, summary.wall_seconds);
    run.evaluations = summary.statistics.evaluations;
  }
  return run;
}

/// Twelve oscillating states whose rates cost next to nothing.
struct Oscillators {
  void rates(double, const double* y, double* dy) {
    for (int i = 0; i < 6; ++i) dy[i] = y[6 + i], dy[6 + i] = -y[i];
  }
  bool project(double, double*, double*) { return false; }
};

template <class Tableau>
double own_cost() {
  Oscillators system;
  double least = 1e9;
  for (int round = 0; round < 20; ++round) {
    RungeKutta<Tableau, Oscillators> stepper(system, 12, {1e-9, 1e-9});
    double y[12];
    for (int i = 0; i < 12; ++i) y[i] = i / 12.0;
    stepper.start(0, y);
    const double begin = now();
    while (stepper.t() < 100) stepper.step(100);
    least = std::min(least, (now() - begin) / static_cast<double>(stepper.statistics.evaluations));
  }
  return 1e9 * least;
}

}  // namespace

SimulationFindings measure_simulation() {
  SimulationFindings findings;
  findings.runs.push_back(timed("free swing", intelledex()));
  findings.runs.push_back(timed("torques of the motion", controlled(FeedbackLaw::feed_forward, 0)));
  findings.runs.push_back(timed("computed torque", controlled(FeedbackLaw::computed_torque, 20)));
  Experiment prescribed = inverse_of(controlled(FeedbackLaw::computed_torque, 20));
  findings.runs.push_back(timed("prescribed motion", prescribed));
  findings.own_ns = {{"dormand-prince", own_cost<DormandPrince>()}, {"dop853", own_cost<Dop853>()}};
  return findings;
}

void print_simulation(const SimulationFindings& findings) {
  fmt::print("\nThe Intelledex 605 for 2 s, rtol 1e-8, 101 records, one core\n");
  for (const SimulatedRun& run : findings.runs)
    fmt::print("  {:<24}{:>9.3f} ms {:>10.0f} times real time {:>8} evaluations {:>8.0f} ns each\n",
               run.name, 1e3 * run.seconds, run.times_real_time(), run.evaluations,
               1e9 * run.seconds / static_cast<double>(run.evaluations));
  for (const auto& [name, ns] : findings.own_ns)
    fmt::print("  {:<24}{:>9.1f} ns per evaluation of its own, 12 states\n", name, ns);
}

}  // namespace ulna::bench
