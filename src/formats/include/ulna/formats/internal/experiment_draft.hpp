#pragma once
// Reading an experiment file without planning its motions and without checking it: for those who
// change it first.

#include "ulna/formats/read_experiment.hpp"
#include "ulna/simulation/internal/draft.hpp"

namespace ulna {

struct ReadDraft {
  ExperimentDraft draft;
  ImportReport report;  ///< of the robot file
  std::string text;
};

ULNA_API ReadDraft read_experiment_draft(const std::string& path, const ReadOptions& options = {});
ULNA_API ReadDraft read_experiment_draft_text(const std::string& text, const std::string& file_name,
                                              const ReadOptions& options = {});

/// With its motions planned; not checked yet.
ULNA_API ReadExperiment planned(ReadDraft read);

}  // namespace ulna
