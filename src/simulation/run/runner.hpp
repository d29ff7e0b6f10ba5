#pragma once
// One run: where steps end, what happens at jumps and events.
// docs/theory/simulation.md.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "integrators/event_finder.hpp"
#include "integrators/stepper.hpp"
#include "run/event_actions.hpp"
#include "run/failure_reasons.hpp"
#include "run/progress_guard.hpp"
#include "run/run_recorder.hpp"
#include "run/times.hpp"
#include "sensors/sensor_bank.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {

class Runner {
 public:
  Runner(const Experiment& experiment, const RunOptions& options, MechanicalSystem& system,
         Stepper& stepper, PhaseLink& link)
      : e_(experiment),
        options_(options),
        system_(system),
        stepper_(stepper),
        link_(link),
        recorder_(experiment, options, system),
        log_(experiment),
        events_(experiment, system, log_),
        sensed_(system, channels_of_sensors(experiment)),
        times_(record_times(experiment)),
        progress_(experiment.end, experiment.integrator.most_steps),
        dense_(system.size()) {}

  RunSummary run() {
    begin_or_resume();
    advance_to(std::numeric_limits<double>::infinity());
    return finish();
  }

  // ---- in pieces (stepping.hpp) -----------------------------------------------------------------
  /// Begins without any records of its own.
  void begin_in_pieces() {
    times_.clear();
    begin_or_resume();
  }
  /// Goes on until `pause`, or until the run ends or an event changes its system. What is due at
  /// that very time, a sample or an event, is done when the run goes on.
  void advance_to(double pause) {
    pause_ = pause;
    try {
      for (;;) {
        if (std::exchange(arrived_, false)) pass_instant();
        if (done_ || at_pause()) return;
        advance();
        if (done_ || at_pause()) return;
      }
    } catch (const ComputationError& error) {
      // Where the step that failed began: its trials may have led anywhere.
      const double reached = std::min(stepper_.t(), stepper_.previous_t());
      if (stepper_.previous_y()) system_.expand(reached, stepper_.previous_y());
      explain_failure(error, e_, system_, reached);
      throw;
    }
  }
  /// What is given from outside has changed: the rates jump.
  void renew() {
    if (std::exchange(arrived_, false)) pass_instant();
    if (done_) return;
    system_.has_contact_states() ? choose_contact_states() : stepper_.restart();
  }
  bool done() const { return done_; }
  RunSummary finish() {
    note_jumps();
    note_stiffness();
    return recorder_.finish(stepper_.t(), stepper_.y(), stepper_.statistics);
  }
  const Checkpoint& checkpoint() {
    return recorder_.checkpoint(stepper_.t(), stepper_.y(), stepper_.memory(), stepper_.statistics);
  }

 private:
  void begin_or_resume() {
    Eigen::VectorXd y = system_.start();
    double t = 0;
    if (const Checkpoint* from = options_.resume) {
      require_usable(*from, e_, system_, times_, stepper_.keeps_history());
      y = from->y;
      t = from->t;
      system_.set_memory(from->controllers);
      go_on_from(*from);
    } else if (link_.begins) {
      t = link_.at.t;
      y.segment(system_.layout.first_z, link_.z.size()) = link_.z;
      y.segment<3>(system_.layout.first_work) = link_.works;
      system_.set_memory(link_.at.controllers);
      // What the change did to the energy is no error of the balance.
      link_.at.start_energy += energy_of(system_.model(), system_.q, system_.v) - link_.energy;
      go_on_from(link_.at);
    }
    // A record at a jump is taken before it: what is due there is still to be done.
    system_.controls.set_segment(system_.controls.last_breakpoint(t), next_jump(t));
    sample(t, y.data());
    const double last = begins_phase() ? t : system_.controls.last_breakpoint(t);
    if (options_.resume && t > 0 && same_time(last, t))
      pass_jump(t, y.data());
    else
      system_.controls.set_segment(same_time(last, t) ? t : last, next_jump(t));
    if (system_.has_contact_states()) {
      system_.choose_contact_states(t, y.data());
      guard_ = system_.guard(t, y.data());
    }
    stepper_.start(t, y.data(), e_.integrator.fixed_step() ? 0 : e_.integrator.step);
    if (options_.resume) stepper_.set_memory(options_.resume->step);
    events_.start(t, stepper_.y());
    recorder_.look_at_loops(t, stepper_.y());
    if (!options_.resume && !link_.begins) record_due(true);
    pass_changes();
    pass_due_events();
    if (t >= e_.end) end(true, "end time");
  }

