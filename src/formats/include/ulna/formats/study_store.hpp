#pragma once
// The results of a study on disk. While it runs they are in DIR.partial: every sample has its place
// in `samples.bin`, with a checksum of its content, its number and the study. A place that was not
// written, or only in part, is one that is not done: a run that was killed at any time goes on with
// the others. Reasons and stored channels are in `extra.bin`, where the place of their sample says.
// When all are there, results.h5 is written and DIR.partial renamed to DIR. Whatever is read is
// read in pieces: a million samples need no more memory than a thousand.

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ulna/formats/study.hpp"
#include "ulna/study/sample_statistics.hpp"

namespace ulna {

/// Samples first .. first + rows.size() - 1.
struct StudyRows {
  long first = 0;
  std::vector<StudyRow> rows;
};

class ULNA_API StudyStore {
 public:
  /// Samples from `first` to before `end`. InputError when the directory exists and is no study,
  /// when another process writes it, or when what is to be resumed is complete or another study.
  /// With `resume` and nothing to go on with it begins. `of`: what the rows are of, where that is
  /// not samples.
  StudyStore(const std::string& directory, const Study& study, long first, long end, bool resume,
             const std::string& of = {});
  ~StudyStore();
  StudyStore(const StudyStore&) = delete;
  StudyStore& operator=(const StudyStore&) = delete;

  /// Whether it goes on with an interrupted study.
  bool resumed() const { return resumed_; }
  /// Ranges of samples that are not there yet.
  std::vector<std::pair<long, long>> pending() const;
  long done() const { return done_; }
  long size() const { return end_ - first_; }
  long first() const { return first_; }
  /// ComputationError naming the file when the disk is full. Rows that are missing are left out.
  void write(const StudyRows& rows);

  struct Sample {
    long number;
    SampleStatus status;
    std::span<const double> values;  ///< of the parameters, then of the measures
  };
  /// Those that are there, in order.
  void each(const std::function<void(const Sample&)>& see) const;
  /// Those with a reason, in order.
  void each_reason(const std::function<void(const Sample&, const std::string&)>& see) const;
  /// Column k of parameters, then of measures, in the order of samples; not a number where missing.
  ValueReader reader(int k) const;
  std::vector<double> column(int k) const;

  /// Writes results.h5 (results.csv where asked or where there is no HDF5), and puts the directory
  /// in its place when it is complete. `extra`: files with their content, written with it. Returns
  /// the directory.
  std::string finish(bool csv, const std::vector<std::pair<std::string, std::string>>& extra);

 private:
  std::string path(const char* name) const { return partial_ + "/" + name; }
  void open(bool resume);
  void scan();
  std::uint64_t check_of(long sample, const unsigned char* row) const;
  void pack(long sample, const StudyRow& row, long extra, unsigned char* to) const;
  long write_extra(long sample, const StudyRow& row);
  struct Extra;
  Extra extra_of(long sample, const unsigned char* row) const;
  std::string reason_of(long sample, const unsigned char* row) const;
  /// Rows as they are in the file, some thousand at a time.
  void each_piece(
      const std::function<void(long from, long count, const unsigned char*)>& see) const;
  /// Every sample in order, with what it stored; nothing where it is missing.
  void each_series(
      const std::function<void(long sample, const std::vector<double>& series)>& see) const;
  void each_row(const std::function<void(const Sample&, const std::string& reason)>& see) const;
  void write_csv() const;
  std::string write_hdf5_file() const;

  std::string directory_, partial_;
  const Study& study_;
  long first_, end_, done_ = 0;
  std::size_t numbers_, row_size_;
  std::vector<std::string> constraints_, channels_;
  std::uint64_t identity_ = 0;
  int file_ = -1, extra_ = -1, lock_ = -1;
  long extra_end_ = 0;
  bool resumed_ = false;
  std::vector<bool> have_;
};

}  // namespace ulna
