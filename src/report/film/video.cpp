#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "ulna/formats/internal/child_process.hpp"
#include "ulna/report/internal/film.hpp"

namespace ulna {
namespace {

std::vector<std::string> command(const std::string& file, double fps) {
  std::vector<std::string> words = {"ffmpeg", "-y",         "-loglevel",  "error",
                                    "-f",     "image2pipe", "-framerate", fmt::format("{}", fps),
                                    "-c:v",   "png",        "-i",         "pipe:0"};
  const std::vector<std::string> gif = {
      "-filter_complex", "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse", "-loop",
      "0"};
  // Players want colours at half the resolution, hence even sizes.
  const std::vector<std::string> mp4 = {"-vf",       "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white",
                                        "-c:v",      "libx264",
                                        "-pix_fmt",  "yuv420p",
                                        "-crf",      "18",
                                        "-movflags", "+faststart"};
  const auto& more = file.ends_with(".gif") ? gif : mp4;
  words.insert(words.end(), more.begin(), more.end());
  words.push_back("file:" + file);
  return words;
}

}  // namespace

struct VideoWriter::Work {
  std::string file, partial;
  std::unique_ptr<ChildProcess> process;

  [[noreturn]] void fail() const {
    throw ComputationError(
        fmt::format("{}: ffmpeg did not make it; --frames DIR writes the pictures", file));
  }
};

VideoWriter::VideoWriter(const std::string& file, double fps) : work_(std::make_unique<Work>()) {
  const bool gif = file.ends_with(".gif");
  if (!gif && !file.ends_with(".mp4"))
    throw InputError(
        Problem{{file, 0, 0}, {}, "not the name of a video", ".gif or .mp4 at its end", {}});
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw InputError(Problem{{file, 0, 0}, {}, "is a directory", "a name for a file", {}});
  work_->file = file;
  work_->partial = file + (gif ? ".partial.gif" : ".partial.mp4");
  work_->process = ChildProcess::start(command(work_->partial, fps), {0});
  if (!work_->process)
    throw ComputationError(
        "a video needs ffmpeg, which is not installed (Debian: ffmpeg); --frames DIR writes the "
        "pictures");
}

VideoWriter::~VideoWriter() {
  work_->process.reset();
  std::remove(work_->partial.c_str());
}

void VideoWriter::add(const std::string& png) {
  if (!work_->process->send(0, png)) work_->fail();
}

void VideoWriter::finish() {
  work_->process->close(0);
  const bool good = work_->process->wait(std::chrono::minutes(30)) == 0;
  if (!good || std::rename(work_->partial.c_str(), work_->file.c_str()) != 0) work_->fail();
}

}  // namespace ulna
