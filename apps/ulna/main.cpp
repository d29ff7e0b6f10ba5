// ulna COMMAND ROBOT [options]
//
// Exit status: 0 done; 1 the computation failed, with the reason; 2 bad input or usage.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <csignal>
#include <new>
#include <sstream>
#include <utility>

#include "command.hpp"
#include "output/help_text.hpp"
#include "output/terminal.hpp"
#include "ulna/model/model.hpp"
#include "ulna/numerics/internal/instruction_set.hpp"

namespace ulna::cli {
namespace {

constexpr const char* footer = R"(Examples:
  ulna robots
  ulna info puma560
  ulna fk puma560 --q 0,45deg,-90deg,0,0.5,0
  ulna inverse puma560 --q 0,0.5,1,0,0,0 --json

ROBOT is a robot file (.yaml, .urdf, MuJoCo .xml) or the name of a shipped robot. Vectors are comma separated.
'ulna COMMAND --help' explains a command.
Exit status: 0 done; 1 the computation failed, with the reason; 2 bad input or usage.)";

std::vector<Command> add_commands(CLI::App& program) {
  return {add_info(program),      add_check(program),
          add_assemble(program),  add_fk(program),
          add_jacobian(program),  add_ik(program),
          add_inverse(program),   add_forward(program),
          add_mass(program),      add_kane(program),
          add_matrices(program),  add_energy(program),
          add_influence(program), add_platform(program),
          add_regressor(program), add_base_parameters(program),
          add_identify(program),  add_motion(program),
          add_simulate(program),  add_study(program),
          add_sweep(program),     add_optimize(program),
          add_linearize(program), add_equilibrium(program),
          add_generate(program),  add_synthesize(program),
          add_verify(program),    add_plot(program),
          add_report(program),    add_view(program),
          add_robots(program),    add_init(program),
          add_modes(program),     add_deflection(program),
          add_condense(program),  add_convert(program),
          add_fmu(program),       add_completion(program)};
}

/// The groups of the help, in its order.
constexpr std::pair<const char*, std::array<const char*, 12>> groups[] = {
    {"Robot files", {"robots", "init", "info", "check", "convert", "view", "completion"}},
    {"Kinematics",
     {"fk", "jacobian", "ik", "assemble", "influence", "platform", "motion", "synthesize"}},
    {"Dynamics",
     {"inverse", "forward", "mass", "energy", "kane", "matrices", "regressor", "base-parameters",
      "identify", "generate", "verify"}},
    {"Simulation and control",
     {"simulate", "linearize", "equilibrium", "study", "sweep", "optimize", "plot", "report",
      "fmu"}},
    {"Elastic structures", {"modes", "deflection", "condense"}}};

void group(const std::vector<Command>& commands) {
  for (const auto& [title, names] : groups)
    for (const Command& command : commands)
      for (const char* name : names)
        if (name && command.app->get_name() == name) command.app->group(title);
}

// CLI11 would only say that a word was not expected.
void check_command_name(const std::vector<Command>& commands, const std::string& word) {
  if (word.empty() || word[0] == '-') return;
  std::vector<std::string> known;
  for (const Command& command : commands) {
    if (command.app->get_name() == word) return;
    known.push_back(command.app->get_name());
  }
  const std::string hint = nearest_name_hint(word, known);
  std::string list;  // where no name is near
  for (const std::string& name : known)
    if (hint.empty()) list += (list.empty() ? "" : ", ") + name;
  throw InputError(fmt::format("there is no command '{}'", word), list,
                   hint.empty() ? hint : "'ulna' alone lists them; " + hint);
}

const CLI::App& active(const CLI::App& program) {
  const auto chosen = program.get_subcommands();
  return chosen.empty() ? program : *chosen.front();
}

std::string command_line_of(const CLI::App& app) {
  return app.get_parent() ? "ulna " + app.get_name() : "ulna";
}

std::string hint_for(const CLI::App& app, const std::string& word) {
  const bool number = word.find_first_of("0123456789") <= 1 && word.find('/') == std::string::npos;
  if (number) return "the numbers of a vector are separated by commas only: 0,0.5,1";
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  const std::string hint = nearest_name_hint(word.substr(0, word.find('=')), known);
  return hint.empty() ? fmt::format("'{} --help' lists what it takes", command_line_of(app)) : hint;
}

[[noreturn]] void refuse_usage(const CLI::App& program, const CLI::ParseError& failure) {
  const CLI::App& app = active(program);
  const std::vector<std::string> extras = program.remaining(true);
  const bool misplaced = dynamic_cast<const CLI::ExtrasError*>(&failure) || &app == &program;
  if (misplaced && !extras.empty()) {
    const std::string& word = extras.front();
    throw InputError(fmt::format("{}: {} '{}' was not expected", command_line_of(app),
                                 word.starts_with('-') ? "option" : "argument", word),
                     {}, hint_for(app, word));
  }
  throw InputError(fmt::format("{}: {}", command_line_of(app), failure.what()), {},
                   fmt::format("see '{} --help'", command_line_of(app)));
}

// Returns false when help or the version was asked for and has been printed.
bool parse(CLI::App& program, const std::vector<std::string>& words) {
  try {
    program.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    return true;
  } catch (const CLI::ParseError& failure) {
    if (failure.get_exit_code() != 0) refuse_usage(program, failure);
    std::ostringstream text;
    program.exit(failure, text, text);
    const std::string help = wrapped_help(text.str());
    print(help.ends_with('\n') ? help : help + "\n");
    return false;
  }
}

// What a report of a fault should name.
std::string version_text() {
  return fmt::format("ulna {}\ncommit: {}\ncompiler: {}\ninstruction set: {}\nfeatures: {}",
                     ULNA_VERSION, ULNA_COMMIT, ULNA_COMPILER, name_of(instruction_set()),
                     ULNA_FEATURES);
}

// The help speaks the words of the documentation.
void set_wording(CLI::App& program) {
  const auto formatter = program.get_formatter();
  formatter->column_width(34);
  formatter->label("SUBCOMMAND", "COMMAND ...");
  formatter->label("Subcommands", "Commands");
  formatter->label("Positionals", "Arguments");
  formatter->label("REQUIRED", "(required)");
}

int run(std::vector<std::string> words) {
  CLI::App program("Ulna: kinematics and dynamics of robot manipulators", "ulna");
  program.footer(footer);
  program.require_subcommand(1);
  set_wording(program);
  program.set_version_flag("-V,--version", version_text());
  const std::vector<Command> commands = add_commands(program);
  group(commands);

  if (words.empty()) words.emplace_back("--help");
  if (words[0] == "help") {  // ulna help fk
    words.erase(words.begin());
    words.resize(std::min<std::size_t>(words.size(), 1));
    words.emplace_back("--help");
  }
  check_command_name(commands, words[0]);
  if (!parse(program, words)) return 0;
  for (const Command& command : commands)
    if (command.app->parsed()) return command.run();
  return 2;
}

int run_guarded(const std::vector<std::string>& words) {
  try {
    return run(words);
  } catch (const InputError& problems) {
    error(problems);
    return 2;
  } catch (const std::bad_alloc&) {
    error("out of memory");
    return 1;
  } catch (const std::exception& failure) {  // ComputationError, and what should not happen
    error(failure.what());
    return 1;
  }
}

}  // namespace
}  // namespace ulna::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away shows as a failed write
  std::signal(SIGXFSZ, SIG_IGN);  // so does a limit on the size of files
  return ulna::cli::finish_output(ulna::cli::run_guarded({argv + 1, argv + argc}));
}
