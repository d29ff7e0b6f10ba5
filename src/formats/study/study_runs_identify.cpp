#include <cmath>

#include "study/study_results.hpp"
#include "study/study_run_kinds.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/model/model.hpp"

namespace ulna {
namespace {

/// The motion is chosen once, for the robot without changes.
Recording exciting_motion(const Model& model, const RegressorTerms& terms,
                          const BaseParameters& base, const ExcitationOptions& options) {
  TorqueRegressor regressor(model, terms);
  return excitation(regressor, base, options);
}

BaseParameters base_of(const Model& model, const RegressorTerms& terms) {
  model.require_tree("identification");
  model.require_rigid("identification");
  TorqueRegressor regressor(model, terms);
  return base_parameters_by_rank(regressor);
}

/// Normal numbers from the sample, the record and the speed: the same for any number of threads.
double noise_of(std::uint64_t seed, long sample, long record, long speed) {
  const auto k = static_cast<std::uint64_t>(sample);
  const auto r = philox({static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k >> 32),
                         static_cast<std::uint32_t>(record), static_cast<std::uint32_t>(speed)},
                        {static_cast<std::uint32_t>(seed), 0x1de47u});
  return normal_quantile((double(r[0]) + 0.5) / 4294967296.0);
}

}  // namespace

IdentifyRun::IdentifyRun(std::shared_ptr<const Model> model, RegressorTerms asked,
                         const ExcitationOptions& options)
    : nominal(std::move(model)),
      terms(asked),
      base(base_of(*nominal, terms)),
      motion(exciting_motion(*nominal, terms, base, options)) {
  const TorqueRegressor regressor(*nominal, terms);
  for (const int column : base.kept)
    names.push_back(regressor.names()[static_cast<std::size_t>(column)]);
}

void run_identify_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  const IdentifyRun& asked = *run.identify;
  const Model& model = *task.model;
  if (model.speeds() != asked.nominal->speeds())
    throw InputError("the robot of the sample has other speeds than the one to be identified");
  Recording recorded = asked.motion;
  const long samples = recorded.samples();
  recorded.tau.resize(model.speeds(), samples);
  Workspace work(model);
  for (long k = 0; k < samples; ++k) {
    recorded.tau.col(k) =
        inverse_dynamics(model, work, recorded.q.col(k), recorded.v.col(k), recorded.a.col(k));
    if (asked.noise > 0)
      for (long i = 0; i < recorded.tau.rows(); ++i)
        recorded.tau(i, k) += asked.noise * noise_of(asked.seed, task.sample, k, i);
  }
  task.check_time();
  TorqueRegressor regressor(*asked.nominal, asked.terms);
  const Identification found = identify(regressor, asked.base, recorded);
  const Eigen::VectorXd before = asked.base.combination * regressor.parameters();
  const Eigen::VectorXd truth =
      asked.base.combination * TorqueRegressor(model, asked.terms).parameters();
  const Eigen::VectorXd deviations = found.deviations();
  auto& n = results.numbers;
  for (std::size_t k = 0; k < asked.names.size(); ++k) {
    const auto at = static_cast<long>(k);
    n[run.result("estimate." + asked.names[k])] = found.estimate(at);
    n[run.result("deviation." + asked.names[k])] = deviations(at);
    n[run.result("true." + asked.names[k])] = truth(at);
  }
  n[run.result("identify.condition")] = found.condition;
  n[run.result("identify.error")] = (found.estimate - truth).norm() / truth.norm();
  n[run.result("identify.change")] = (truth - before).norm() / before.norm();
  n[run.result("identify.noise")] =
      std::sqrt(found.noise.squaredNorm() / double(found.noise.size()));
}

}  // namespace ulna
