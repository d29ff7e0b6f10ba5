#pragma once
// What a study found, in short: for people, as JSON, and as a page with pictures.

#include <map>

#include "output/json_output.hpp"
#include "sweep/work_source.hpp"
#include "ulna/formats/study_store.hpp"
#include "ulna/study/sample_statistics.hpp"

namespace ulna::cli {

struct MeasureSummary {
  std::string name;
  SampleStatistics statistics;
  std::vector<double> correlations;  ///< by parameter
  SobolIndices indices;              ///< empty where the sampling does not allow them
  long least_sample = -1, largest_sample = -1;
};

struct StudySummary {
  std::string file, description;
  const Study* study = nullptr;
  const StudyStore* store = nullptr;
  bool complete = false;
  long samples = 0, done = 0, ok = 0, infeasible = 0, failed = 0;
  std::map<std::string, std::pair<long, long>> reasons;  ///< how often, and the first sample
  std::vector<MeasureSummary> measures;
  /// Columns of parameters, then of measures, of the samples that stand for all.
  std::vector<std::vector<double>> chosen;
};

/// How it was run: not part of the results.
struct SweepRun {
  int ranks = 1, threads = 1;
  long computed = 0;
  double seconds = 0;
  HandOutCosts costs = {};
};

StudySummary summarize(const Study& study, const StudyStore& store, const std::string& file);
Json summary_json(const StudySummary& summary, const SweepRun& run);
void print_summary(const StudySummary& summary, const SweepRun& run);
std::string summary_page(const StudySummary& summary);

void print_row(const Study& study, long sample, const StudyRow& row, bool json);

}  // namespace ulna::cli
