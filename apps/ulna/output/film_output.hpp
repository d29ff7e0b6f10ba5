#pragma once
// Pictures of a run as files: a folder of PNGs, a video, or both from one go of the browser.

#include <optional>

#include "ulna/report/internal/film.hpp"

namespace ulna::cli {

struct FilmOutput {
  std::optional<std::string> frames;  ///< folder
  std::optional<std::string> video;   ///< .gif or .mp4
  FilmOptions options;
};

/// "1280x720". InputError for anything else.
void parse_size(const std::string& text, FilmOptions& options);

/// Writes what is asked for, complete or not at all, with a progress bar. Returns the number of
/// pictures.
long write_film(const StoredRun& run, const ReportOptions& report, const FilmOutput& film);

}  // namespace ulna::cli
