#include "run/adviser.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ulna/dynamics/internal/deflection.hpp"
#include "ulna/dynamics/internal/elastic_modes.hpp"
#include "ulna/dynamics/internal/exact_level.hpp"
#include "ulna/elastic/modal_body.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

Eigen::VectorXd start_of(const Experiment& e) {
  if (e.q.size() > 0) return e.q;
  Reference reference(e);
  reference.update(0);
  return reference.q;
}

double smallest_singular_value(const Eigen::MatrixXd& M) {
  return dense::singular_values(M).minCoeff();
}

Eigen::VectorXd locked_frequencies(const Model& model, const Eigen::VectorXd& q) {
  ModesQuery query;
  query.q = q;
  query.q.tail(model.modes()).setZero();
  query.all_locked = true;
  return elastic_modes(model, query).frequencies;
}

}  // namespace

Adviser::Adviser(const Experiment& experiment)
    : model_(*experiment.model), level_(experiment.elastic) {
  // Elements need no advice on modes, and what stiffens or buckles them is in their strains.
  if (model_.modes() == 0 || has_exact_links(model_)) return;
  const Eigen::VectorXd frequencies = locked_frequencies(model_, start_of(experiment));
  if (frequencies.size() > 0) first_ = frequencies(0);
  compare_modes(experiment);
  if (level_ == ElasticLevel::exact) return;
  ElasticEquations equations(model_, level_);
  equations.update(start_of(experiment), Eigen::VectorXd::Zero(model_.speeds()));
  weakest_ = smallest_singular_value(equations.M());
}

std::string Adviser::explained(std::string message, const MechanicalSystem& system) const {
  if (level_ == ElasticLevel::exact) return message;
  // Truncated equations fail by their own making: another integrator does not help.
  const std::size_t hint = message.find(" (for stiff systems");
  if (hint != std::string::npos) message.erase(hint, message.find(')', hint) + 1 - hint);
  if (!system.q.allFinite() || !system.v.allFinite()) return message;
  ElasticEquations equations(model_, level_);
  equations.update(system.q, system.v);
  const double now = smallest_singular_value(equations.M());
  if (!(now < 0.1 * weakest_)) return message;
  return fmt::format(
      "{}. The mass matrix of level {} is nearly singular there: its smallest "
      "singular value is {:.3g}, {:.3g} at the start. {}",
      message, name_of(level_), now, weakest_, singular_values(system));
}

void Adviser::say(const std::string& key, std::string note) {
  if (said_.insert(key).second) notes.push_back(std::move(note));
}

/// Two more modes in every bending plane: what do they change?
void Adviser::compare_modes(const Experiment& experiment) {
  try {
    const Model finer(with_more_modes(model_.robot(), 2));
    Eigen::VectorXd q = finer.neutral();
    q.head(model_.joint_coordinates()) = start_of(experiment).head(model_.joint_coordinates());
    const Eigen::VectorXd now = locked_frequencies(model_, start_of(experiment)),
                          then = locked_frequencies(finer, q);
    for (int k = 0; k < std::min<long>(2, now.size()); ++k)
      if (std::abs(now(k) - then(k)) > 0.03 * std::abs(then(k)))
        say("modes",
            fmt::format("frequency {} with locked joints is {:.4g} rad/s, {:.4g} with two more "
                        "modes in each bending plane: {:.1f} % less; take more modes, or the "
                        "family finite-element or clamped-tip-body",
                        k + 1, now(k), then(k), 100 * (1 - then(k) / now(k))));
  } catch (const InputError&) {
    // More modes than the elements carry, or a robot changed by hand: no advice then.
  } catch (const ComputationError&) {
    // Loops that do not close from here with other modes.
  }
}

void Adviser::look(const MechanicalSystem& system) {
  look_at_deflections(system);
  look_at_rates(system);
  look_at_stability(system);
}

bool Adviser::diverged(const MechanicalSystem& system) {
  for (std::size_t k = 0; k < model_.flexible_links().size(); ++k) {
    const FlexibleLink& link = model_.flexible_links()[k];
    const Vector6<double> d = end_deflection(model_, static_cast<int>(k), system.q);
    const double share = std::hypot(d(1), d(2)) / link.modal->length;
    if (share < 2) continue;
    reason = fmt::format("diverged: the end of body '{}' has left its axis by {:.3g} lengths",
                         model_.bodies()[link.body].name, share);
    return true;
  }
  return false;
}

