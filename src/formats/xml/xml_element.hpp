#pragma once
// One XML element of a robot file with checked access to its attributes and children. What is not
// asked for goes into the import report; what is malformed becomes a problem, and reading goes on.

#include <array>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "problems.hpp"
#include "text_file.hpp"
#include "ulna/formats/read_robot.hpp"

namespace ulna {

using Colour = std::array<double, 4>;

/// What the reading of one file shares.
struct XmlContext {
  const LineIndex& lines;
  const ReadOptions& options;
  Problems problems;
  ImportReport report;
  std::map<std::string, Colour> materials;
  std::map<std::string, int> unresolved_packages;  ///< how many mesh names each of them has
};

class XmlElement {
 public:
  /// `about` names the element in messages: "link 'arm'", or the element it belongs to.
  XmlElement(XmlContext& context, pugi::xml_node node, std::string about)
      : context_(context), node_(node), about_(std::move(about)) {}

  SourceMark mark() const;
  const std::string& about() const { return about_; }
  std::string tag() const { return node_.name(); }
  explicit operator bool() const { return static_cast<bool>(node_); }

  /// Reports all other attributes and children as ignored, repeated attributes as problems.
  /// Children in `once` may come only once, those in `many` as often as they like.
  void expect(const std::vector<std::string>& attributes, const std::vector<std::string>& once = {},
              const std::vector<std::string>& many = {}) const;

  /// The first child of that name (may be empty: test with `if (child)`).
  XmlElement child(const char* name) const { return {context_, node_.child(name), about_}; }
  /// As child; missing is a problem.
  XmlElement needed_child(const char* name) const;
  std::vector<XmlElement> children(const char* name) const;

  bool has(const char* attribute) const { return static_cast<bool>(node_.attribute(attribute)); }
  std::string text(const char* attribute) const { return node_.attribute(attribute).value(); }
  std::string needed_text(const char* attribute) const;
  double number(const char* attribute, double fallback) const;
  double needed_number(const char* attribute) const;
  Vector3<double> vector(const char* attribute, const Vector3<double>& fallback) const;
  /// How many words, as a rule numbers, an attribute holds.
  std::size_t count(const char* attribute) const;
  /// Exactly `count` numbers; zeros after a problem.
  std::vector<double> numbers(const char* attribute, std::size_t count) const;

  /// The pose of this element's own xyz and rpy (or quat_xyzw of URDF 1.2), zero where absent.
  Pose<double> pose() const;
  /// The pose of a child <origin xyz="" rpy="">, identity without one.
  Pose<double> origin() const;

  void complain(std::string message, std::string expectation = {}, std::string hint = {}) const;
  void note_used(std::string what) const;
  void note_changed(std::string what) const;
  void note_ignored(std::string what) const;

 private:
  void expect_attributes(const std::vector<std::string>& known) const;

  XmlContext& context_;
  pugi::xml_node node_;
  std::string about_;
};

}  // namespace ulna