  /// What a run had come to when it was left.
  void go_on_from(const Checkpoint& from) {
    stepper_.statistics = from.statistics;
    while (next_record_ < times_.size() &&
           (times_[next_record_] < from.t || same_time(times_[next_record_], from.t)))
      ++next_record_;
    recorder_.restore(from);
    log_.restore(from.events);
  }

  /// The run goes on from the phase before, not from a checkpoint.
  bool begins_phase() const { return link_.begins && !options_.resume; }

  bool at_pause() const { return stepper_.t() >= pause_ - time_rounding(stepper_.t()); }

  double next_jump(double t) const {
    return std::min({system_.controls.next_breakpoint(t), log_.next_due(), e_.end});
  }

  double next_stop() const {
    double stop = std::min(jump_, pause_);
    if (!e_.record.interpolate && next_record_ < times_.size())
      stop = std::min(stop, times_[next_record_]);
    return stop;
  }

  /// False when the run has ended in it: the truncated equations of a flexible robot may diverge,
  /// and what was recorded until then is the result.
  bool step() {
    try {
      take_step();
    } catch (const ComputationError& error) {
      if (!recorder_.adviser.may_diverge()) throw;
      end(false, recorder_.adviser.explained(error.what(), system_));
      return false;
    }
    if (!recorder_.adviser.diverged(system_)) return true;
    end(false, recorder_.adviser.reason);
    return false;
  }

  /// Where a step fails because friction jams, the slip ends in an impact and the run goes on.
  void take_step() {
    try {
      return stepper_.step(next_stop());
    } catch (const ComputationError&) {
      if (!stepper_.previous_y()) throw;
      const double t = stepper_.previous_t();
      Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(stepper_.previous_y(), dense_.size());
      if (!system_.contacts().leave_jam(t, y.data())) throw;
      stepper_.start(t, y.data());
      guard_ = system_.guard(t, y.data());
      chatters();
    }
    if (!done_) stepper_.step(next_stop());
  }

  void advance() {
    interruption_point();
    if (options_.stop.stop_requested()) return end(false, "interrupted");
    if (stepper_.statistics.steps >= e_.integrator.most_steps)
      throw ComputationError(fmt::format("{} steps were not enough: at t = {:.9g} s of {:.9g} s",
                                         e_.integrator.most_steps, stepper_.t(), e_.end));
    jump_ = next_jump(stepper_.t());
    if (!step()) return;
    if (const std::string slow = progress_.step_to(
            stepper_.t(), stepper_.statistics.steps + stepper_.statistics.rejected);
        !slow.empty())
      throw ComputationError(slow);
    ended_ = contact_state_ended();
    event_ = events_.locate(stepper_);
    record_interpolated();
    arrived_ = true;
  }

  /// What happens where the last step ended.
  void pass_instant() {
    std::optional<EventNote> event = std::exchange(event_, std::nullopt);
    if (same_time(stepper_.t(), jump_) && !same_time(jump_, e_.end))
      cross(!event);
    else if (ended_ && !chatters())
      choose_contact_states(true);
    const std::optional<EventNote> jumped = std::exchange(jumped_, std::nullopt);
    if (!event) event = jumped;
    record_due(!event);
    if (event) {
      stepper_.restart();
      happen(events_.last());
      pass_crossings();
    }
    pass_due_events();
    if (done_) return;
    if (same_time(stepper_.t(), e_.end)) end(true, "end time");
    if (options_.progress) options_.progress(stepper_.t());
  }

  /// What the change between two phases did to channels: a contact that opens, say.
  void pass_changes() {
    if (!begins_phase()) return;
    events_.go_on_from(link_.levels);
    pass_crossings();
  }

  /// Other events at this instant, until one of them changes the system; the next phase has the
  /// rest.
  void pass_crossings() {
    while (!done_ && link_.actions.empty() && events_.jump(stepper_.t(), stepper_.y()))
      happen(events_.last());
  }

