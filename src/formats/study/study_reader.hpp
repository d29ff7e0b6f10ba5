#pragma once
// Reads a study file (docs/study-file.md): its subject, parameters and sampling, runs, measures.

#include <set>

#include "run/csv_table.hpp"
#include "study/study_parts.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

class StudyReader {
 public:
  /// `own`: measures that the caller computes; null: all of them are those of runs.
  StudyReader(YamlContext& context, const YamlNode& root, Study::Parts& parts,
              const ReadOptions& options, const std::vector<std::string>* own = nullptr);
  void read();

 private:
  std::string beside(const std::string& name) const;
  void read_subject();
  void add(const YamlNode& node, const std::string& element, const InputError& error);
  const YamlNode* need_unless_own(const std::string& key, const std::string& expectation) const;
  void check_names();
  void check_targets();
  void check_place(const StudyTarget& target);
  void check_numbers(const StudyTarget& target) const;
  static void check_unit(const StudyTarget& target);
  void check_run_number(const StudyTarget& target);
  static long whole(const YamlMap& map, const std::string& key, long fallback);

  // read_study_parameters.cpp
  void read_table();
  void read_parameters();
  void read_parameter(const YamlNode& item);
  void read_set(const YamlNode& node, const std::set<std::string>& names, int index);
  void read_values(const YamlMap& map, SampleParameter& p);
  static double end_of(const YamlMap& map, const std::string& key, bool unit, double fallback);
  void read_grid(const YamlMap& map, const std::string& key, SampleParameter& p);
  void read_words(const YamlMap& map, SampleParameter& p);
  void read_column(const YamlMap& map, SampleParameter& p);
  std::string unit_of_column(const YamlMap& map) const;
  void read_sampling();
  void read_correlation(const YamlNode& node);

  // read_study_runs.cpp
  void read_runs();
  void read_run(const YamlNode& node);
  void read_run_options(const YamlNode& node, const std::string& name, StudyRunKind& run);
  void read_posture(const YamlMap& map, StudyRunKind& run);
  void read_time(const YamlMap& map, StudyRunKind& run);
  void check_posture(const YamlMap& map, const StudyRunKind& run);
  void read_platform(const YamlMap& map, StudyRunKind& run);
  void read_identify(const YamlMap& map, StudyRunKind& run);
  void read_slice(const YamlNode& node, PlatformRun& run);
  void refuse_same_results();
  double any_number(const YamlMap& map, const std::string& key, const YamlNode& node);
  NamedValues named(const YamlMap& map, const std::string& key,
                    const std::vector<std::string>& names);

  // read_study_measures.cpp
  void read_measures();
  void read_measure(const YamlEntry& entry);
  void read_measures_of(const YamlNode& node);
  void add_own_measure(const std::string& name);
  void name_all_words(const std::string& text);
  TakeOptions take_options(const YamlMap& map);
  VariableFormula formula_of_results(const YamlNode& node, const std::string& text,
                                     const std::string& element);
  void read_constraints();
  void read_store();
  void read_goal();
  void share_channels();
  StudyRunKind* run_with(const std::string& channel);
  void prepare(StudyRunKind& run);
  void check_channels(const StudyMeasure& measure);

  YamlContext& context_;
  YamlMap map_;
  Study::Parts& parts_;
  const ReadOptions& options_;
  const std::vector<std::string>* own_;
  std::optional<CsvTable> table_;
  std::vector<std::pair<const YamlNode*, int>> sets_;
  std::vector<const YamlNode*> items_;  ///< of the parameters
  std::set<std::string> known_;         ///< parameters, and the measures read so far
  std::set<std::string> named_;         ///< parameters and all measures
};

/// What a run gives besides channels: * stands for names that it has when it has run, # for
/// numbers.
std::vector<std::string> results_of(const StudyRunKind& run);
bool gives(const StudyRunKind& run, const std::string& name);
/// Names of a posture and of its rates, those of closing joints included.
std::vector<std::string> coordinates_of(const Model& model);
std::vector<std::string> speeds_of(const Model& model);

/// Names of measures and parameters in single quotes, so that a formula takes them as variables.
std::string quoted_names(const std::string& text, const std::set<std::string>& names);

template <class Pairs>
std::vector<std::string> names_in(const Pairs& pairs) {
  std::vector<std::string> all;
  for (const auto& p : pairs) all.push_back(p.first);
  return all;
}

}  // namespace ulna