void Adviser::look_at_deflections(const MechanicalSystem& system) {
  for (std::size_t k = 0; k < model_.flexible_links().size(); ++k) {
    const FlexibleLink& link = model_.flexible_links()[k];
    const std::string& body = model_.bodies()[link.body].name;
    const Vector6<double> d = end_deflection(model_, static_cast<int>(k), system.q);
    const double share = std::hypot(d(1), d(2)) / link.modal->length;
    if (share > 0.1 && !has_exact_links(model_))
      say("deflection " + body,
          fmt::format("t = {:.4g} s: body '{}' deflects by {:.1f} % of its length; beam theory to "
                      "second order is good to about 10 %",
                      system.t, body, 100 * share));
  }
}

/// What the mass matrix looks like there: its singular values, and the direction of the smallest.
std::string Adviser::singular_values(const MechanicalSystem& system) const {
  ElasticEquations equations(model_, level_);
  equations.update(system.q, system.v);
  const dense::Svd svd = dense::svd(equations.M(), dense::SvdParts::full);
  std::string values, direction;
  for (const double x : svd.values)
    values += fmt::format("{}{:.4g}", values.empty() ? "" : ", ", x);
  const Eigen::VectorXd weakest = svd.V.col(model_.speeds() - 1);
  for (int k = 0; k < model_.speeds(); ++k)
    if (std::abs(weakest(k)) > 0.05)
      direction += fmt::format("{}{:.3f} {}", direction.empty() ? "" : ", ", weakest(k),
                               model_.speed_names()[k]);
  return fmt::format("Singular values {}; the smallest along {}", values, direction);
}

void Adviser::look_at_rates(const MechanicalSystem& system) {
  if (level_ == ElasticLevel::exact || !(first_ > 0)) return;
  if (system.constraints().definiteness() < 0 && !said_.count("definite"))
    say("definite", fmt::format("t = {:.4g} s: the mass matrix of level {} is no longer positive "
                                "definite; its solutions are meaningless from here on. {}",
                                system.t, name_of(level_), singular_values(system)));
  // The consistent level has the stiffening that rates bring: only deflections limit it.
  if (level_ == ElasticLevel::consistent) return;
  const std::vector<std::string>& names = model_.speed_names();
  for (const Joint& joint : model_.joints())
    for (int k = 0; k < joint.speeds; ++k) {
      const double rate = std::abs(system.v(joint.v + k));
      if (model_.speed_dimensions()[joint.v + k] != Dimension::angle || rate <= 0.1 * first_)
        continue;
      say("rate", fmt::format("t = {:.4g} s: {} turns at {:.3g} rad/s, {:.0f} % of the first "
                              "frequency with locked joints ({:.3g} rad/s); level {} is made for "
                              "less than 10 %",
                              system.t, names[joint.v + k], rate, 100 * rate / first_, first_,
                              name_of(level_)));
    }
}

void Adviser::look_at_stability(const MechanicalSystem& system) {
  if (!(first_ > 0)) return;
  double now = 0;
  try {
    now = lowest_dynamic_stiffness(model_, system.q, system.v, system.a, ElasticLevel::exact);
  } catch (const ComputationError&) {
    return;  // loops at a singular posture
  }
  if (now >= 0.2 * first_ * first_ || said_.count("stability")) return;
  ModesQuery query;
  query.q = system.q, query.v = system.v, query.a = system.a, query.all_locked = true;
  const ElasticModes modes = elastic_modes(model_, query);
  // Beyond its critical speed a shaft has no static stiffness left, and runs: the poles decide.
  if (modes.from_poles && now < 0 && growth_rate(modes) == 0) return;
  say("stability",
      fmt::format("t = {:.4g} s: the static stiffness left of the softest mode is {:.0f} % of that "
                  "at rest: {}",
                  system.t, 100 * now / (first_ * first_),
                  modes.from_poles ? "a body turns near its critical speed"
                                   : "the motion nearly buckles a body"));
}

IntegratorMethod method_for(const Experiment& e) {
  if (e.integrator.method != IntegratorMethod::automatic || e.model->modes() == 0 ||
      e.integrator.tolerances.relative < 1e-9 || e.record.interpolate ||
      !is_available(IntegratorMethod::sundials_bdf))
    return method_for(e.integrator);
  ModesQuery query;
  query.q = start_of(e);
  query.q.tail(e.model->modes()).setZero();
  const ElasticModes modes = elastic_modes(*e.model, query);
  const double fastest = modes.frequencies.size() > 0 ? modes.frequencies.maxCoeff() : 0;
  return fastest * e.end / 3 > 3e5 ? IntegratorMethod::sundials_bdf : method_for(e.integrator);
}

}  // namespace ulna
