// Rods and couplings.

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>

#include "check/findings.hpp"
#include "ulna/model/joints/joint_traits.hpp"

namespace ulna {
namespace {

void check_rod(Findings& found, const ConstraintData& rod, const std::string& element) {
  found.require_bodies(rod.mark, element, rod.parent, rod.child);
  if (!rod.parent_point.allFinite() || !rod.child_point.allFinite())
    found.say(rod.mark, element, "a point has an entry that is not a finite number",
              "finite numbers");
  if (!std::isfinite(rod.length) || !(rod.length > 0))
    found.say(rod.mark, element, fmt::format("length {}", rod.length), "a length above zero",
              "a spherical joint holds two points together");
}

bool is_linear(const ConstraintData& coupling) {
  return std::all_of(coupling.terms.begin(), coupling.terms.end(),
                     [](const ConstraintData::Term& term) { return term.higher.empty(); });
}

void check_polynomial(Findings& found, const ConstraintData& coupling, const std::string& element,
                      const ConstraintData::Term& term) {
  std::vector<double> all = term.higher;
  all.push_back(term.factor);
  if (!std::all_of(all.begin(), all.end(), [](double c) { return std::isfinite(c); }))
    found.say(coupling.mark, element,
              fmt::format("the polynomial of joint '{}' has a coefficient that is not a finite "
                          "number",
                          term.joint),
              "finite numbers");
  else if (std::all_of(all.begin(), all.end(), [](double c) { return c == 0; }))
    found.say(coupling.mark, element,
              fmt::format("the polynomial of joint '{}' is zero", term.joint),
              "a coefficient other than zero");
}

void check_coupling(Findings& found, const ConstraintData& coupling, const std::string& element) {
  if (coupling.terms.empty())
    found.say(coupling.mark, element, "couples no joint", "a factor for each of its joints");
  if (!std::isfinite(coupling.offset))
    found.say(coupling.mark, element, "the offset is not a finite number", "a finite number");
  for (const ConstraintData::Term& term : coupling.terms) {
    const auto joint = found.joints.find(term.joint);
    if (joint == found.joints.end()) {
      found.say_reference(coupling.mark, element, fmt::format("there is no joint '{}'", term.joint),
                          "the name of a joint", found.hint(term.joint, found.joint_names));
      continue;
    }
    const JointTraits& traits = traits_of(joint->second->type);
    const int speeds = static_cast<int>(traits.speeds.size());
    const bool exists = term.degree >= 0 && term.degree < speeds;
    if (speeds > 0 && !exists && !traits.has_quaternion())
      found.say_reference(
          coupling.mark, element,
          fmt::format("joint '{}' has no degree of freedom number {}", term.joint, term.degree),
          fmt::format("0 .. {}", speeds - 1));
    else if (!exists || traits.coordinate_of_speed(term.degree) < 0)
      found.say_reference(coupling.mark, element,
                          fmt::format("joint '{}' is {}", term.joint, traits.name),
                          "joints with axes");
    if (!term.higher.empty())
      check_polynomial(found, coupling, element, term);
    else if (!std::isfinite(term.factor) || term.factor == 0)
      found.say(coupling.mark, element,
                fmt::format("the factor of joint '{}' is {}", term.joint, term.factor),
                "a number other than zero");
  }
}

/// Terms of one joint that cancel each other leave nothing to couple: j - j = 0.
void check_terms_stay(Findings& found, const ConstraintData& coupling, const std::string& element) {
  if (!is_linear(coupling)) return;
  std::map<std::pair<std::string, int>, double> sums;
  double largest = 0;
  for (const ConstraintData::Term& term : coupling.terms) {
    sums[{term.joint, term.degree}] += term.factor;
    largest = std::max(largest, std::abs(term.factor));
  }
  if (coupling.terms.empty() || !(largest > 0)) return;  // said already
  for (const auto& [joint, sum] : sums)
    if (!(std::abs(sum) <= 1e-12 * largest)) return;
  found.say(coupling.mark, element, "the factors of its joints cancel, so that it couples nothing",
            "a factor other than zero for at least one joint");
}

/// Whether linear couplings contradict each other needs no robot. Row by row, each is reduced by
/// those before it; one that vanishes must leave no offset.
void check_couplings_agree(Findings& found) {
  std::map<std::pair<std::string, int>, int> column;
  std::vector<Eigen::VectorXd> rows;
  std::vector<int> pivots;
  std::vector<const ConstraintData*> couplings;
  for (const ConstraintData& constraint : found.robot.constraints)
    if (constraint.type == ConstraintData::Type::coupling && is_linear(constraint)) {
      couplings.push_back(&constraint);
      for (const auto& term : constraint.terms)
        column.emplace(std::pair(term.joint, term.degree), static_cast<int>(column.size()));
    }
  const int n = static_cast<int>(column.size());
  for (const ConstraintData* coupling : couplings) {
    Eigen::VectorXd row = Eigen::VectorXd::Zero(n + 1);
    for (const auto& term : coupling->terms)
      row(column.at({term.joint, term.degree})) += term.factor;
    row(n) = coupling->offset;
    if (!row.allFinite()) return;  // said already
    const double size = row.cwiseAbs().maxCoeff();
    for (std::size_t k = 0; k < rows.size(); ++k) row -= row(pivots[k]) * rows[k];
    int pivot = 0;
    const double left = n == 0 ? 0 : row.head(n).cwiseAbs().maxCoeff(&pivot);
    if (left > 1e-12 * size) {
      rows.push_back(row / row(pivot));
      pivots.push_back(pivot);
    } else if (std::abs(row(n)) > 1e-9 * size) {
      found.say(coupling->mark, fmt::format("coupling '{}'", coupling->name),
                fmt::format("contradicts the couplings before it by {:.3g}", std::abs(row(n))),
                "couplings that can hold together");
    }
  }
}

}  // namespace

void check_constraints(Findings& found) {
  for (const ConstraintData& constraint : found.robot.constraints) {
    const std::string element = fmt::format("{} '{}'", name_of(constraint.type), constraint.name);
    if (constraint.type == ConstraintData::Type::distance)
      check_rod(found, constraint, element);
    else
      check_coupling(found, constraint, element), check_terms_stay(found, constraint, element);
  }
  if (found.references_hold) check_couplings_agree(found);
}

}  // namespace ulna
