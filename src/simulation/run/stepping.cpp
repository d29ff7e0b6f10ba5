#include "ulna/simulation/stepping.hpp"

#include <fmt/format.h>

#include <utility>

#include "run/channel_reader.hpp"
#include "run/phase.hpp"
#include "run/times.hpp"

namespace ulna {

struct Stepping::Parts {
  ExperimentWithInputs given;
  std::vector<Channel> channels;
  Experiment now;  ///< of the present phase
  PhaseLink link;
  Checkpoint from;  ///< of the last restoration
  std::unique_ptr<Phase> phase;
  std::unique_ptr<ChannelReader> reader;
  bool changed = false;  ///< an input has, since the last step
  bool over = false;
  long phases = 1;
  std::string reason;

  void open(const CheckedExperiment& checked, const RunOptions& options) {
    reader.reset();  // it refers to the phase
    phase = make_phase(checked, options, link);
    phase->begin_in_pieces();
    const double energy = phase->checkpoint().start_energy;
    reader = std::make_unique<ChannelReader>(phase->system(), channels);
    if (options.resume || link.begins) reader->set_start_energy(energy);
    if (!options.resume && !link.begins) reader->read(phase->t(), phase->y());
  }

  /// An event changed what the run is about: the next phase begins where this one ended.
  void next_phase() {
    link.at.start_energy = reader->start_energy;
    now = after_actions(now, link);
    const Eigen::VectorXd memory = reader->frame_memory();
    open(CheckedExperiment::after_event(now), {});
    reader->set_frame_memory(memory);
    ++phases;
  }

  void require_begun() const {
    if (!phase) throw InputError("the run has not begun", "begin() first");
  }
};

Stepping::Stepping(ExperimentWithInputs experiment, const std::vector<std::string>& channels)
    : parts_(std::make_unique<Parts>()) {
  parts_->given = std::move(experiment);
  for (const std::string& name : channels)
    for (Channel& channel : channels_named(parts_->given.experiment, name))
      parts_->channels.push_back(std::move(channel));
}
Stepping::~Stepping() = default;
Stepping::Stepping(Stepping&&) noexcept = default;
Stepping& Stepping::operator=(Stepping&&) noexcept = default;

const std::vector<ExperimentInput>& Stepping::inputs() const { return parts_->given.inputs; }
const std::vector<Channel>& Stepping::channels() const { return parts_->channels; }

void Stepping::set(std::size_t input, double value) {
  if (input >= parts_->given.inputs.size())
    throw InputError(fmt::format("there is no input {}", input),
                     fmt::format("0 .. {}", parts_->given.inputs.size() - 1));
  parts_->given.inputs[input].set(value);
  parts_->changed = true;
}

void Stepping::begin() {
  Parts& p = *parts_;
  p.now = p.given.experiment;
  p.link = {};
  p.over = p.changed = false;
  p.phases = 1;
  p.open(CheckedExperiment(p.now), {});
}

double Stepping::t() const { return parts_->phase ? parts_->phase->t() : 0; }
bool Stepping::ended() const { return parts_->over; }
std::string Stepping::reason() const { return parts_->reason; }

void Stepping::advance(double t) {
  Parts& p = *parts_;
  p.require_begun();
  if (t < p.phase->t() && !same_time(t, p.phase->t()))
    throw InputError(fmt::format("the run is at {:.9g} s, past {:.9g} s", p.phase->t(), t),
                     "a time that is not over");
  if (t > p.now.end && !same_time(t, p.now.end))
    throw InputError(
        fmt::format("{:.9g} s lies beyond the end of the experiment, {:.9g} s", t, p.now.end),
        "a longer duration");
  while (!p.over) {
    if (std::exchange(p.changed, false)) p.phase->renew();
    p.phase->advance_to(t);
    if (!p.phase->done()) return;
    if (p.link.actions.empty()) {
      p.reason = p.phase->finish().reason;
      p.over = true;
    } else {
      p.next_phase();
    }
  }
}

std::span<const double> Stepping::outputs() {
  parts_->require_begun();
  return parts_->reader->read(parts_->phase->t(), parts_->phase->y());
}

std::span<const double> Stepping::state() const {
  parts_->require_begun();
  return {parts_->phase->y(), static_cast<std::size_t>(parts_->phase->system().size())};
}

void Stepping::rates(double* rates) {
  parts_->require_begun();
  parts_->phase->system().rates(parts_->phase->t(), parts_->phase->y(), rates);
}

Checkpoint Stepping::save() const {
  parts_->require_begun();
  if (parts_->phases > 1)
    throw InputError("an event has changed the run: its state cannot be kept",
                     "a run without such an event until now");
  Checkpoint checkpoint = parts_->phase->checkpoint();
  checkpoint.frames = parts_->reader->frame_memory();
  checkpoint.start_energy = parts_->reader->start_energy;
  return checkpoint;
}

void Stepping::restore(const Checkpoint& checkpoint) {
  Parts& p = *parts_;
  p.from = checkpoint;
  p.from.frames.resize(0);  // those of the run's own records: there are none
  p.now = p.given.experiment;
  p.link = {};
  p.over = p.changed = false;
  p.phases = 1;
  RunOptions options;
  options.resume = &p.from;
  p.open(CheckedExperiment(p.now), options);
  p.reader->set_frame_memory(checkpoint.frames);
}

}  // namespace ulna
