#include "output/film_output.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "output/interrupt.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/terminal.hpp"

namespace ulna::cli {
namespace {

namespace fs = std::filesystem;

bool is_frame(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("frame_") && name.ends_with(".png") &&
         name.find_first_not_of("0123456789", 6) == name.size() - 4;
}

/// Pictures beside their folder, which takes their place when all are there.
class FrameFolder {
 public:
  explicit FrameFolder(const std::string& folder)
      : folder_(fs::path(folder) / ""), partial_(folder_.parent_path().string() + ".partial") {
    require_frames_or_nothing(folder_);
    require_frames_or_nothing(partial_);
    std::error_code error;
    fs::remove_all(partial_, error);
    fs::create_directories(partial_, error);
    if (error) refuse(error.message());
  }
  ~FrameFolder() {
    std::error_code ignored;
    fs::remove_all(partial_, ignored);
  }
  FrameFolder(const FrameFolder&) = delete;
  FrameFolder& operator=(const FrameFolder&) = delete;

  void add(const std::string& png) {
    write_file((partial_ / fmt::format("frame_{:05}.png", ++count_)).string(), png);
  }
  void finish() {
    std::error_code error;
    fs::remove_all(folder_.parent_path(), error);
    fs::rename(partial_, folder_.parent_path(), error);
    if (error)
      throw ComputationError(
          fmt::format("{}: cannot be written: {}", folder_.string(), error.message()));
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(Problem{{folder_.string(), 0, 0},
                             {},
                             why,
                             "a new folder, an empty one, or one with the pictures of a film",
                             {}});
  }
  void require_frames_or_nothing(const fs::path& path) const {
    std::error_code error;
    if (!fs::exists(path, error)) return;
    if (!fs::is_directory(path, error)) refuse("is not a folder");
    for (const fs::directory_entry& entry : fs::directory_iterator(path, error))
      if (!is_frame(entry.path())) refuse("holds other files");
    if (error) refuse(error.message());
  }

  fs::path folder_;  ///< ends in a slash
  fs::path partial_;
  long count_ = 0;
};

}  // namespace

void parse_size(const std::string& text, FilmOptions& options) {
  const std::size_t cross = text.find('x');
  const auto number = [&](std::size_t from, std::size_t to, int& out) {
    const auto [at, error] = std::from_chars(text.data() + from, text.data() + to, out);
    return error == std::errc() && at == text.data() + to;
  };
  if (cross == std::string::npos || !number(0, cross, options.width) ||
      !number(cross + 1, text.size(), options.height))
    throw InputError(
        Problem{{}, "--size", fmt::format("'{}' found", text), "pixels such as 1280x720", {}});
}

long write_film(const StoredRun& run, const ReportOptions& report, const FilmOutput& film) {
  const long total = static_cast<long>(film_times(run, film.options).size());
  std::optional<FrameFolder> frames;
  std::optional<VideoWriter> video;
  if (film.frames) frames.emplace(*film.frames);
  if (film.video) video.emplace(*film.video, film.options.fps);
  const InterruptGuard guard;
  {
    Progress progress("pictures", total, 1);
    long done = 0;
    film_run(run, report, film.options, [&](const std::string& png) {
      if (frames) frames->add(png);
      if (video) video->add(png);
      progress.update(++done);
      return !guard.interrupted();
    });
  }
  if (guard.interrupted()) throw ComputationError("interrupted: no pictures are kept");
  if (video) video->finish();
  if (frames) frames->finish();
  return total;
}

}  // namespace ulna::cli