  /// Events whose time has come; one may bring another about.
  void pass_due_events() {
    constexpr std::size_t most = 1000;  // at one instant: then two of them call each other
    for (std::size_t round = 0; !done_ && link_.actions.empty(); ++round) {
      const std::size_t k = due_event();
      if (k == e_.events.size()) return;
      if (round == most)
        return end(false, fmt::format("events follow each other at t = {:.9g} s without end",
                                      stepper_.t()));
      happen(k);
    }
  }
  std::size_t due_event() const {
    for (std::size_t k = 0; k < e_.events.size(); ++k)
      if (const std::optional<double> time = log_.due(k);
          time && (*time <= stepper_.t() || same_time(*time, stepper_.t())))
        return k;
    return e_.events.size();
  }

  void happen(std::size_t k) {
    const Event& event = e_.events[k];
    recorder_.summary.events.push_back({event.name, stepper_.t()});
    log_.happened(k, stepper_.t());
    system_.evaluate(stepper_.t(), stepper_.y());
    bool stops = event.stops;
    const std::vector<EventAction> actions =
        actions_of(e_, event, stepper_.t(), system_.q, system_.v);
    for (const EventAction& action : actions) {
      if (action.kind == EventAction::Kind::stop) stops = true;
      if (changes_system(action)) link_.actions.push_back(action);
    }
    const bool records = std::any_of(actions.begin(), actions.end(), [](const EventAction& a) {
      return a.kind == EventAction::Kind::record;
    });
    if (stops || records) recorder_.take(stepper_.t(), stepper_.y());
    if (stops) {
      link_.actions.clear();
      return end(true, fmt::format("event '{}'", event.name));
    }
    if (!link_.actions.empty()) leave(event.name);
  }

  /// The phase ends here; the next one begins at this state.
  void leave(const std::string& event) {
    const double* y = stepper_.y();
    link_.event = event;
    link_.at = recorder_.checkpoint(stepper_.t(), y, stepper_.memory(), stepper_.statistics);
    system_.evaluate(stepper_.t(), y);
    link_.q = system_.raw_q;
    link_.v = system_.v;
    system_.controls.reference.update(system_.controls.inside(stepper_.t()));
    link_.q_ref = system_.controls.reference.q;
    link_.v_ref = system_.controls.reference.v;
    link_.z =
        Eigen::Map<const Eigen::VectorXd>(y + system_.layout.first_z, system_.controls.states());
    link_.works = system_.works(y);
    link_.levels = events_.seen();
    link_.at.phases.push_back({event, stepper_.t(), link_.q, link_.v, link_.q_ref, link_.v_ref});
    end(false, "event");
  }

  /// Sensors first: controllers see what they read.
  void sample(double t, const double* y) {
    SensorBank& sensors = system_.controls.sensors();
    if (sensors.due(t)) sensors.take(t, sensed_.read(t, y));
    sensors.release(t);
    system_.sample(t, y);
  }
  static std::vector<Channel> channels_of_sensors(const Experiment& experiment) {
    std::vector<Channel> list;
    for (const Sensor& sensor : experiment.sensors)
      for (const std::string& name : sensor.channels)
        list.push_back(channels_named(experiment, name).front());
    return list;
  }

  /// If the contact state of a joint or contact (sticking, slipping, at rest) ends within the step,
  /// ends it there.
  bool contact_state_ended() {
    if (!system_.has_contact_states()) return false;
    const auto guard = [&](double t, const double* y) { return system_.guard(t, y); };
    double after = guard(stepper_.t(), stepper_.y());
    if (after >= 0) after = look_back(after);
    const double before = std::max(guard_, 1e-300);
    guard_ = after;
    if (after >= 0) {
      system_.contacts().accept();
      return false;
    }
    stepper_.end_last_step_at(locate_zero(stepper_, guard, before, after));
    return true;
  }

  /// A contact that is open at both ends of the step may have been closed in between: then the step
  /// ends at its deepest place.
  double look_back(double after) {
    const double dip = system_.contacts().dip(stepper_.t() - stepper_.previous_t());
    if (!(dip > 1e-9)) return after;
    stepper_.end_last_step_at(stepper_.previous_t() + dip);
    after = system_.guard(stepper_.t(), stepper_.y());
    if (after >= 0) stepper_.restart();
    return after;
  }

  bool chatters() {
    const std::string endless = progress_.change_at(stepper_.t());
    if (endless.empty()) return false;
    end(false,
        fmt::format("{} of robot '{}' changes between stick, slip and impact {}, and would go on; "
                    "expected efforts that do not jump with the sign of a speed; try a sampled "
                    "controller, damping for friction, or a higher rest speed",
                    system_.contacts().busiest(), system_.model().name(), endless));
    return true;
  }

