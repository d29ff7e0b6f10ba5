#include "xml/xml_element.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "orientation.hpp"
#include "ulna/model/internal/quantity.hpp"
#include "ulna/numerics/internal/visible_text.hpp"
#include "wording.hpp"

namespace ulna {

namespace {

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Parts of URDF, and of what simulators and controllers add to it, that say nothing about
// mechanics.
bool known_bystander(const std::string& name) {
  static const std::set<std::string> names = {
      "gazebo",      "transmission", "sensor", "safety_controller",
      "calibration", "ros2_control", "mujoco", "self_collision_checking"};
  return names.count(name) > 0;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  const char* const blank = " \t\r\n";
  for (std::size_t begin = text.find_first_not_of(blank); begin != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(blank, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(blank, end);
  }
  return words;
}

}  // namespace

SourceMark XmlElement::mark() const {
  // Copied elements carry their place with them.
  if (const pugi::xml_attribute line = node_.attribute("@line"))
    return {node_.attribute("@file").value(), line.as_int()};
  const std::ptrdiff_t offset = node_.offset_debug();
  if (offset < 0) return {context_.lines.file()};
  return context_.lines.mark(static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset - 1, 0)));
}

void XmlElement::expect_attributes(const std::vector<std::string>& known) const {
  std::set<std::string> seen;
  for (const pugi::xml_attribute attribute : node_.attributes()) {
    const std::string name = attribute.name();
    if (!seen.insert(name).second)
      complain(fmt::format("<{}> has the attribute {} twice", tag(), in_quotes(name)));
    if (contains(known, name) || name.starts_with("xmlns")) continue;
    const std::string hint = nearest_name_hint(name, known);
    note_ignored(fmt::format("attribute {} of <{}> ignored{}", in_quotes(name), tag(),
                             hint.empty() ? "" : ": " + hint));
  }
}

void XmlElement::expect(const std::vector<std::string>& attributes,
                        const std::vector<std::string>& once,
                        const std::vector<std::string>& many) const {
  expect_attributes(attributes);
  std::vector<std::string> known = once;
  known.insert(known.end(), many.begin(), many.end());
  std::set<std::string> seen;
  for (const pugi::xml_node inner : node_.children()) {
    const XmlElement element(context_, inner, about_);
    if (inner.type() != pugi::node_element) {
      element.note_ignored(fmt::format("text inside <{}> ignored", tag()));
      continue;
    }
    const std::string name = inner.name();
    if (contains(once, name) && !seen.insert(name).second)
      element.complain(fmt::format("<{}> is given twice in <{}>", name, tag()));
    if (contains(known, name)) continue;
    const std::string hint = nearest_name_hint(name, known);
    const std::string reason = known_bystander(name) ? "not part of the mechanics"
                               : hint.empty()        ? "unknown element"
                                                     : hint;
    element.note_ignored(fmt::format("<{}> ignored: {}", name, reason));
  }
}

XmlElement XmlElement::needed_child(const char* name) const {
  const XmlElement found = child(name);
  if (!found) complain(fmt::format("<{}> has no <{}>", tag(), name), fmt::format("<{}>", name));
  return found;
}

std::vector<XmlElement> XmlElement::children(const char* name) const {
  std::vector<XmlElement> found;
  for (const pugi::xml_node inner : node_.children(name))
    found.emplace_back(context_, inner, about_);
  return found;
}

std::string XmlElement::needed_text(const char* attribute) const {
  if (!has(attribute) || node_.attribute(attribute).value()[0] == '\0')
    complain(fmt::format("<{}> has no {}", tag(), attribute),
             fmt::format("the attribute {}=\"...\"", attribute));
  const std::string found = text(attribute), hidden = hidden_character(found);
  if (!hidden.empty())
    complain(fmt::format("{} of <{}> holds {}", attribute, tag(), hidden),
             "text without hidden characters");
  return found;
}

double XmlElement::number(const char* attribute, double fallback) const {
  if (!has(attribute)) return fallback;
  const ParsedQuantity parsed = parse_decimal(text(attribute));
  if (parsed.complaint.empty()) return parsed.value;
  complain(fmt::format("{} of <{}>: {}", attribute, tag(), parsed.complaint), "a number");
  return fallback;
}

double XmlElement::needed_number(const char* attribute) const {
  if (!has(attribute))
    complain(fmt::format("<{}> has no {}", tag(), attribute),
             fmt::format("the attribute {}=\"number\"", attribute));
  return number(attribute, 0);
}

std::size_t XmlElement::count(const char* attribute) const {
  return words_of(text(attribute)).size();
}

std::vector<double> XmlElement::numbers(const char* attribute, std::size_t count) const {
  std::vector<double> values(count, 0.0);
  const std::vector<std::string> words = words_of(text(attribute));
  if (words.size() != count) {
    complain(fmt::format("{} of <{}> holds {} numbers", attribute, tag(), words.size()),
             fmt::format("{} numbers", count));
    return values;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const ParsedQuantity parsed = parse_decimal(words[i]);
    if (parsed.complaint.empty())
      values[i] = parsed.value;
    else
      complain(fmt::format("{} of <{}>: {}", attribute, tag(), parsed.complaint),
               fmt::format("{} numbers", count));
  }
  return values;
}

Vector3<double> XmlElement::vector(const char* attribute, const Vector3<double>& fallback) const {
  if (!has(attribute)) return fallback;
  const std::vector<double> v = numbers(attribute, 3);
  return {v[0], v[1], v[2]};
}

Pose<double> XmlElement::pose() const {
  const Vector3<double> zero = Vector3<double>::Zero();
  Pose<double> X;
  X.position = vector("xyz", zero);
  if (!has("quat_xyzw")) {
    X.rotation = rotation_from_rpy(vector("rpy", zero));
    return X;
  }
  if (has("rpy")) complain("both rpy and quat_xyzw are given", "one orientation");
  const std::vector<double> v = numbers("quat_xyzw", 4);
  const Eigen::Vector4d wxyz(v[3], v[0], v[1], v[2]);
  if (wxyz.norm() > 0)
    X.rotation = without_negative_zeros(rotation_from_wxyz(wxyz.normalized()));
  else
    complain("quat_xyzw is zero", "a quaternion x, y, z, w");
  return X;
}

Pose<double> XmlElement::origin() const {
  const XmlElement element = child("origin");
  if (!element) return {};
  element.expect({"xyz", "rpy", "quat_xyzw"});
  return element.pose();
}

void XmlElement::complain(std::string message, std::string expectation, std::string hint) const {
  context_.problems.add(mark(), about_, std::move(message), std::move(expectation),
                        std::move(hint));
}

void XmlElement::note_used(std::string what) const {
  context_.report.used.push_back({mark(), about_, std::move(what)});
}

void XmlElement::note_changed(std::string what) const {
  context_.report.changed.push_back({mark(), about_, std::move(what)});
}

void XmlElement::note_ignored(std::string what) const {
  context_.report.ignored.push_back({mark(), about_, std::move(what)});
}

}  // namespace ulna
