#include "options/state_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "output/terminal.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"
#include "ulna/kinematics/internal/named_efforts.hpp"
#include "ulna/kinematics/posture.hpp"
#include "ulna/model/internal/requirements.hpp"
#include "ulna/model/joints/joint_traits.hpp"

namespace ulna::cli {
namespace {

constexpr Dimension length = Dimension::length;

Dimension dimension_of(ulna::Dimension dimension) {
  return dimension == ulna::Dimension::angle    ? Dimension::angle
         : dimension == ulna::Dimension::length ? length
                                                : Dimension::number;
}

std::vector<Entry> entries_of(const std::vector<std::string>& names,
                              std::span<const ulna::Dimension> dimensions) {
  std::vector<Entry> list;
  for (std::size_t k = 0; k < names.size(); ++k)
    list.push_back({names[k], dimension_of(dimensions[k])});
  return list;
}

/// Appends what a closing joint has of its own.
void add_entries(std::vector<Entry>& list, const std::vector<std::string>& names,
                 std::span<const Degree> degrees) {
  for (std::size_t k = 0; k < names.size(); ++k)
    list.push_back({names[k], dimension_of(degrees[k].dimension)});
}

std::vector<Entry> joined(std::vector<Entry> list, const std::vector<Entry>& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

NamedValues named_values(const Model& model, const std::string& option, const std::string& text,
                         const std::vector<Entry>& entries, const std::string& rate = {}) {
  const NamedNumbers named = parse_named(option, text, entries, rate, &model);
  NamedValues values;
  for (std::size_t k = 0; k < named.places.size(); ++k)
    values.push_back({entries[static_cast<std::size_t>(named.places[k])].name, named.values[k]});
  return values;
}

// As many numbers as the robot has, or as its joints have with zeros for the modes.
Eigen::VectorXd parse_state(const Model& model, const std::string& option, const std::string& text,
                            std::vector<Entry> entries, const std::string& rate = {}) {
  const auto joints = entries.size() - static_cast<std::size_t>(model.modes());
  const auto typed = static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) + 1;
  if (typed != entries.size()) entries.resize(joints);
  Eigen::VectorXd out = Eigen::VectorXd::Zero(static_cast<long>(joints) + model.modes());
  const Eigen::VectorXd values = parse_vector(option, text, entries, rate);
  out.head(values.size()) = values;
  return out;
}

/// Forces where the speeds are lengths, else torques.
std::vector<Entry> as_efforts(std::vector<Entry> speeds) {
  for (Entry& entry : speeds)
    entry.dimension = entry.dimension == length ? Dimension::force : Dimension::torque;
  return speeds;
}

/// Whether the text is a single word for a robot that has postures; 'pi' is a number.
bool names_posture(const Model& model, const std::string& text) {
  if (has_posture(model, text)) return true;
  const auto in_name = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  return !model.robot().postures.empty() && !text.empty() && text != "pi" &&
         std::isalpha(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), in_name);
}

/// The coordinates of a posture as a person would type them.
std::string posture_text(const Model& model, const std::string& name) {
  const StatePart part = posture_part(model, name);
  NamedValues values;
  if (const auto* named = std::get_if<NamedValues>(&part)) values = *named;
  if (const auto* all = std::get_if<Eigen::VectorXd>(&part))
    for (int k = 0; k < model.joint_coordinates(); ++k)
      values.push_back({model.coordinate_names()[k], (*all)(k)});
  std::string text;
  for (const NamedValue& one : values)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", one.name, one.value);
  return text;
}

// Limits in files are rounded; what is within that of them is at the limit.
bool exceeds(double value, double limit) {
  return value - limit > 1e-9 * std::max(1.0, std::abs(limit));
}

void warn_magnitudes(const Model& model, const Eigen::VectorXd& values,
                     const Eigen::VectorXd& limits, const char* what) {
  for (int k = 0; k < model.speeds(); ++k)
    if (exceeds(std::abs(values(k)), limits(k)))
      warn(fmt::format("joint '{}': {} {:.9g} exceeds its limit {:.9g}", model.speed_names()[k],
                       what, values(k), limits(k)));
}

}  // namespace

std::vector<Entry> coordinate_entries(const Model& model) {
  return entries_of(model.coordinate_names(), model.coordinate_dimensions());
}

std::vector<Entry> speed_entries(const Model& model) {
  return entries_of(model.speed_names(), model.speed_dimensions());
}

std::vector<Entry> closing_coordinate_entries(const Model& model) {
  std::vector<Entry> list;
  for (const Loop& loop : model.loops())
    add_entries(list, closing_coordinate_names(loop), traits_of(loop.type).coordinates);
  return list;
}

std::vector<Entry> closing_speed_entries(const Model& model) {
  std::vector<Entry> list;
  for (const Loop& loop : model.loops())
    add_entries(list, closing_speed_names(loop), traits_of(loop.type).speeds);
  return list;
}

StatePart coordinates_part(const Model& model, const VectorOption& text,
                           const std::string& option) {
  if (!text) return {};
  if (names_posture(model, *text)) return posture_part(model, *text);
  if (is_named(*text))
    return named_values(model, option, *text,
                        joined(coordinate_entries(model), closing_coordinate_entries(model)));
  const Eigen::VectorXd typed = parse_state(model, option, *text, coordinate_entries(model));
  const Eigen::VectorXd q = model.normalized(typed);
  if (q.size() > 0 && (q - typed).cwiseAbs().maxCoeff() > 1e-9)
    warn(fmt::format("{}: a quaternion was not of unit length and has been normalized", option));
  return q;
}

