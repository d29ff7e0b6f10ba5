#pragma once
// A program that runs beside this one and is talked to through some of its file descriptors. It is
// started without a shell, in a process group of its own, so that Ctrl-C leaves it to us to end it;
// whatever it is not given a socket for is /dev/null.

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

class ULNA_API ChildProcess {
 public:
  /// `words`: the program, looked for in PATH, and its arguments. `descriptors`: those of the child
  /// that get a socket. Null when there is no such program; ComputationError when it cannot start.
  static std::unique_ptr<ChildProcess> start(std::vector<std::string> words,
                                             const std::vector<int>& descriptors);
  /// Ends it, if it still runs, and all it has started.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// To the k-th of the descriptors. False when the program has gone.
  bool send(std::size_t k, std::string_view bytes);
  /// Appends what has come from the k-th; false when nothing comes any more, or not in time.
  bool receive(std::size_t k, std::string& bytes, std::chrono::milliseconds patience);
  void close(std::size_t k);
  /// Its exit status once it has ended, -1 when it was killed or does not end in time.
  int wait(std::chrono::milliseconds patience);

 private:
  ChildProcess() = default;
  pid_t pid_ = 0;
  bool ended_ = false;
  std::vector<int> sockets_;
};

}  // namespace ulna
