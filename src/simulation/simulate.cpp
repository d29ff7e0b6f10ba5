#include "ulna/simulation/simulate.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "adviser.hpp"
#include "channel_reader.hpp"
#include "event_finder.hpp"
#include "fixed_stepper.hpp"
#include "times.hpp"
#include "ulna/kinematics/loop_elimination.hpp"
#include "ulna/simulation/runge_kutta.hpp"
#if defined(ULNA_WITH_SUNDIALS)
#include "ida_stepper.hpp"
#include "sundials_stepper.hpp"
#endif

namespace ulna {
namespace {

using Clock = std::chrono::steady_clock;

/// One run with one kind of stepper.
template <class Stepper>
class Runner {
 public:
  Runner(const Experiment& experiment, const RunOptions& options, MechanicalSystem& system,
         Stepper& stepper)
      : e_(experiment),
        options_(options),
        system_(system),
        stepper_(stepper),
        reader_(system, channels_of(experiment)),
        events_(experiment, system),
        adviser_(experiment),
        times_(record_times(experiment)) {
    reader_.always_energy = true;
  }

  RunSummary run() {
    const auto begin = Clock::now();
    begin_or_resume();
    try {
      while (!done_) advance();
    } catch (const ComputationError& error) {
      explain(error);
      throw;
    }
    finish();
    summary_.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return std::move(summary_);
  }

 private:
  void begin_or_resume() {
    Eigen::VectorXd y = system_.start();
    double t = 0;
    if (const Checkpoint* from = options_.resume) {
      if (from->y.size() != system_.size())
        throw InputError("the checkpoint belongs to another experiment",
                         fmt::format("{} states", system_.size()),
                         fmt::format("it has {}", from->y.size()));
      y = from->y;
      t = from->t;
      system_.set_memory(from->controllers);
      restore(*from);
    }
    // A record at a jump is taken before it: what is due there is still to be done.
    system_.set_segment(system_.last_breakpoint(t), next_jump(t));
    system_.sample(t, y.data());
    const double last = system_.last_breakpoint(t);
    system_.set_segment(same_time(last, t) ? t : last, next_jump(t));
    if (system_.has_modes()) {
      system_.choose_modes(t, y.data());
      guard_ = system_.guard(t, y.data());
    }
    stepper_.start(t, y.data(), e_.integrator.fixed_step() ? 0 : e_.integrator.step);
    if (options_.resume) stepper_.set_memory(options_.resume->step);
    events_.start(t, stepper_.y());
    if (system_.has_loops()) {
      system_.evaluate(t, stepper_.y());
      const LoopClosure& closure = system_.loops().closure();
      split_ = many_speeds() ? split_speeds_by_loops(closure) : split_speeds(closure);
      summary_.independent = split_.independent;
    }
    if (!options_.resume) record_due();
    if (t >= e_.end) end(true, "end time");
  }

  /// Dense linear algebra, at every record, would outweigh the run of a large mechanism.
  bool many_speeds() const {
    constexpr int few = 20;
    return system_.model().speeds() > few;
  }

  /// What loops have to say about a failure.
  void explain(const ComputationError& error) const {
    if (!system_.has_loops()) return;
    const double margin = system_.loops().margin();
    if (!system_.trouble().empty())
      throw ComputationError(fmt::format("{}: {}", error.what(), system_.trouble()));
    if (margin < 1e-3)
      throw ComputationError(fmt::format(
          "{}: the loops of robot '{}' are at or near a singular posture there (singular values "
          "in the ratio {:.2g})",
          error.what(), system_.model().name(), margin));
  }

  void restore(const Checkpoint& from) {
    stepper_.statistics = from.statistics;
    reader_.set_start_energy(from.start_energy);
    next_record_ = static_cast<std::size_t>(from.records);
    summary_.records = from.records;
    summary_.largest_kinetic = from.largest_kinetic;
    summary_.energy_balance = from.largest_balance;
    summary_.constraint = from.largest_constraint;
    summary_.closure = from.largest_closure;
  }

  double next_jump(double t) const { return std::min(system_.next_breakpoint(t), e_.end); }

  double next_stop() const {
    double stop = jump_;
    if (!e_.record.interpolate && next_record_ < times_.size())
      stop = std::min(stop, times_[next_record_]);
    return stop;
  }

  /// False when the run has ended in it: the truncated equations of a flexible robot may diverge,
  /// and what was recorded until then is the result.
  bool step() {
    if (!e_.model->flexible()) {
      stepper_.step(next_stop());
      return true;
    }
    try {
      stepper_.step(next_stop());
    } catch (const ComputationError& error) {
      end(false, error.what());
      return false;
    }
    if (!adviser_.diverged(system_)) return true;
    end(false, adviser_.reason);
    return false;
  }