StatePart rates_part(const Model& model, const VectorOption& text, const std::string& option,
                     const std::string& rate) {
  if (!text) return {};
  if (is_named(*text))
    return named_values(model, option, *text,
                        joined(speed_entries(model), closing_speed_entries(model)), rate);
  return parse_state(model, option, *text, speed_entries(model), rate);
}

namespace {

/// Modal coordinates in their order, or by name (NAME=VALUE, all=VALUE); those not named are zero.
Eigen::VectorXd modal_values(const std::string& text, std::vector<Entry> entries) {
  if (!is_named(text)) return parse_vector("--elastic", text, entries);
  const auto count = static_cast<Eigen::Index>(entries.size());
  entries.push_back({"all", entries.empty() ? Dimension::length : entries.front().dimension});
  const NamedNumbers named = parse_named("--elastic", text, entries);
  Eigen::VectorXd values = Eigen::VectorXd::Zero(count);
  for (std::size_t k = 0; k < named.places.size(); ++k)
    if (named.places[k] == count) values.setConstant(named.values[k]);
  for (std::size_t k = 0; k < named.places.size(); ++k)
    if (named.places[k] < count) values(named.places[k]) = named.values[k];
  return values;
}

}  // namespace

VectorOption with_elastic(const Model& model, const VectorOption& q, const VectorOption& elastic) {
  if (!elastic) return q;
  if (q && names_posture(model, *q)) return with_elastic(model, posture_text(model, *q), elastic);
  require_flexible(model, "--elastic");
  const std::vector<Entry> known = coordinate_entries(model);
  // Read here for its own errors.
  const Eigen::VectorXd modal = modal_values(*elastic, {known.end() - model.modes(), known.end()});
  if (q && q->find('=') != std::string::npos) {
    // Beside named coordinates the modal ones are named, too.
    std::string text = *q;
    for (int k = 0; k < model.modes(); ++k)
      text += fmt::format(",{}={}", known[model.joint_coordinates() + k].name, modal(k));
    return text;
  }
  std::string joints;
  const Eigen::VectorXd neutral = model.neutral();
  if (!q)
    for (const double x : neutral.head(model.joint_coordinates()))
      joints += fmt::format("{}{:g}", joints.empty() ? "" : ",", x);
  std::string all = q.value_or(joints);
  for (const double x : modal) all += fmt::format("{}{}", all.empty() ? "" : ",", x);
  return all;
}

void warn_limits(const Model& model, const Eigen::VectorXd& q) {
  for (int k = 0; k < model.coordinates(); ++k) {
    const bool above = exceeds(q(k), model.upper()(k));
    if (!above && !exceeds(-q(k), -model.lower()(k))) continue;
    warn(fmt::format("joint '{}' is outside its limits: {:.9g} is {} {:.9g}",
                     model.coordinate_names()[k], q(k),
                     above ? "above the upper limit" : "below the lower limit",
                     above ? model.upper()(k) : model.lower()(k)));
  }
}

void warn_limits(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  warn_limits(model, q);
  warn_magnitudes(model, v, model.velocity_limit(), "speed");
}

Eigen::VectorXd coordinates_from(const Model& model, const VectorOption& text,
                                 const std::string& option) {
  const StatePart part = coordinates_part(model, text, option);
  const Eigen::VectorXd q = std::holds_alternative<NamedValues>(part)
                                ? complete_state(model, {.q = part}).q
                                : assembly_options(model, part).start;
  warn_limits(model, q);
  return q;
}

namespace {

StatePart efforts_part(const Model& model, const VectorOption& text) {
  if (!text) return {};
  if (is_named(*text))
    return named_values(model, "--tau", *text,
                        as_efforts(joined(speed_entries(model), closing_speed_entries(model))));
  return parse_state(model, "--tau", *text, as_efforts(speed_entries(model)));
}

}  // namespace

Eigen::VectorXd efforts_from(const Model& model, const VectorOption& text) {
  const Eigen::VectorXd tau = named_efforts(model, efforts_part(model, text));
  warn_magnitudes(model, tau.head(model.speeds()), model.effort_limit(), "effort");
  return tau;
}

Eigen::VectorXd efforts_at(const Model& model, const Eigen::VectorXd& q, const VectorOption& text) {
  const Eigen::VectorXd tau = complete_efforts(model, q, efforts_part(model, text));
  warn_magnitudes(model, tau, model.effort_limit(), "effort");
  return tau;
}

std::vector<std::string> names_of(const Model& model, const std::vector<int>& speeds) {
  const std::vector<std::string> known = all_speed_names(model);
  std::vector<std::string> names;
  for (const int k : speeds) names.push_back(known[static_cast<std::size_t>(k)]);
  return names;
}

std::vector<std::string> effort_units(const Model& model) {
  return effort_units(speed_entries(model));
}

std::vector<std::string> effort_units(const std::vector<Entry>& speeds) {
  std::vector<std::string> units;
  for (const Entry& entry : speeds) units.emplace_back(entry.dimension == length ? "N" : "N m");
  return units;
}

std::vector<std::string> units_of(const std::vector<Entry>& entries, const std::string& rate) {
  std::vector<std::string> units;
  for (const Entry& entry : entries) units.push_back(unit_of(entry.dimension, rate));
  return units;
}

}  // namespace ulna::cli
