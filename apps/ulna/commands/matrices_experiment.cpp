#include "commands/matrices_experiment.hpp"

namespace ulna::cli::matrices_experiment_detail {
namespace {

/// Bodies that something may push: wrenches, contacts, rolling.
std::vector<int> loaded_bodies(const Experiment& e) {
  std::vector<char> loaded(e.model->bodies().size(), 0);
  for (const AppliedWrench& w : e.wrenches) loaded[static_cast<std::size_t>(w.body)] = 1;
  if (!e.contacts.empty() || !e.nonholonomic.empty()) loaded.assign(loaded.size(), 1);
  std::vector<int> bodies;
  for (std::size_t b = 1; b < loaded.size(); ++b)
    if (loaded[b]) bodies.push_back(static_cast<int>(b));
  return bodies;
}

std::vector<int> prescribed_speeds(const Experiment& e) {
  std::vector<int> speeds;
  for (std::size_t j = 0; j < e.drives.size(); ++j) {
    const Joint& joint = e.model->joints()[j];
    const bool follows =
        e.drives[j].kind == DriveKind::motion || e.drives[j].kind == DriveKind::locked;
    for (int k = 0; k < joint.speeds && follows; ++k) speeds.push_back(joint.v + k);
  }
  return speeds;
}

}  // namespace
}  // namespace ulna::cli::matrices_experiment_detail

namespace ulna::cli {

RecordedMotion recorded_motion(const ExperimentOptions& options) {
  ReadExperiment read = load(options, Question::inverse);
  check(read.experiment);
  read.experiment = inverse_of(read.experiment);
  const Model& model = *read.experiment.model;
  RecordedMotion motion;
  motion.experiment = read.experiment;
  motion.motors = matrices_experiment_detail::prescribed_speeds(read.experiment);
  const std::vector<int> loaded = matrices_experiment_detail::loaded_bodies(read.experiment);
  read.experiment.record.channels = {"q", "v", "a"};
  for (const int body : loaded)
    read.experiment.record.channels.push_back("external." + model.bodies()[body].name);
  const long nq = model.coordinates(), nv = model.speeds();
  run_experiment(read, options, [&](double t, std::span<const double> row) {
    const Eigen::Map<const Eigen::VectorXd> all(row.data(), static_cast<long>(row.size()));
    RecordedState state{
        t, model.normalized(all.head(nq)), all.segment(nq, nv), all.segment(nq + nv, nv), {}};
    for (std::size_t k = 0; k < loaded.size(); ++k) {
      const long first = nq + 2 * nv + 6 * static_cast<long>(k);
      state.wrenches.push_back(
          {.body = loaded[k], .force = all.segment<3>(first), .moment = all.segment<3>(first + 3)});
    }
    motion.states.push_back(std::move(state));
  });
  return motion;
}

}  // namespace ulna::cli
