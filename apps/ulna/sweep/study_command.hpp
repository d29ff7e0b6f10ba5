#pragma once
// What `sweep` and `optimize` share: their options, and the run of a study by the threads of all
// ranks.

#include <optional>

#include "command.hpp"
#include "sweep/ranks.hpp"

namespace ulna::cli {

struct StudyWords {
  std::string file;
  std::optional<std::string> output, threads;
  bool resume = false, json = false;
};

/// STUDY, --json, -o, --resume, --threads.
void add_study_options(CLI::App& command, StudyWords& words, const std::string& study_help,
                       const std::string& output_help, const std::string& resume_help);

/// Reads the study on every rank. `prepare` makes what computes a sample of it and may refuse it;
/// `lead` runs on rank 0, the others compute until it is over. Returns the exit status.
int run_on_ranks(
    const StudyWords& words, const std::function<Evaluate(const Study&)>& prepare,
    const std::function<int(Ranks&, const Study&, int threads, const Evaluate&)>& lead);

/// Rank 0: computes and writes all that the store has not. Rethrows what ended it; a store that is
/// not complete was interrupted. `what`: of the progress, "samples".
void fill_store(Ranks& ranks, StudyStore& store, const StudyWords& words, int threads,
                const char* what, const Evaluate& evaluate);

}  // namespace ulna::cli
