#pragma once
// The functions of time that a reading of an experiment file made, for those who read it again with
// other values: what these values do not change is shared, tables included.

#include <map>
#include <memory>
#include <tuple>

#include "yaml/yaml_motion.hpp"

namespace ulna {

/// Whether a text in the node holds the word.
bool mentions(const YamlNode& node, const std::string& word);

class MotionMemory {
 public:
  /// What stood at a node: a function of time or a formula of the state; or neither.
  struct Functions {
    ScalarMotionPtr motion;
    std::shared_ptr<const VariableFormula> formula;
  };

  /// Null where there was no such node, or where it would be read as something else now: it has
  /// another text, names a constant that has another value, or the duration is another. `which` of
  /// the functions of a node that gives several, such as a table for all joints.
  const Functions* find(const MotionContext& context, const YamlNode& node, int which = 0) const;
  void keep(const MotionContext& context, const YamlNode& node, Functions functions, int which = 0);

  /// Tables by their files; null: not read yet.
  const CsvTable* table(const std::string& path) const;
  void keep_table(const std::string& path, CsvTable table) { tables_[path] = std::move(table); }

 private:
  struct Entry {
    YamlNode node;
    FormulaConstants constants;
    double duration;
    bool open_ended, timed;
    Functions functions;
  };
  std::map<std::tuple<int, int, int>, Entry> entries_;  ///< by line, column and which of them
  std::map<std::string, CsvTable> tables_;
};

}  // namespace ulna
