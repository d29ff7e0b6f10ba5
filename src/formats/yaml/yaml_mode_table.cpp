#include "yaml/yaml_mode_table.hpp"

#include <fmt/format.h>

#include "text_file.hpp"
#include "ulna/formats/internal/mode_table_file.hpp"
#include "wording.hpp"
#include "yaml/yaml_write.hpp"

namespace ulna {
namespace {

constexpr const char* version_key = "ulna_modes";

/// Rows of equal length; none where they are not.
Eigen::MatrixXd rows_of(YamlContext& context, const YamlMap& map, const char* key) {
  const YamlNode* node = map.find(key);
  if (!node) return {};
  const std::string element = map.element() + ", " + key;
  const std::vector<YamlNode>& rows = read_list(context, *node, element);
  if (rows.empty()) return {};
  // Before a place is made for them: rows x columns may be far more than the file holds.
  for (const YamlNode& row : rows)
    if (row.items.size() != rows[0].items.size()) {
      context.problems.add(context.mark(row), element, "found " + describe(row),
                           fmt::format("rows of {} numbers each", rows[0].items.size()));
      return {};
    }
  Eigen::MatrixXd out(std::ssize(rows), std::ssize(rows[0].items));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::vector<double> row =
        read_numbers(context, rows[r], element, quantity::number, rows[0].items.size());
    for (std::size_t c = 0; c < row.size() && c < rows[0].items.size(); ++c)
      out(static_cast<long>(r), static_cast<long>(c)) = row[c];
  }
  return out;
}

/// One list of [x, y, z] at the nodes for each mode, as 3 rows a node and a column a mode.
Eigen::MatrixXd shapes_of(YamlContext& context, const YamlMap& map, const char* key,
                          std::size_t nodes) {
  const YamlNode* node = map.find(key);
  if (!node) return {};
  const std::string element = map.element() + ", " + key;
  const std::vector<YamlNode>& modes = read_list(context, *node, element);
  for (std::size_t m = 0; m < modes.size(); ++m)
    if (modes[m].items.size() != nodes) {
      context.problems.add(context.mark(modes[m]), element,
                           fmt::format("mode {} at {} places", m + 1, modes[m].items.size()),
                           fmt::format("[x, y, z] at each of the {} nodes", nodes));
      return {};
    }
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(3 * static_cast<long>(nodes), std::ssize(modes));
  for (std::size_t m = 0; m < modes.size(); ++m) {
    const std::vector<YamlNode>& at = modes[m].items;
    for (std::size_t i = 0; i < nodes; ++i)
      out.block<3, 1>(3 * static_cast<long>(i), static_cast<long>(m)) =
          read_vector(context, at[i], element, quantity::number);
  }
  return out;
}

std::string rows_text(const Eigen::MatrixXd& A) {
  std::string out;
  for (long r = 0; r < A.rows(); ++r) {
    const Eigen::VectorXd row = A.row(r);
    out += (out.empty() ? "[" : ", ") + yaml::list(row);
  }
  return out + "]";
}

std::string shapes_text(const Eigen::MatrixXd& A) {
  std::string out;
  for (long m = 0; m < A.cols(); ++m) {
    std::string shape;
    for (long i = 0; i < A.rows() / 3; ++i)
      shape +=
          (shape.empty() ? "[" : ", ") + yaml::list(Vector3<double>(A.col(m).segment<3>(3 * i)));
    out += (out.empty() ? "[" : ", ") + shape + "]";
  }
  return out + "]";
}

/// Key and value of every entry that is there.
std::vector<std::pair<std::string, std::string>> entries_of(const ModeTable& t) {
  std::vector<std::pair<std::string, std::string>> out = {{"length", yaml::number(t.length)}};
  if (!t.names.empty()) {
    std::string names;
    for (const std::string& name : t.names)
      names += (names.empty() ? "[" : ", ") + yaml::quoted(name);
    out.push_back({"names", names + "]"});
  }
  out.push_back({"nodes", yaml::list(t.nodes)});
  out.push_back({"translations", shapes_text(t.translations)});
  out.push_back({"rotations", shapes_text(t.rotations)});
  out.push_back({"stiffness", rows_text(t.stiffness)});
  if (t.mass.size() > 0) out.push_back({"mass", rows_text(t.mass)});
  if (t.damping.size() > 0) out.push_back({"damping", rows_text(t.damping)});
  return out;
}

}  // namespace

const std::vector<std::string>& mode_table_keys() {
  static const std::vector<std::string> keys = {"length",    "names",     "nodes", "translations",
                                                "rotations", "stiffness", "mass",  "damping"};
  return keys;
}

ModeTable read_mode_table(YamlContext& context, const YamlMap& map) {
  ModeTable table;
  for (const char* key : {"length", "nodes", "translations", "rotations", "stiffness"})
    map.need(key, "length, nodes, translations, rotations and stiffness of the modes");
  table.length = map.number("length", quantity::length, 0);
  if (const YamlNode* nodes = map.find("nodes"))
    table.nodes = read_numbers(context, *nodes, map.element() + ", nodes", quantity::length,
                               nodes->items.size());
  if (const YamlNode* names = map.find("names"))
    for (const YamlNode& name : read_list(context, *names, map.element() + ", names"))
      table.names.push_back(read_text(context, name, map.element() + ", names"));
  table.translations = shapes_of(context, map, "translations", table.nodes.size());
  table.rotations = shapes_of(context, map, "rotations", table.nodes.size());
  table.stiffness = rows_of(context, map, "stiffness");
  table.mass = rows_of(context, map, "mass");
  table.damping = rows_of(context, map, "damping");
  return table;
}

std::string mode_table_map(const ModeTable& table) {
  std::string out;
  for (const auto& [key, value] : entries_of(table))
    out += (out.empty() ? "{" : ", ") + key + ": " + value;
  return out + "}";
}

ModeTable read_mode_table_text(const std::string& text, const std::string& file) {
  check_text(text, file, largest_yaml);
  YamlContext context{file, {}, {}};
  const YamlNode root = parse_yaml(text, file);
  std::vector<std::string> keys = mode_table_keys();
  keys.emplace_back(version_key);
  const YamlMap map(context, root, "modes", keys);
  const YamlNode* version =
      map.need(version_key, "'ulna_modes: 1', the version of the file of modes");
  if (version && version->text != "1")
    map.complain(version_key, "version " + describe(*version), "'ulna_modes: 1'");
  const ModeTable table = read_mode_table(context, map);
  context.problems.throw_if_any();
  for (const std::string& problem : problems_of(table))
    context.problems.add({file, 0, 0}, "modes", problem, "");
  context.problems.throw_if_any();
  return table;
}

ModeTable read_mode_table(const std::string& file) {
  return read_mode_table_text(read_text_file(file, largest_yaml), file);
}

std::string write_mode_table(const ModeTable& table, const std::string& comment) {
  std::string out = comment.empty() ? "" : "# " + comment + "\n";
  out += fmt::format("{}: 1\n", version_key);
  for (const auto& [key, value] : entries_of(table)) out += key + ": " + value + "\n";
  return out;
}

}  // namespace ulna
