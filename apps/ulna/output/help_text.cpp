#include "output/help_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace ulna::cli {
namespace {

constexpr std::size_t option_column = 34;  // of the formatter in main.cpp

/// Where the lines after the first begin, and what ends those that go on.
struct Continuation {
  std::size_t indent = 0;
  std::string mark;
};

Continuation continuation_of(const std::string& line) {
  constexpr std::size_t deeper = 4;
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  if (line.starts_with("  ulna ")) return {indent + deeper, " \\"};
  // Options, arguments and commands have what they mean beside them.
  if (indent == 2 && line.size() > option_column && line.compare(option_column - 2, 2, "  ") == 0 &&
      line[option_column] != ' ')
    return {option_column, {}};
  if (line.starts_with("  -")) return {indent + deeper, {}};
  return {indent, {}};
}

/// The last place before `end` where a line may be broken; npos: none.
std::size_t break_before(const std::string& line, std::size_t first, std::size_t end) {
  const std::size_t blank = line.rfind(' ', end);
  if (blank != std::string::npos && blank > first) return blank;
  const std::size_t bar = line.rfind('|', end - 1);  // lists of values
  return bar != std::string::npos && bar > first ? bar + 1 : std::string::npos;
}

std::string wrapped_line(std::string line, std::size_t columns) {
  std::string out;
  const Continuation next = continuation_of(line);
  while (line.size() > columns) {
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t at = break_before(line, first, columns - next.mark.size());
    if (at == std::string::npos) break;
    std::string head = line.substr(0, at), rest = line.substr(at);
    head.erase(head.find_last_not_of(' ') + 1);
    rest.erase(0, rest.find_first_not_of(' '));
    out += head + next.mark + "\n";
    line = std::string(next.indent, ' ') + rest;
  }
  return out + line;
}

/// Dashes and backslashes as roff wants them; a point at the beginning would be a macro.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return !out.empty() && (out[0] == '.' || out[0] == '\'') ? "\\&" + out : out;
}

}  // namespace

std::string wrapped_help(const std::string& help, std::size_t columns) {
  std::string out, left;  // of a paragraph's line that was broken: its next line goes on there
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    const bool text = !line.empty() && line[0] != ' ';
    if (!left.empty()) {
      if (text)
        line = left + " " + line;
      else
        out += left + "\n";
      left.clear();
    }
    std::string wrapped = wrapped_line(line, columns);
    const std::size_t last = wrapped.rfind('\n');
    if (text && last != std::string::npos) {
      left = wrapped.substr(last + 1);
      wrapped.resize(last);
    }
    out += wrapped + "\n";
  }
  if (!left.empty()) out += left + "\n";
  if (!help.ends_with('\n') && !out.empty()) out.pop_back();
  return out;
}

std::string manual_page(const std::vector<CommandDescription>& commands) {
  std::string out =
      ".TH ULNA 1 \"\" \"ulna\" \"User commands\"\n.ad l\n.nh\n.SH NAME\nulna \\- kinematics and "
      "dynamics "
      "of robot manipulators\n.SH SYNOPSIS\n.B ulna\n.I COMMAND ROBOT\n.RI [ options ]\n"
      ".SH DESCRIPTION\nROBOT is a robot file (.yaml, .urdf, MuJoCo .xml, .sdf) or the name of a "
      "shipped robot. Vectors are comma separated. \\(lqulna COMMAND \\-\\-help\\(rq shows "
      "examples.\n.SH COMMANDS\n";
  for (const CommandDescription& command : commands) {
    out += fmt::format(".SS {}\n{}.\n", roff(command.name), roff(command.summary));
    for (const OptionDescription& option : command.options) {
      out += fmt::format(".TP\n.B {}{}{}\n{}\n",
                         roff(fmt::format("{}", fmt::join(option.names, ", "))),
                         option.type.empty() ? "" : " ", roff(option.type), roff(option.help));
    }
  }
  return out +
         ".SH EXIT STATUS\n0: done. 1: the computation failed, with the reason. 2: bad input or "
         "usage.\n";
}

}  // namespace ulna::cli