  /// `others`: a contact state has ended, and the equations with it.
  void choose_contact_states(bool others = false) {
    if (!system_.has_contact_states()) return;
    system_.choose_contact_states(stepper_.t(), stepper_.y());
    guard_ = system_.guard(stepper_.t(), stepper_.y());
    // Where friction changes, loops keep their step: with one chosen anew, a random mechanism with
    // friction stalled.
    const bool anew =
        others && (!system_.constraints().closes() || system_.contacts().passed_kink());
    anew ? stepper_.restart_with_other_equations() : stepper_.restart();
    jumped_ = events_.jump(stepper_.t(), stepper_.y());
  }

  /// Rates may jump here: controllers sample, and the next step begins anew.
  void cross(bool may_save) {
    record_due(may_save);  // from before the jump
    sample(stepper_.t(), stepper_.y());
    const bool jumps = pass_jump(stepper_.t(), stepper_.y());
    system_.has_contact_states() ? choose_contact_states() : stepper_.restart();
    if (jumps && !jumped_) jumped_ = events_.jump(stepper_.t(), stepper_.y());
  }

  bool pass_jump(double t, double* y) {
    if (!system_.pass_jump(t, next_jump(t), y)) return false;
    if (recorder_.jumps++ == 0) recorder_.first_jump = t;
    return true;
  }

  void note_jumps() {
    const long jumps = recorder_.jumps;
    if (jumps == 0) return;
    recorder_.adviser.notes.push_back(fmt::format(
        "rates of motions jump {} (at t = {:.9g} s{}): the drives give impulses there, whose work "
        "is counted but which no effort shows",
        jumps == 1 ? "once" : fmt::format("{} times", jumps), recorder_.first_jump,
        jumps == 1 ? "" : " first"));
  }

  void note_stiffness() {
    if (stepper_.stiff_from() >= 0)
      recorder_.adviser.notes.push_back(fmt::format(
          "the equations are stiff: radau5 took over at t = {:.4g} s", stepper_.stiff_from()));
  }

  /// `may_save`: nothing else happens at this instant that a checkpoint would have to hold.
  void record_due(bool may_save) {
    if (next_record_ >= times_.size()) return;
    const double due = times_[next_record_];
    if (due > stepper_.t() && !same_time(due, stepper_.t())) return;
    recorder_.take(stepper_.t(), stepper_.y());
    ++next_record_;
    if (stepper_.keeps_history() && !begins_anew()) return;
    if (!may_save) return;
    recorder_.save(stepper_.t(), stepper_.y(), stepper_.memory(), stepper_.statistics);
  }

  /// Methods that remember earlier steps cannot go on from a state alone: they begin anew at some
  /// twenty records of every run, interrupted or not, and can be resumed there.
  bool begins_anew() {
    const std::size_t every = (times_.size() + 19) / 20;
    if (next_record_ == times_.size()) return false;  // the end
    if (next_record_ != 1 && next_record_ % every != 0) return false;
    stepper_.restart();
    return true;
  }

  void record_interpolated() {
    if (!e_.record.interpolate) return;
    while (next_record_ < times_.size() && times_[next_record_] < stepper_.t() &&
           !same_time(times_[next_record_], stepper_.t())) {
      stepper_.interpolate(times_[next_record_], dense_.data());
      recorder_.take_between(times_[next_record_++], dense_.data());
    }
  }

  void end(bool complete, std::string reason) {
    done_ = true;
    recorder_.summary.complete = complete;
    recorder_.summary.reason = std::move(reason);
  }

  const Experiment& e_;
  const RunOptions& options_;
  MechanicalSystem& system_;
  Stepper& stepper_;
  PhaseLink& link_;
  RunRecorder recorder_;
  EventLog log_;
  EventFinder events_;
  ChannelReader sensed_;  ///< what the sensors look at
  std::vector<double> times_;
  std::size_t next_record_ = 0;
  ProgressGuard progress_;
  double jump_ = 0, guard_ = 1;
  double pause_ = std::numeric_limits<double>::infinity();
  bool done_ = false;
  bool arrived_ = false;  ///< the last step has ended, what happens there is still to be done
  bool ended_ = false;    ///< a contact state has, in the last step
  std::optional<EventNote> event_;   ///< in the last step
  std::optional<EventNote> jumped_;  ///< an event in the last change of contact states
  Eigen::VectorXd dense_;
};

}  // namespace ulna
