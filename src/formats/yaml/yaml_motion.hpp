#pragma once
// Functions of time in experiment files: formulas, motion programs, splines through points, tables.

#include "run/csv_table.hpp"
#include "ulna/motion/internal/formula_range.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

class MotionMemory;

/// What functions of time need besides their own text.
struct MotionContext {
  YamlContext& yaml;
  FormulaConstants constants;
  std::string folder;       ///< where tables are looked for
  double duration = 0;      ///< of the experiment
  bool open_ended = false;  ///< no duration is given: formulas last until they rest
  bool timed = false;       ///< a timing or a sequence decides on when functions end
  /// Of those who read a file many times: what an earlier reading made, where this one keeps what
  /// it makes, and where the ranges of its formulas go.
  const MotionMemory* known = nullptr;
  MotionMemory* learned = nullptr;
  MotionRanges* ranges = nullptr;
};

/// A function of time whose values are of the given quantity; null, with the problem noted, when it
/// cannot be read.
ScalarMotionPtr read_motion(MotionContext& context, const YamlNode& node,
                            const std::string& element, const Quantity& quantity);

/// The table that `map` names: beside the experiment file, or anywhere if its path is absolute.
CsvTable load_table(const MotionContext& context, const YamlMap& map, const std::string& file);
/// Columns of a table that are one motion; the rates may be absent.
struct TableTitles {
  std::string value, rate = {}, acceleration = {};
};
/// These columns, between their rows as `map` or else `otherwise` says; by what there is when both
/// are empty.
ScalarMotionPtr table_columns(const MotionContext& context, const YamlMap& map,
                              const CsvTable& table, const TableTitles& titles,
                              const Quantity& quantity, const std::string& otherwise = {});

}  // namespace ulna
