#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>

#include "film/temporary_folder.hpp"
#include "ulna/report/plot.hpp"

extern char** environ;

namespace ulna {
namespace {

std::string converted(const std::string& svg, const char* format, double scale) {
  const TemporaryFolder folder;
  std::string in = folder.file("plot.svg"), out = folder.file("plot.out"),
              zoom = fmt::format("{}", scale), kind = format;
  std::ofstream(in, std::ios::binary) << svg;
  char program[] = "rsvg-convert", z[] = "-z", f[] = "-f", o[] = "-o";
  char* words[] = {program, z, zoom.data(), f, kind.data(), o, out.data(), in.data(), nullptr};
  pid_t child = 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  const int failure = posix_spawnp(&child, program, &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0)
    throw ComputationError(
        fmt::format("a {} needs rsvg-convert, which is not installed (Debian: librsvg2-bin); write "
                    ".svg instead",
                    kind == "png" ? "PNG" : "PDF"));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::ostringstream png;
  png << std::ifstream(out, std::ios::binary).rdbuf();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || png.str().empty())
    throw ComputationError("rsvg-convert did not make a picture; write .svg instead");
  return png.str();
}

}  // namespace

std::string png_from_svg(const std::string& svg, double scale) {
  return converted(svg, "png", scale);
}

// Pixels of a page are 1/96 inch, as in a browser.
std::string pdf_from_svg(const std::string& svg) { return converted(svg, "pdf", 1); }

}  // namespace ulna