  void advance() {
    if (options_.stop.stop_requested()) return end(false, "interrupted");
    if (stepper_.statistics.steps >= e_.integrator.most_steps)
      throw ComputationError(fmt::format("{} steps were not enough: at t = {:.9g} s of {:.9g} s",
                                         e_.integrator.most_steps, stepper_.t(), e_.end));
    jump_ = next_jump(stepper_.t());
    if (!step()) return;
    const bool ended = mode_ended();
    const std::optional<EventNote> event = events_.locate(stepper_);
    record_interpolated();
    if (same_time(stepper_.t(), jump_) && !same_time(jump_, e_.end))
      cross();
    else if (ended)
      choose_modes();
    record_due();
    if (event) {
      summary_.events.push_back(*event);
      stepper_.restart();
      if (events_.last_stops()) {
        record_now();
        return end(true, fmt::format("event '{}'", event->name));
      }
    }
    if (same_time(stepper_.t(), e_.end)) end(true, "end time");
    if (options_.progress) options_.progress(stepper_.t());
  }

  /// If the mode of a joint (sticking, slipping, at a stop) ends within the step, ends it there.
  bool mode_ended() {
    if (!system_.has_modes()) return false;
    const auto guard = [&](double t, const double* y) { return system_.guard(t, y); };
    const double after = guard(stepper_.t(), stepper_.y());
    const double before = std::max(guard_, 1e-300);
    guard_ = after;
    if (after >= 0) return false;
    stepper_.end_last_step_at(locate_zero(stepper_, guard, before, after));
    return true;
  }

  void choose_modes() {
    if (!system_.has_modes()) return;
    system_.choose_modes(stepper_.t(), stepper_.y());
    guard_ = system_.guard(stepper_.t(), stepper_.y());
    stepper_.restart();
    events_.start(stepper_.t(), stepper_.y());
  }

  /// Rates may jump here: controllers sample, and the next step begins anew.
  void cross() {
    record_due();  // from before the jump
    system_.sample(stepper_.t(), stepper_.y());
    system_.set_segment(stepper_.t(), next_jump(stepper_.t()));
    system_.has_modes() ? choose_modes() : stepper_.restart();
  }

  void record_due() {
    if (next_record_ >= times_.size()) return;
    const double due = times_[next_record_];
    if (due > stepper_.t() && !same_time(due, stepper_.t())) return;
    record_now();
    ++next_record_;
    save();
  }

  void record_now() { take(stepper_.t(), stepper_.y()); }

  void record_interpolated() {
    if (!e_.record.interpolate) return;
    dense_.resize(system_.size());
    while (next_record_ < times_.size() && times_[next_record_] < stepper_.t() &&
           !same_time(times_[next_record_], stepper_.t())) {
      stepper_.interpolate(times_[next_record_], dense_.data());
      if (system_.has_loops()) {
        dense_rates_.resize(system_.size());
        system_.project(times_[next_record_], dense_.data(), dense_rates_.data());
      }
      take(times_[next_record_++], dense_.data());
    }
  }

  void take(double t, const double* y) {
    const std::span<const double> row = reader_.read(t, y);
    ++summary_.records;
    last_recorded_ = t;
    summary_.largest_kinetic = std::max(summary_.largest_kinetic, reader_.kinetic());
    summary_.energy_balance = std::max(summary_.energy_balance, std::abs(reader_.balance()));
    summary_.constraint = std::max(summary_.constraint, reader_.constraint_error());
    if (system_.has_loops()) watch_loops(t);
    if (!std::isfinite(reader_.kinetic()))
      throw ComputationError(fmt::format("the motion is not finite at t = {:.9g} s", t));
    adviser_.look(system_);
    if (options_.record) options_.record(t, row);
  }

  /// The closure at a record, and whether the speeds chosen as independent still are.
  void watch_loops(double t) {
    const LoopGap gap = reader_.closure_gap();
    summary_.closure = std::max({summary_.closure, gap.length, gap.angle});
    if (many_speeds()) return;
    const SpeedSplit best = split_speeds(system_.loops().closure());
    if (best.rank != split_.rank) return;  // a singular posture is no reason to choose
    if (quality_of(system_.loops().closure(), split_) > 0.02 * best.quality) return;
    split_ = best;
    summary_.switches.push_back({t, best.independent});
  }

  void save() {
    if (!options_.checkpoint) return;
    checkpoint_.t = stepper_.t();
    checkpoint_.records = summary_.records;
    checkpoint_.y = Eigen::Map<const Eigen::VectorXd>(stepper_.y(), system_.size());
    checkpoint_.controllers = system_.memory();
    checkpoint_.step = stepper_.memory();
    checkpoint_.statistics = stepper_.statistics;
    checkpoint_.start_energy = reader_.start_energy;
    checkpoint_.largest_kinetic = summary_.largest_kinetic;
    checkpoint_.largest_balance = summary_.energy_balance;
    checkpoint_.largest_constraint = summary_.constraint;
    checkpoint_.largest_closure = summary_.closure;
    options_.checkpoint(checkpoint_);
  }

