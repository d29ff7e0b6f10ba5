#pragma once
// What a sample has beside its row: in extra.bin while the study runs.

#include "run/folder_content.hpp"
#include "ulna/formats/study_store.hpp"

namespace ulna {

struct StudyStore::Extra {
  bool whole = true;
  std::string reason;
  std::vector<double> series;  ///< times, then each stored channel
};

/// The files of a study.
const FolderContent& study_content();

/// ComputationError naming the file when it cannot be written.
void write_at(int file, const void* from, std::size_t size, long at, const std::string& name);

}  // namespace ulna
