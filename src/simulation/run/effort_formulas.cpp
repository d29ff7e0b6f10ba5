#include "run/effort_formulas.hpp"

#include <fmt/format.h>

#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

Channel single_channel(const Experiment& experiment, const std::string& name) {
  const std::vector<Channel> found = channels_named(experiment, name);
  if (found.size() != 1)
    throw InputError(fmt::format("'{}' is a group of channels", name),
                     "a single one such as q.joint1 or energy.kinetic");
  return found.front();
}

}  // namespace

std::string why_no_effort_of(const Experiment& experiment, const std::string& channel) {
  return why_no_state_channel(single_channel(experiment, channel));
}

std::string why_no_feedback_of(const Experiment& experiment, const std::string& channel) {
  return why_no_effort_of(experiment, channel);
}

std::unique_ptr<EffortFormulas> EffortFormulas::of(const Experiment& experiment) {
  const Model& model = *experiment.model;
  std::vector<Item> items;
  std::vector<Channel> channels;
  for (std::size_t j = 0; j < experiment.drives.size(); ++j) {
    const auto& formulas = experiment.drives[j].effort_formulas;
    for (std::size_t k = 0; k < formulas.size(); ++k) {
      if (!formulas[k]) continue;
      items.push_back({model.joints()[j].v + static_cast<int>(k), formulas[k], channels.size()});
      for (const std::string& name : formulas[k]->variables())
        channels.push_back(single_channel(experiment, name));
    }
  }
  if (items.empty()) return nullptr;
  return std::unique_ptr<EffortFormulas>(
      new EffortFormulas(model, std::move(items), std::move(channels)));
}

void EffortFormulas::add(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                         const Reference& reference, const double* readings, Eigen::VectorXd& tau) {
  channels_.update(q, v, reference, readings);
  for (const Item& item : items_)
    tau(item.speed) += item.formula->value(t, channels_.values() + item.first);
}

}  // namespace ulna
