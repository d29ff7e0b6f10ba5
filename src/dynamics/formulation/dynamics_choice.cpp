#include "ulna/dynamics/internal/dynamics_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ulna/model/internal/requirements.hpp"

namespace ulna {
namespace {

constexpr LoopMethod closings[] = {LoopMethod::multipliers, LoopMethod::embedding};

const LoopMethod* closing_named(const std::string& name) {
  const auto* found = std::ranges::find(closings, name, [](LoopMethod m) { return name_of(m); });
  return found == std::end(closings) ? nullptr : found;
}

}  // namespace

bool choose_method(const Model& model, Question question, const std::string& name,
                   DynamicsOptions& options, const char* argument) {
  if (name == "automatic") return false;
  if (!model.is_tree() && name == "loops") return false;  // as earlier versions called all of them
  if (!model.is_tree() && closing_named(name)) {
    options.closing = *closing_named(name);
    return true;
  }
  options.method = formulation_for(name, model, question, argument).name;
  return false;
}

void choose_closing(const Model& model, const std::string& name, DynamicsOptions& options,
                    const char* argument) {
  const LoopMethod* closing = closing_named(name);
  if (!closing) refuse_word(argument, name, {name_of(closings[0]), name_of(closings[1])});
  require_loops(model, argument);
  options.closing = *closing;
}

ElasticLevel elastic_level_named(const std::string& name, const char* argument) {
  const std::optional<ElasticLevel> level = elastic_level_from_name(name);
  if (!level) refuse_word(argument, name, elastic_level_names());
  return *level;
}

void choose_level(const Model& model, const std::string& name, DynamicsOptions& options,
                  const char* argument) {
  options.level = elastic_level_named(name, argument);
  require_flexible(model, argument);
}

Eigen::VectorXd holding_efforts(const Model& model, const VectorRef& q, const VectorRef& v,
                                const std::vector<int>& independent) {
  const EquationsOfMotion terms = Dynamics(model).equations(q, v, independent);
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(model.speeds());
  tau(terms.speeds) = terms.coriolis + terms.gravity + terms.passive;
  return tau;
}

}  // namespace ulna
