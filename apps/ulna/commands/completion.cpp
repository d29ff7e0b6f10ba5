// Shell completion, made from the parser itself: a new command or option needs nothing here.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include "command.hpp"
#include "options/command_line.hpp"
#include "output/help_text.hpp"
#include "output/json_output.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/read_robot.hpp"

namespace ulna::cli::completion_detail {
namespace {

constexpr const char* examples = R"(  ulna completion bash > /etc/bash_completion.d/ulna
  ulna completion zsh > "${fpath[1]}/_ulna"
  ulna completion fish > ~/.config/fish/completions/ulna.fish
  ulna completion man > /usr/local/share/man/man1/ulna.1)";

/// One option of a command as a shell sees it.
struct Word {
  std::string name;  ///< "--q"
  std::string help;
  bool takes_value = false;
  bool takes_file = false;
  std::vector<std::string> choices;
};

// The values of a type in small letters, "fast|exact"; none for a description in capitals.
std::vector<std::string> split_choices(const std::string& type) {
  std::vector<std::string> choices;
  if (type.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string::npos) return choices;
  std::istringstream list(type);
  for (std::string choice; std::getline(list, choice, '|');) choices.push_back(choice);
  return choices;
}

std::vector<Word> options_of(const CommandDescription& command) {
  std::vector<Word> words;
  for (const OptionDescription& option : command.options) {
    if (option.is_argument) continue;
    Word word{.name = {}, .help = option.help, .choices = {}};
    word.takes_value = option.takes_value;
    if (word.takes_value) {
      word.takes_file = option.type.ends_with("FILE") || option.type.ends_with("DIR");
      word.choices = split_choices(option.type);
    }
    for (const std::string& name : option.names) {
      word.name = name;
      words.push_back(word);
    }
  }
  return words;
}

bool is_robot(const OptionDescription& option) {
  return option.is_argument && option.names.front() == "ROBOT";
}

/// Words for the first positional argument: shipped robots (files besides), or given choices.
std::vector<std::string> positional_choices(const CommandDescription& command) {
  std::vector<std::string> choices;
  for (const OptionDescription& option : command.options) {
    if (!option.is_argument) continue;
    if (is_robot(option))
      for (const ShippedRobot& robot : shipped_robots()) choices.push_back(robot.name);
    else
      choices = split_choices(option.type);
  }
  return choices;
}

bool takes_file(const CommandDescription& command) {
  return std::any_of(command.options.begin(), command.options.end(), is_robot);
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::string names(const std::vector<Word>& words) {
  std::vector<std::string> list;
  for (const Word& word : words) list.push_back(word.name);
  return joined(list);
}

// In single quotes of a shell.
std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

using Commands = std::vector<CommandDescription>;

std::string command_names(const Commands& commands) {
  std::vector<std::string> list;
  for (const CommandDescription& command : commands) list.push_back(command.name);
  return joined(list);
}

std::string bash_script(const Commands& commands) {
  std::string cases;
  for (const CommandDescription& command : commands) {
    cases += fmt::format("    {})\n      case $before in\n", command.name);
    for (const Word& word : options_of(command)) {
      if (!word.choices.empty())
        cases += fmt::format("        {}) words='{}' ;;\n", word.name, joined(word.choices));
      else if (word.takes_value)
        cases += fmt::format("        {}) {} ;;\n", word.name, word.takes_file ? "files=yes" : ":");
    }
    cases += fmt::format("        *) words='{} {}'{} ;;\n      esac ;;\n",
                         joined(positional_choices(command)), names(options_of(command)),
                         takes_file(command) ? " files=yes" : "");
  }
  return fmt::format(R"(# bash completion for ulna; made by 'ulna completion bash'
_ulna() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words='' files=''
  case $COMP_CWORD in
    1) COMPREPLY=($(compgen -W '{} --help --version' -- "$word")); return ;;
  esac
  case ${{COMP_WORDS[1]}} in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  if [ -n "$files" ] && [[ $word != -* ]]; then
    local IFS=$'\n'
    COMPREPLY+=($(compgen -f -- "$word"))
    compopt -o filenames 2>/dev/null
  fi
}}
complete -F _ulna ulna
)",
                     command_names(commands), cases);
}

