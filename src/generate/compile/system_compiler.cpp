#include "compile/system_compiler.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"

extern char** environ;

namespace ulna::generate {
namespace {

bool is_program(const std::string& path) {
  struct stat there {};
  return stat(path.c_str(), &there) == 0 && S_ISREG(there.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

/// How the child ended. Where the caller may interrupt, it is looked after some hundred times a
/// second, and ended with the caller.
int status_of(pid_t child, const std::string& name) {
  const bool watched = InterruptionScope::current() != nullptr;
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, watched ? WNOHANG : 0);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR)
      throw ComputationError(
          fmt::format("{}: waiting for its end failed: {}", name, std::strerror(errno)));
    try {
      interruption_point();
    } catch (const Interrupted&) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      throw;
    }
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/// Exit status; 128 when a signal ended it.
int run(const std::vector<std::string>& words, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failure =
      posix_spawn(&child, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0)
    throw ComputationError(fmt::format("{} cannot be run: {}", words[0], std::strerror(failure)));
  const int status = status_of(child, words[0]);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/// The line that says what is wrong, or the first one.
std::string first_error(const std::string& text) {
  std::istringstream lines(text);
  std::string line, first;
  while (std::getline(lines, line)) {
    if (line.find("error") != std::string::npos) return line;
    if (first.empty()) first = line;
  }
  return first.empty() ? "no message" : first;
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? name : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  std::string folder;
  while (std::getline(folders, folder, ':'))
    if (!folder.empty() && is_program(folder + "/" + name)) return folder + "/" + name;
  return {};
}

std::vector<std::string> find_command(const std::string& command) {
  if (const std::string whole = find_program(command); !whole.empty()) return {whole};
  std::istringstream text(command);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  if (words.empty()) return {};
  words[0] = find_program(words[0]);
  return words[0].empty() ? std::vector<std::string>() : words;
}

std::string compiler_identity(const std::vector<std::string>& command) {
  std::string out;
  // Every word that is a program counts: in "ccache gcc" it is the second that compiles.
  for (const std::string& word : command) {
    const std::string path = find_program(word);
    struct stat there {};
    if (path.empty() || stat(path.c_str(), &there) != 0)
      out += word + "\n";
    else
      out += fmt::format("{} {} {}\n", path, there.st_size, there.st_mtime);
  }
  std::ifstream processor("/proc/cpuinfo");
  std::string line;
  bool model = false, flags = false;
  while (std::getline(processor, line) && !(model && flags)) {
    const bool is_model = line.rfind("model name", 0) == 0;
    const bool is_flags = line.rfind("flags", 0) == 0 || line.rfind("Features", 0) == 0;
    if (is_model || is_flags) out += line + "\n";
    model |= is_model;
    flags |= is_flags;
  }
  return out;
}

void build_library(const std::vector<std::string>& compiler, const std::vector<std::string>& flags,
                   const std::string& folder, const std::string& source,
                   const std::string& library) {
  const std::string code = folder + "/function.c", log = folder + "/messages";
  std::ofstream(code, std::ios::binary) << source;
  std::vector<std::string> words = compiler;
  words.insert(words.end(), flags.begin(), flags.end());
  for (const char* word : {"-fPIC", "-shared", "-o"}) words.emplace_back(word);
  words.insert(words.end(), {library, code, "-lm"});
  if (run(words, log) == 0) return;
  throw ComputationError(fmt::format("{} could not compile the generated function: {}", compiler[0],
                                     first_error(read_whole(log))));
}

std::string read_whole(const std::string& path) {
  std::ostringstream text;
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  text << file.rdbuf();
  return text.str();
}

}  // namespace ulna::generate
