#include "commands/experiment_run.hpp"

#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "options/robot_options.hpp"
#include "options/vector_text.hpp"
#include "output/duty_output.hpp"
#include "output/interrupt.hpp"
#include "output/json_output.hpp"
#include "output/progress.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/internal/exact_level.hpp"
#include "ulna/formats/internal/experiment_draft.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/formats/run_directory.hpp"
#include "ulna/formats/run_hdf5.hpp"
#include "ulna/kinematics/platform_branch.hpp"
#include "ulna/simulation/internal/aim.hpp"
#include "ulna/simulation/internal/exact_links.hpp"

namespace ulna::cli::experiment_run_detail {
namespace {

/// One line on standard error, rewritten four times a second; nothing unless that is a terminal.
class ProgressBar {
 public:
  explicit ProgressBar(double end) : end_(end), shown_(isatty(STDERR_FILENO) != 0) {}
  ~ProgressBar() {
    if (drawn_) std::fputs("\r\033[K", stderr);
  }
  void update(double t) {
    if (!shown_ || (++calls_ & 255) != 0) return;
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(250)) return;
    last_ = now;
    const double spent = std::chrono::duration<double>(now - begin_).count();
    if (spent < 0.5) return;  // short runs need none
    const double share = std::clamp(t / end_, 0.0, 1.0);
    const int width = 30, done = static_cast<int>(share * width);
    const std::string line = fmt::format("\r[{}{}] {:3.0f} %  t = {:.4g} s  {:.0f} s left\033[K",
                                         std::string(done, '='), std::string(width - done, ' '),
                                         100 * share, t, share > 0 ? spent * (1 / share - 1) : 0.0);
    std::fputs(line.c_str(), stderr);
    drawn_ = true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  double end_;
  bool shown_, drawn_ = false;
  unsigned calls_ = 0;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

std::string timing_text(const TimingResult& timing) {
  std::string switches;
  constexpr std::size_t most = 10;
  for (std::size_t k = 0; k < std::min(most, timing.switches.size()); ++k)
    switches += fmt::format("{}{:.9g}", k == 0 ? "; switches at " : ", ", timing.switches[k]);
  if (timing.switches.size() > most)
    switches += fmt::format(" and {} more", timing.switches.size() - most);
  return fmt::format("timing    {:.9g} s{}{}\n", timing.duration,
                     timing.limit.empty() ? "" : ": " + timing.limit, switches);
}

std::string loops_text(const Model& model, const RunSummary& s) {
  std::string names;
  for (const int k : s.independent) names += (names.empty() ? "" : ", ") + model.speed_names()[k];
  return fmt::format(
      "loops     open by {:.3g} (m, rad) at most; independent: {}{}\n", s.closure,
      names.empty() ? "none" : names,
      s.switches.empty() ? "" : fmt::format(", others chosen {} times", s.switches.size()));
}

void print_end(const Experiment& experiment, const RunSummary& s) {
  const Model& model = *experiment.model;
  print(heading(
      fmt::format("{}: {} to t = {:.6g} s ({})", experiment.name, model.name(), s.t, s.reason)));
  print(Table().words("speed", model.speed_names()).numbers("v", s.v).numbers("tau", s.tau).text());
  print(fmt::format("\nq         {}\n", numbers_text(s.q)));
}

void print_energy(const RunSummary& s) {
  const std::optional<double> relative = s.relative_balance();
  print(fmt::format("energy    balance error {:.3g} J, {}the largest kinetic energy {:.6g} J\n",
                    s.energy_balance, relative ? fmt::format("{:.3g} of ", *relative) : "",
                    s.largest_kinetic));
  print(fmt::format("work      {:.6g} J by efforts, {:.6g} J by wrenches, {:.6g} J dissipated\n",
                    s.works(0), s.works(1), s.works(2)));
}

/// What the actuators had to give.
std::string sizing_text(const std::vector<SizingRow>& sizing) {
  std::vector<std::string> names, notes;
  Eigen::VectorXd peak(static_cast<long>(sizing.size())), rms = peak, window = peak, speed = peak,
                                                          power = peak;
  for (std::size_t k = 0; k < sizing.size(); ++k) {
    const SizingRow& row = sizing[k];
    const auto i = static_cast<long>(k);
    names.push_back(fmt::format("{} ({})", printable(row.name), row.kind));
    peak(i) = row.peak_effort, rms(i) = row.rms_effort, window(i) = row.window_rms;
    speed(i) = row.peak_speed, power(i) = row.peak_power;
    std::string note;
    for (const SizingRow::Peak& reading : row.readings)
      note += fmt::format("{}{} {:.4g} {}", note.empty() ? "" : ", ", reading.name, reading.value,
                          reading.unit);
    if (row.window_rms > row.continuous)
      note += fmt::format("{}overloaded: rated {:.4g} {} continuous", note.empty() ? "" : ", ",
                          row.continuous, row.unit);
    notes.push_back(note);
  }
  return "\n" +
         heading("Actuators: largest efforts, RMS, RMS of the window, speed, power, readings") +
         Table()
             .words("actuator", names)
             .numbers("peak", peak)
             .numbers("rms", rms)
             .numbers("window", window)
             .numbers("speed", speed)
             .numbers("power", power)
             .words("", notes)
             .text() +
         "\n";
}

void print_summary(const Experiment& experiment, const Ran& ran) {
  const RunSummary& s = ran.summary;
  print_end(experiment, s);
  print(fmt::format("steps     {} ({} rejected, {} evaluations) by {}, rtol {:g}\n",
                    s.statistics.steps, s.statistics.rejected, s.statistics.evaluations,
                    name_of(s.method), experiment.integrator.tolerances.relative));
  print_energy(s);
  if (experiment.timing) print(timing_text(*experiment.timing));
  for (const TrackingResult& one : experiment.tracking)
    print(fmt::format("tracking  {}\n", one.text));
  if (!experiment.model->loops().empty()) print(loops_text(*experiment.model, s));
  if (!experiment.nonholonomic.empty())
    print(fmt::format("rolling   {} nonholonomic, slipping at {:.3g} m/s at most\n",
                      experiment.nonholonomic.size(), s.nonholonomic));
  for (const RunSummary::ContactNote& contact : s.contacts)
    print(fmt::format("contact   {}: {}, {} in the end\n", printable(contact.name),
                      counted(contact.impacts, "impact"), name_of(contact.state)));
  if (!s.sizing.empty()) print(sizing_text(s.sizing));
  print(duty_text(s));
  for (const EventNote& event : s.events)
    print(fmt::format("event     {} at t = {:.9f} s\n", printable(event.name), event.t));
  print(fmt::format("time      {:.3g} s, {:.3g} times real time\n", s.wall_seconds,
                    s.wall_seconds > 0 ? s.t / s.wall_seconds : 0.0));
  if (ran.directory)
    print(fmt::format("wrote     {} ({})\n", *ran.directory, counted(s.records, "record")));
}

}  // namespace
}  // namespace ulna::cli::experiment_run_detail

namespace ulna::cli {

void add_run_options(CLI::App& command, ExperimentOptions& options) {
  add_text(command, "-o,--output", options.output, "DIR",
           "Folder for the run (run.csv, summary.json, robot.yaml), or one HDF5 file (.h5)");
  add_flag(command, "--resume", options.resume, "Continue the interrupted run in DIR.partial");
  std::string names;
  for (const std::string& name : integrator_names()) names += (names.empty() ? "" : "|") + name;
  add_text(command, "--integrator", options.integrator, names,
           "Integrator to use instead of the experiment's");
  add_text(command, "--rtol", options.rtol, "NUMBER",
           "Relative tolerance to use instead of the experiment's; the absolute tolerance is a "
           "hundredth of it");
  std::string levels;
  for (const std::string& name : elastic_level_names())
    levels += (levels.empty() ? "" : "|") + name;
  add_text(command, "--elastic", options.elastic, levels,
           "Level of flexible bodies to use instead of the experiment's; geometrically-exact:N "
           "uses N elements in each link (default: 8)");
  add_method_option(command, Question::forward, options);
  add_closing_option(command, options);
}

ReadExperiment load(const ExperimentOptions& options, Question question) {
  RobotOptions robot;
  robot.packages = options.packages;
  robot.strict = options.strict;
  ReadDraft read = read_experiment_draft(options.file, read_options(robot));
  Experiment& experiment = read.draft.experiment;
  for (const Problem& warning : experiment.model->warnings()) warn(warning.text());
  IntegratorOptions& integrator = experiment.integrator;
  if (options.integrator) {
    const auto method = integrator_from_name(*options.integrator);
    if (!method)
      throw InputError(Problem{{},
                               "--integrator",
                               fmt::format("'{}' found", *options.integrator),
                               fmt::format("{}", fmt::join(integrator_names(), ", ")),
                               nearest_name_hint(*options.integrator, integrator_names())});
    integrator.method = *method;
  }
  if (options.rtol) {
    integrator.tolerances.relative = parse_number("--rtol", *options.rtol);
    integrator.tolerances.absolute = 1e-2 * integrator.tolerances.relative;
  }
  if (options.elastic) {
    const std::string word = options.elastic->substr(0, options.elastic->find(':'));
    const auto level = elastic_level_from_name(word);
    if (!level || (word != *options.elastic && *level != ElasticLevel::geometrically_exact))
      throw InputError(Problem{{},
                               "--elastic",
                               fmt::format("'{}' found", *options.elastic),
                               fmt::format("{}", fmt::join(elastic_level_names(), ", ")),
                               nearest_name_hint(*options.elastic, elastic_level_names())});
    if (*level == ElasticLevel::geometrically_exact)
      experiment =
          with_exact_links(std::move(experiment), elements_in("--elastic", *options.elastic));
    else
      experiment.elastic = *level;
  }
  if (options.method || options.closing) {
    const DynamicsOptions asked = dynamics_options(*experiment.model, question, options);
    if (options.method) experiment.method = asked.method;
    if (options.closing) experiment.closing = asked.closing;
    experiment.dynamics_mark = {};
  }
  if (options.resume && !options.output)
    throw InputError("--resume needs the run's directory", "-o DIR");
  return planned(std::move(read));
}

void aim_at_goal(ReadExperiment& read) {
  if (!read.experiment.goal) return;
  const InterruptGuard guard;
  std::stop_source stop;
  AimOptions options;
  options.stop = stop.get_token();
  Progress progress("simulations towards the goal", 0, 0);
  options.progress = [&](int count) {
    if (guard.interrupted()) stop.request_stop();
    progress.update(count);
  };
  aim(read.experiment, options);
}

Ran run_experiment(const ReadExperiment& read, const ExperimentOptions& options,
                   const std::function<void(double t, std::span<const double> row)>& watch) {
  const CheckedExperiment checked(read.experiment);
  const Experiment& experiment = *checked;
  std::optional<RunWriter> writer;
  const bool hdf5 = options.output && is_hdf5_name(*options.output);
  if (options.output)
    writer.emplace(*options.output + (hdf5 ? ".run" : ""), experiment, read.text, options.resume);
  const InterruptGuard guard;
  std::stop_source stop;
  RunOptions run;
  run.stop = stop.get_token();
  if (writer) run.checkpoint = [&](const Checkpoint& c) { writer->checkpoint(c); };
  if (writer && writer->resumed()) run.resume = &*writer->resumed();
  run.record = [&](double t, std::span<const double> row) {
    if (watch) watch(t, row);
    if (writer) writer->record(t, row);
  };
  Ran ran;
  run.warn = [&](const std::string& text) {
    warn(text);
    ran.said.push_back(text);
  };
  try {
    experiment_run_detail::ProgressBar bar(experiment.end);
    run.progress = [&](double t) {
      if (guard.interrupted()) stop.request_stop();
      bar.update(t);
    };
    ran.summary = simulate(checked, run);
  } catch (const ComputationError& failure) {
    if (!writer || !writer->has_records()) throw;
    throw ComputationError(fmt::format("{}; {} holds the run until then", failure.what(),
                                       writer->abandon(failure.what())));
  }
  if (writer) ran.directory = writer->finish(ran.summary);
  if (hdf5 && ran.summary.complete) {
    const std::string folder = *ran.directory;
    try {
      write_run_hdf5(read_run(folder), *options.output);
    } catch (const ComputationError& failure) {
      throw ComputationError(fmt::format("{}; {} holds the run", failure.what(), folder));
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    ran.directory = *options.output;
  }
  return ran;
}

int report(const ReadExperiment& read, const ExperimentOptions& options, const Ran& ran) {
  const RunSummary& s = ran.summary;
  for (const std::string& note : s.notes)
    if (std::find(ran.said.begin(), ran.said.end(), note) == ran.said.end())
      says_home_branch(note) ? cli::note(note) : warn(note);
  if (read.experiment.timing && !read.experiment.timing->warning.empty())
    warn(read.experiment.timing->warning);
  if (options.json) {
    Json out = parse_json(run_summary_json(read.experiment, s));
    out["outputs"] = Json::array();
    if (ran.directory) out["outputs"].push_back(*ran.directory);
    print_json(out);
  } else {
    experiment_run_detail::print_summary(read.experiment, ran);
  }
  if (s.complete) return 0;
  error(fmt::format("{} at t = {:.6g} s of {:.6g} s{}", s.reason, s.t, read.experiment.end,
                    ran.directory ? fmt::format("; {} holds the run so far, --resume continues it",
                                                *ran.directory)
                                  : ""));
  return 1;
}

}  // namespace ulna::cli
