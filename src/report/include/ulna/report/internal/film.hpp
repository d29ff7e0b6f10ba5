#pragma once
// A run as pictures: the robot of the report at equal steps of time, drawn by Chromium without a
// window, and these pictures as a GIF or MP4 by ffmpeg. Both are started as programs where they are
// installed; nothing of them is linked.

#include <functional>
#include <memory>

#include "ulna/report/report.hpp"

namespace ulna {

struct FilmOptions {
  int width = 1280, height = 720;
  double fps = 25;   ///< pictures in a second of the film
  double speed = 1;  ///< seconds of the run in one of the film
};

/// When the pictures are taken: from the first record to the last. InputError for sizes outside 16
/// to 8192, rates that are not positive, and above 100 000 pictures.
ULNA_API std::vector<double> film_times(const StoredRun& run, const FilmOptions& options);

/// Calls `take` with each picture, a PNG, until all are taken or it returns false.
/// ComputationError when Chromium is not installed or fails.
ULNA_API void film_run(const StoredRun& run, const ReportOptions& report,
                       const FilmOptions& options,
                       const std::function<bool(const std::string& png)>& take);

/// A GIF or MP4, by the ending of its name. The file appears when it is finished.
class ULNA_API VideoWriter {
 public:
  /// InputError for another ending; ComputationError when ffmpeg is not installed.
  VideoWriter(const std::string& file, double fps);
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  void add(const std::string& png);
  void finish();

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace ulna
