#pragma once
// Commands and options of the command line. CLI11, which parses it, takes seconds to compile: only
// main.cpp and command_line.cpp include it.

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ulna::cli {

/// An option that was added to a command; a handle, cheap to copy.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required(bool required = true) const;
  /// `other` must be given, too.
  Option needs(Option other) const;
  /// The heading under which the help lists it.
  Option group(const std::string& title) const;

 private:
  CLI::Option* option_;
};

/// `examples` end its help.
CLI::App* add_command(CLI::App& program, const std::string& name, const std::string& summary,
                      const std::string& examples);

/// An argument without dashes, by its place. `type` may list its values for shell completion.
Option add_argument(CLI::App& command, const std::string& name, std::string& value,
                    const std::string& help, const std::string& type = {});
/// The same, but it may be absent.
Option add_argument(CLI::App& command, const std::string& name, std::optional<std::string>& value,
                    const std::string& help);
/// The last argument of a command, which may be given several times.
Option add_arguments(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                     const std::string& help);
Option find_argument(CLI::App& command, const std::string& name);

Option add_flag(CLI::App& command, const std::string& name, bool& value, const std::string& help);
Option add_json_flag(CLI::App& command, bool& json);

/// An option with one value, kept as it was typed. `type` describes it in the help, in capitals; in
/// small letters it is the values themselves, "fast|exact". Shell completion offers those, and
/// files for FILE and DIR.
Option add_text(CLI::App& command, const std::string& name, std::optional<std::string>& value,
                const std::string& type, const std::string& help);
/// The same, but may be given several times, each with one value.
Option add_texts(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                 const std::string& type, const std::string& help);

/// One or several values behind the option: "--compare a b c".
Option add_list(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                const std::string& type, const std::string& help);

Option add_number(CLI::App& command, const std::string& name, double& value,
                  const std::string& type, const std::string& help);
Option add_number(CLI::App& command, const std::string& name, std::optional<double>& value,
                  const std::string& type, const std::string& help);
/// The help shows its default, the value at this time.
Option add_integer(CLI::App& command, const std::string& name, int& value, const std::string& help);
Option add_integer(CLI::App& command, const std::string& name, unsigned& value,
                   const std::string& help);

/// An option or argument as shell completion sees it.
struct OptionDescription {
  std::vector<std::string> names;  ///< "-o", "--output"; of an argument its name
  std::string help, type;
  bool is_argument = false;
  bool takes_value = false;
};
struct CommandDescription {
  std::string name, summary;
  std::vector<OptionDescription> options;
};
/// All commands of the program, in the order of its help.
std::vector<CommandDescription> describe_commands(const CLI::App& program);

}  // namespace ulna::cli
