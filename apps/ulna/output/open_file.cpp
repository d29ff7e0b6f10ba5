#include "output/open_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "output/json_output.hpp"
#include "output/terminal.hpp"

namespace ulna::cli {

void require_html_name(const std::string& file) {
  if (!file.ends_with(".html") && !file.ends_with(".htm"))
    throw InputError(
        Problem{{file, 0, 0}, {}, "a report is a web page", "a name that ends in .html", {}});
}

void say_written(const std::string& file, bool json) {
  if (!json) {
    print(fmt::format("wrote {}\n", printable(file)));
    return;
  }
  Json out = json_object();
  out["file"] = file;
  print_json(out);
}

bool has_display() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* value = std::getenv(name);
    if (value && *value) return true;
  }
  return false;
}

void open_in_browser(const std::string& file) {
  std::string program = "xdg-open", path = std::filesystem::absolute(file).string();
  char* words[] = {program.data(), path.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, program.c_str(), &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) warn("no browser could be opened: xdg-open is not installed");
}

}  // namespace ulna::cli
