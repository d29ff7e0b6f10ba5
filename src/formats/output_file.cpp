#include "ulna/formats/internal/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_path(const std::string& path, const std::string& why) {
  throw InputError(Problem{{path, 0, 0}, {}, why, "a place where a file can be written", {}});
}

// Returns errno, 0 when all was written.
int write_all(int file, const std::string& content) {
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t count = write(file, content.data() + done, content.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    done += static_cast<std::size_t>(count);
  }
  return 0;
}

[[noreturn]] void fail(const std::string& path, int reason) {
  throw ComputationError(fmt::format("{}: cannot be written: {}", path, std::strerror(reason)));
}

// Pipes and devices (/dev/stdout) have no complete-or-not.
void write_special(const std::string& path, const std::string& content) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) refuse_path(path, std::strerror(errno));
  const int reason = write_all(file, content);
  close(file);
  if (reason != 0 && reason != EPIPE) fail(path, reason);
}

mode_t new_file_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

std::string new_file_beside(const std::string& path) {
  std::string partial = path + ".partial-XXXXXX";
  const int file = mkostemp(partial.data(), O_CLOEXEC);
  if (file < 0) refuse_path(path, std::strerror(errno));
  fchmod(file, new_file_mode());
  close(file);
  return partial;
}

void require_ordinary(const std::string& path) {
  struct stat there {};
  if (stat(path.c_str(), &there) != 0 || S_ISREG(there.st_mode)) return;
  refuse_path(path, S_ISDIR(there.st_mode) ? "is a directory" : "is a pipe or a device");
}

void write_output_file(const std::string& path, const std::string& content) {
  struct stat there {};
  const bool exists = stat(path.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) refuse_path(path, "is a directory");
  if (exists && !S_ISREG(there.st_mode)) return write_special(path, content);

  // A link is followed: the file it names is the one replaced.
  std::error_code ignored;
  const fs::path resolved = fs::weakly_canonical(path, ignored);
  const std::string target = ignored ? path : resolved.string();
  std::string partial = target + ".partial-XXXXXX";
  const int file = mkostemp(partial.data(), O_CLOEXEC);
  if (file < 0) refuse_path(path, std::strerror(errno));
  int reason = write_all(file, content);
  if (reason == 0 && fchmod(file, exists ? there.st_mode & 07777 : new_file_mode()) != 0)
    reason = errno;
  if (reason == 0 && fsync(file) != 0) reason = errno;
  if (close(file) != 0 && reason == 0) reason = errno;
  if (reason == 0 && std::rename(partial.c_str(), target.c_str()) != 0) reason = errno;
  if (reason == 0) return;
  unlink(partial.c_str());
  fail(path, reason);
}

}  // namespace ulna
