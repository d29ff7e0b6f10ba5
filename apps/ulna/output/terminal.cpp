#include "output/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ulna::cli {
namespace {

bool colour_on(int file) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(file) && !(no_colour && *no_colour) && terminal &&
         std::strcmp(terminal, "dumb") != 0;
}

void say(const char* label, const char* colour, const std::string& text) {
  const bool bright = colour_on(STDERR_FILENO);
  const std::string line = fmt::format("{}{}:{} {}\n", bright ? colour : "", label,
                                       bright ? "\033[0m" : "", printable(text));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const unsigned code = static_cast<unsigned char>(c);
    if (code == 0x7f || (code < 0x20 && c != '\n' && c != '\t'))
      out += fmt::format("\\x{:02x}", code);
    else
      out += c;
  }
  return out;
}

std::string heading(const std::string& text) {
  return colour_on(STDOUT_FILENO) ? "\033[1m" + printable(text) + "\033[0m\n"
                                  : printable(text) + "\n";
}

std::string counted(long count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

void note(const std::string& text) { say("note", "\033[36m", text); }
void warn(const std::string& text) { say("warning", "\033[33m", text); }
void error(const std::string& text) { say("error", "\033[1;31m", text); }
void error(const InputError& problems) {
  for (const Problem& problem : problems.problems()) error(problem.text());
}

int terminal_width() {
  winsize size{};
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

int finish_output(int status) {
  errno = 0;
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout);
  if (!failed || errno == EPIPE) return status;
  error(fmt::format("standard output could not be written: {}", std::strerror(errno)));
  return status != 0 ? status : 1;
}

}  // namespace ulna::cli