  void end(bool complete, std::string reason) {
    done_ = true;
    summary_.complete = complete;
    summary_.reason = std::move(reason);
  }

  void finish() {
    system_.evaluate(stepper_.t(), stepper_.y());
    summary_.t = stepper_.t();
    summary_.statistics = stepper_.statistics;
    summary_.q = system_.q;
    summary_.v = system_.v;
    summary_.tau = system_.tau;
    summary_.works = system_.works(stepper_.y());
    summary_.notes = adviser_.notes;
  }

  const Experiment& e_;
  const RunOptions& options_;
  MechanicalSystem& system_;
  Stepper& stepper_;
  ChannelReader reader_;
  EventFinder events_;
  Adviser adviser_;
  std::vector<double> times_;
  std::size_t next_record_ = 0;
  double jump_ = 0, last_recorded_ = -1, guard_ = 1;
  bool done_ = false;
  Eigen::VectorXd dense_, dense_rates_;
  SpeedSplit split_;
  Checkpoint checkpoint_;
  RunSummary summary_;
};

template <class Stepper>
RunSummary run_with(const Experiment& experiment, const RunOptions& options,
                    MechanicalSystem& system, Stepper& stepper) {
  return Runner<Stepper>(experiment, options, system, stepper).run();
}

template <class Tableau>
RunSummary run_adaptive(const Experiment& e, const RunOptions& options, MechanicalSystem& system) {
  RungeKutta<Tableau, MechanicalSystem> stepper(system, system.size(), e.integrator.tolerances,
                                                e.integrator.largest_step);
  return run_with(e, options, system, stepper);
}

RunSummary run_sundials(const Experiment& e, const RunOptions& options, MechanicalSystem& system) {
#if defined(ULNA_WITH_SUNDIALS)
  if (e.integrator.method == IntegratorMethod::ida) {
    IdaStepper stepper(system, e.integrator);
    return run_with(e, options, system, stepper);
  }
  SundialsStepper stepper(system, e.integrator.method, e.integrator);
  return run_with(e, options, system, stepper);
#else
  (void)options, (void)system;
  throw InputError(fmt::format("this build has no {}", name_of(e.integrator.method)),
                   "a library built with SUNDIALS");
#endif
}

}  // namespace

std::vector<Channel> channels_of(const Experiment& experiment) {
  std::vector<Channel> list;
  const std::vector<std::string>& names = experiment.record.channels;
  for (const std::string& name : names.empty() ? default_channels() : names)
    for (Channel& channel : channels_named(*experiment.model, name))
      list.push_back(std::move(channel));
  return list;
}

std::vector<double> record_times(const Experiment& experiment) {
  const double interval =
      experiment.record.interval > 0 ? experiment.record.interval : experiment.end / 100;
  std::vector<double> times;
  for (long k = 0;; ++k) {
    const double t = static_cast<double>(k) * interval;
    if (t > experiment.end || same_time(t, experiment.end)) break;
    times.push_back(t);
  }
  times.push_back(experiment.end);
  return times;
}

RunSummary simulate(const Experiment& experiment, const RunOptions& options) {
  check(experiment);
  MechanicalSystem system(experiment);
  const IntegratorMethod method = method_for(experiment);
  RunSummary summary = [&] {
    switch (method) {
      case IntegratorMethod::dop853:
        return run_adaptive<Dop853>(experiment, options, system);
      case IntegratorMethod::rk4:
      case IntegratorMethod::semi_implicit: {
        FixedStepper stepper(system, method, experiment.integrator.step);
        return run_with(experiment, options, system, stepper);
      }
      case IntegratorMethod::sundials_erk:
      case IntegratorMethod::sundials_bdf:
      case IntegratorMethod::ida:
        return run_sundials(experiment, options, system);
      default:
        return run_adaptive<DormandPrince>(experiment, options, system);
    }
  }();
  summary.method = method;
  return summary;
}

Run simulate(const Experiment& experiment, std::stop_token stop) {
  Run run;
  if (!experiment.model) throw InputError("the experiment has no robot");
  std::vector<double> values;
  RunOptions options;
  options.stop = std::move(stop);
  options.record = [&](double t, std::span<const double> row) {
    run.t.push_back(t);
    values.insert(values.end(), row.begin(), row.end());
  };
  run.summary = simulate(experiment, options);
  run.channels = channels_of(experiment);
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  run.values = Eigen::Map<const Rows>(values.data(), static_cast<long>(run.t.size()),
                                      static_cast<long>(run.channels.size()));
  return run;
}

Eigen::VectorXd Run::column(const std::string& name) const {
  std::vector<std::string> known;
  for (std::size_t k = 0; k < channels.size(); ++k) {
    if (channels[k].name == name) return values.col(static_cast<long>(k));
    known.push_back(channels[k].name);
  }
  throw InputError(fmt::format("channel '{}' was not recorded", name), {},
                   nearest_name_hint(name, known));
}

}  // namespace ulna
