#include "urdf/xacro.hpp"

#include <fmt/format.h>

#include "text_file.hpp"
#include "ulna/formats/internal/child_process.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

constexpr std::chrono::milliseconds xacro_patience = std::chrono::minutes(2);

[[noreturn]] void refuse_expansion(const std::string& file, std::string message,
                                   std::string hint = {}) {
  throw InputError(Problem{{file}, {}, std::move(message), "a xacro file", std::move(hint)});
}

}  // namespace

std::string expand_xacro(const std::string& file, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"xacro", file};
  for (const std::string& argument : arguments) {
    if (argument.empty()) continue;
    const std::size_t at = argument.find(":=");
    if (at == std::string::npos || at == 0)
      throw InputError(Problem{
          {}, "--xacro", "found " + in_quotes(argument), "NAME:=VALUE", "--xacro side:=left"});
    words.push_back(argument);
  }
  const std::unique_ptr<ChildProcess> program = ChildProcess::start(words, {1, 2});
  if (!program)
    refuse_expansion(file, "the program 'xacro' is not installed",
                     "python3 -m pip install xacro, or expand the file elsewhere");
  std::string urdf, complaints;
  while (urdf.size() <= largest_xml && program->receive(0, urdf, xacro_patience)) {
  }
  while (complaints.size() < megabyte && program->receive(1, complaints, xacro_patience)) {
  }
  const int status = program->wait(xacro_patience);
  if (status == 0 && urdf.size() <= largest_xml) return urdf;
  const std::string said(trimmed(complaints));
  refuse_expansion(file, said.empty() ? fmt::format("xacro ended with status {}", status)
                                      : "xacro says: " + said.substr(0, 2000));
}

}  // namespace ulna
