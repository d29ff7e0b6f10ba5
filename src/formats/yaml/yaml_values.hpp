#pragma once
// Typed access to a YAML tree. Every function says what it expected where the file does not give
// it, and then returns a harmless value, so that one reading finds all mistakes.

#include <optional>
#include <string>
#include <vector>

#include "problems.hpp"
#include "ulna/model/internal/quantity.hpp"
#include "ulna/spatial/pose.hpp"
#include "yaml/yaml_tree.hpp"

namespace ulna {

/// What the functions below share while one file is read.
struct YamlContext {
  std::string file;
  Problems problems;
  ImportReport report;

  SourceMark mark(const YamlNode& node) const { return {file, node.line, node.column}; }
};

/// The keys of a map, checked against those that are known.
class YamlMap {
 public:
  /// `element` names the map in messages; when it has a `name`, that is added: "joint 'elbow'".
  YamlMap(YamlContext& context, const YamlNode& node, std::string element,
          const std::vector<std::string>& known);

  const std::string& element() const { return element_; }
  const YamlNode& node() const { return node_; }
  SourceMark mark() const { return context_.mark(node_); }

  /// The value of a key, or nullptr. A key without a value counts as a mistake and as missing.
  const YamlNode* find(const std::string& key) const;
  bool has(const std::string& key) const { return find(key) != nullptr; }
  /// As find, but missing is a mistake.
  const YamlNode* need(const std::string& key, const std::string& expectation) const;

  // Values of keys; `fallback` when the key is missing.
  std::string text(const std::string& key, const std::string& fallback = {}) const;
  std::string needed_text(const std::string& key, const std::string& expectation) const;
  double number(const std::string& key, const Quantity& quantity, double fallback) const;
  Vector3<double> vector(const std::string& key, const Quantity& quantity,
                         const Vector3<double>& fallback) const;
  bool boolean(const std::string& key, bool fallback) const;

  /// Adds a mistake at the value of `key` (or at the map when it is missing).
  void complain(const std::string& key, std::string message, std::string expectation = {},
                std::string hint = {}) const;

 private:
  std::string text_of(const YamlNode& node, const std::string& key) const;

  YamlContext& context_;
  const YamlNode& node_;
  std::string element_;
};

std::string read_text(YamlContext& context, const YamlNode& node, const std::string& element);
double read_number(YamlContext& context, const YamlNode& node, const std::string& element,
                   const Quantity& quantity);
/// A sequence of exactly `count` numbers.
std::vector<double> read_numbers(YamlContext& context, const YamlNode& node,
                                 const std::string& element, const Quantity& quantity,
                                 std::size_t count);
Vector3<double> read_vector(YamlContext& context, const YamlNode& node, const std::string& element,
                            const Quantity& quantity);
/// Three rows of three numbers.
Matrix3<double> read_matrix(YamlContext& context, const YamlNode& node, const std::string& element,
                            const Quantity& quantity);
/// The items of a sequence; a mistake, and none, when the node is something else.
const std::vector<YamlNode>& read_list(YamlContext& context, const YamlNode& node,
                                       const std::string& element);

/// "a text", "a list of 3", "a map", "nothing".
std::string describe(const YamlNode& node);

}  // namespace ulna