// In zsh's option specifications, brackets and colons have a meaning.
std::string zsh_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_script(const Commands& commands) {
  std::string list, cases;
  for (const CommandDescription& command : commands) {
    list +=
        fmt::format("    {}\n", shell_quoted(command.name + ":" + zsh_escaped(command.summary)));
    cases += fmt::format("    {})\n      _arguments", command.name);
    for (const Word& word : options_of(command)) {
      std::string spec = "*" + word.name + "[" + zsh_escaped(word.help) + "]";
      if (!word.choices.empty())
        spec += ":value:(" + joined(word.choices) + ")";
      else if (word.takes_value)
        spec += word.takes_file ? ":file:_files" : ":value: ";
      cases += " \\\n        " + shell_quoted(spec);
    }
    const std::string choices = joined(positional_choices(command));
    if (takes_file(command))
      cases += " \\\n        " + shell_quoted("1:robot:{compadd " + choices + "; _files}");
    else if (!choices.empty())
      cases += " \\\n        " + shell_quoted("1:shell:(" + choices + ")");
    cases += " ;;\n";
  }
  return fmt::format(R"(#compdef ulna
# zsh completion for ulna; made by 'ulna completion zsh'
_ulna() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
if [ "$funcstack[1]" = _ulna ]; then _ulna "$@"; else compdef _ulna ulna; fi
)",
                     list, cases);
}

std::string fish_script(const Commands& commands) {
  std::string out = "# fish completion for ulna; made by 'ulna completion fish'\n";
  for (const CommandDescription& command : commands) {
    const std::string& name = command.name;
    out += fmt::format("complete -c ulna -n __fish_use_subcommand -f -a {} -d {}\n", name,
                       shell_quoted(command.summary));
    const std::string when =
        fmt::format("complete -c ulna -n '__fish_seen_subcommand_from {}'", name);
    const std::string choices = joined(positional_choices(command));
    if (!choices.empty())
      out += fmt::format("{}{} -a {}\n", when, takes_file(command) ? "" : " -f",
                         shell_quoted(choices));
    for (const Word& word : options_of(command)) {
      const bool is_long = word.name.starts_with("--");
      out +=
          fmt::format("{} {} {}", when, is_long ? "-l" : "-s", word.name.substr(is_long ? 2 : 1));
      if (word.takes_value) out += word.takes_file ? " -r" : " -x";
      if (!word.choices.empty()) out += " -a " + shell_quoted(joined(word.choices));
      out += " -d " + shell_quoted(word.help) + "\n";
    }
  }
  return out;
}

struct Shell {
  const char* name;
  std::string (*script)(const Commands&);
};
constexpr Shell shells[] = {
    {"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}, {"man", manual_page}};

struct Options {
  std::string shell;
  bool json = false;
};

int run(const CLI::App& program, const Options& options) {
  for (const Shell& known : shells) {
    if (options.shell != known.name) continue;
    const std::string script = known.script(describe_commands(program));
    if (!options.json) {
      print(script);
      return 0;
    }
    Json out = json_object();
    out["shell"] = known.name;
    out["script"] = script;
    print_json(out);
    return 0;
  }
  throw InputError(
      Problem{{}, "SHELL", fmt::format("'{}' found", options.shell), "bash, zsh, fish or man", {}});
}

}  // namespace
}  // namespace ulna::cli::completion_detail

namespace ulna::cli {

Command add_completion(CLI::App& program) {
  auto options = std::make_shared<completion_detail::Options>();
  CLI::App* app = add_command(program, "completion", "Shell completion script, or the manual page",
                              completion_detail::examples);
  add_argument(*app, "SHELL", options->shell, "bash, zsh, fish or man", "bash|zsh|fish|man")
      .required();
  add_json_flag(*app, options->json);
  return {app, [options, &program] { return completion_detail::run(program, *options); }};
}

}  // namespace ulna::cli
