#pragma once
// Chromium without a window, driven through its DevTools protocol over a pair of descriptors
// (--remote-debugging-pipe: JSON messages, each ended by a zero byte). No port is opened.

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "film/temporary_folder.hpp"
#include "ulna/formats/internal/child_process.hpp"

namespace ulna {

class HeadlessBrowser {
 public:
  /// Opens the file in a page of this size. ComputationError when there is no Chromium.
  HeadlessBrowser(const std::string& html_file, int width, int height);
  ~HeadlessBrowser();

  /// Waits for what the expression promises. ComputationError when it throws.
  void evaluate(const std::string& expression);
  /// The page as a PNG.
  std::string screenshot();

 private:
  nlohmann::json call(const char* method, nlohmann::json parameters);
  nlohmann::json next_message();

  TemporaryFolder profile_;
  std::unique_ptr<ChildProcess> process_;
  std::string session_, received_;
  int last_ = 0;
};

}  // namespace ulna
