// ulna-bench-study: what a sample of a study costs beyond its run. Samples and plain calls in C++
// of the same experiments take turns, block by block; the figures are medians of processor time,
// which other programs of the machine disturb less than the clock.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ulna/formats/study.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna::bench {
namespace {

constexpr const char* experiment = R"(experiment: 1
name: hold
robot: puma560
duration: 20 ms
constants: {A: 0.05}
start: {q: {joint2: 0.02, joint3: 0}}
motions:
  joint1: A*cycloid(t/0.02)
  joint2: {program: poly345, to: 0.01, time: 0.02}
  joint3: 0
  joint4: 0
  joint5: 0
  joint6: 0
drives: {joint1: controller, joint2: controller, joint3: controller, joint4: controller, joint5: controller, joint6: controller}
controllers: [{name: c, law: pd, kp: 20, kd: 4}]
record: {interval: 10 ms}
)";

struct Case {
  const char* what;
  const char* parameter;
  const char* more = "";  ///< of the experiment
};

constexpr Case cases[] = {
    {"no place of a file", "{name: k, uniform: {from: 20, to: 22}}"},
    {"a gain", "{path: controllers.c.kp, uniform: {from: 20, to: 22}}"},
    {"two gains and a step",
     "{path: controllers.c.kp, uniform: {from: 20, to: 22}}, "
     "{path: controllers.c.kd, uniform: {from: 4, to: 4.4}}, "
     "{path: integrator.rtol, log-uniform: {from: 1.0e-7, to: 1.01e-7}}"},
    {"a mass", "{path: bodies.link3.mass, uniform: {from: 4, to: 5}}"},
    {"friction of a joint", "{path: joints.joint2.friction, uniform: {from: 12, to: 14}}"},
    {"a motion", "{path: constants.A, uniform: {from: 0.04, to: 0.05}}"},
    {"a number of a motion", "{path: motions.joint2.to, uniform: {from: 0.01, to: 0.02}}"},
    {"the start", "{path: start.q.joint3, uniform: {from: 0.01, to: 0.02}}"},
    {"a force", "{path: wrenches.0.force.2, uniform: {from: -2, to: -1}}",
     "wrenches: [{body: link6, point: [0, 0, 0.1], force: [0, t, -1]}]\n"},
    {"a sensor's noise", "{path: sensors.s.noise, uniform: {from: 1.0e-9, to: 2.0e-9}}",
     "sensors: [{name: s, encoder: joint1, rate: 100 Hz, noise: 1.0e-9}]\n"},
    {"an event", "{path: events.late.at, uniform: {from: 1, to: 2}}",
     "events: [{name: late, at: 1 s, do: stop}]\n"},
    {"the duration", "{path: duration, uniform: {from: 0.02, to: 0.0201}}"},
};

constexpr long samples = 200;  ///< of a block
constexpr int rounds = 21;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

/// Microseconds for each of a block.
template <class Run>
double block_of(const Run& run) {
  const double begin = processor_seconds();
  for (long k = 0; k < samples; ++k) run(k);
  return 1e6 * (processor_seconds() - begin) / double(samples);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// The run by itself, with what a caller does with it: its effort at joint 2 over the records.
double run_of(const CheckedExperiment& checked) {
  double peak = 0;
  RunOptions options;
  options.record = [&](double, std::span<const double> row) {
    peak = std::max(peak, std::abs(row[0]));
  };
  simulate(checked, options);
  return peak;
}

void measure(const Case& one, const std::string& folder) {
  std::ofstream(folder + "/hold.yaml") << experiment << one.more;
  const Study study = Study::from_text(
      fmt::format("study: 1\nexperiment: hold.yaml\nparameters: [{}]\nsampling: {{count: {}}}\n"
                  "run: simulate\nmeasures: {{peak: {{take: largest, of: abs(tau.joint2)}}}}\n",
                  one.parameter, samples),
      folder + "/study.yaml");
  std::vector<Experiment> read;
  std::vector<CheckedExperiment> checked;
  for (long k = 0; k < samples; ++k) {
    read.push_back(study.experiment(k).experiment);
    read.back().record.channels = {"tau.joint2"};
    checked.emplace_back(read.back());
  }
  double largest = 0;  // of what both ways give
  for (long k = 0; k < samples; ++k)
    largest = std::max(largest, std::abs(study.evaluate(k).measures[0] -
                                         run_of(checked[static_cast<std::size_t>(k)])));
  std::vector<double> whole, plain, with_check, beyond;
  for (int round = 0; round < rounds; ++round) {
    whole.push_back(block_of([&](long k) { study.evaluate(k); }));
    plain.push_back(block_of([&](long k) { run_of(checked[static_cast<std::size_t>(k)]); }));
    with_check.push_back(
        block_of([&](long k) { run_of(CheckedExperiment(read[static_cast<std::size_t>(k)])); }));
    beyond.push_back(whole.back() - plain.back());
  }
  fmt::print("{:<22} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f} {:>7.0f} % {:>7.0f} % {:>12.1e}\n",
             one.what, median(plain), median(with_check), median(whole), median(beyond),
             100 * median(plain) / median(whole), 100 * median(with_check) / median(whole),
             largest);
}

}  // namespace
}  // namespace ulna::bench

int main() {
  try {
    const std::string folder =
        std::filesystem::temp_directory_path() / fmt::format("ulna-bench-study-{}", getpid());
    std::filesystem::create_directories(folder);
    fmt::print(
        "microseconds of processor time\n{:<22} {:>8} {:>8} {:>8} {:>8} {:>9} {:>9} {:>12}\n",
        "parameter", "run", "checked", "sample", "beyond", "of run", "of checked", "difference");
    for (const auto& one : ulna::bench::cases) ulna::bench::measure(one, folder);
    std::filesystem::remove_all(folder);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "ulna-bench-study: {}\n", error.what());
    return 1;
  }
}
