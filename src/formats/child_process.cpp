#include "ulna/formats/internal/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "ulna/numerics/error.hpp"

extern char** environ;

namespace ulna {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail_spawn(const std::string& what, int reason) {
  throw ComputationError(fmt::format("{}: {}", what, std::strerror(reason)));
}

/// Ours and theirs, both above the descriptors that a child is given.
std::pair<int, int> socket_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    fail_spawn("no socket for another program", errno);
  for (int& end : ends) {
    const int moved = fcntl(end, F_DUPFD_CLOEXEC, 16);
    ::close(end);
    end = moved;
  }
  return {ends[0], ends[1]};
}

class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    sigset_t usual;  // what this program ignores, the child need not
    sigemptyset(&usual);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM}) sigaddset(&usual, signal);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    for (int k = 0; k < 3; ++k)
      posix_spawn_file_actions_addopen(&actions, k, "/dev/null", O_RDWR, 0);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

}  // namespace

std::unique_ptr<ChildProcess> ChildProcess::start(std::vector<std::string> words,
                                                  const std::vector<int>& descriptors) {
  std::unique_ptr<ChildProcess> child(new ChildProcess);
  child->ended_ = true;  // until it has begun
  SpawnSettings settings;
  std::vector<int> theirs;
  for (const int descriptor : descriptors) {
    const auto [here, there] = socket_pair();
    child->sockets_.push_back(here);
    theirs.push_back(there);
    posix_spawn_file_actions_adddup2(&settings.actions, there, descriptor);
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int failure = posix_spawnp(&child->pid_, arguments[0], &settings.actions,
                                   &settings.attributes, arguments.data(), environ);
  for (const int socket : theirs) ::close(socket);
  if (failure == ENOENT || failure == EACCES) return nullptr;
  if (failure != 0) fail_spawn(words[0] + " cannot be started", failure);
  child->ended_ = false;
  return child;
}

ChildProcess::~ChildProcess() {
  for (std::size_t k = 0; k < sockets_.size(); ++k) close(k);
  if (pid_ == 0) return;
  if (!ended_) {
    ::kill(-pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  ::kill(-pid_, SIGKILL);  // helpers that it has left behind
}

bool ChildProcess::send(std::size_t k, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(sockets_[k], bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool ChildProcess::receive(std::size_t k, std::string& bytes, std::chrono::milliseconds patience) {
  pollfd question{sockets_[k], POLLIN, 0};
  int ready = 0;
  while ((ready = poll(&question, 1, static_cast<int>(patience.count()))) < 0 && errno == EINTR) {
  }
  if (ready <= 0) return false;
  char buffer[65536];
  ssize_t count = 0;
  while ((count = read(sockets_[k], buffer, sizeof buffer)) < 0 && errno == EINTR) {
  }
  if (count <= 0) return false;
  bytes.append(buffer, static_cast<std::size_t>(count));
  return true;
}

void ChildProcess::close(std::size_t k) {
  if (sockets_[k] >= 0) ::close(sockets_[k]);
  sockets_[k] = -1;
}

int ChildProcess::wait(std::chrono::milliseconds patience) {
  int status = 0;
  for (const auto end = Clock::now() + patience;;) {
    const pid_t found = waitpid(pid_, &status, WNOHANG);
    if (found == pid_) break;
    if ((found < 0 && errno != EINTR) || Clock::now() > end) return -1;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ended_ = true;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace ulna
