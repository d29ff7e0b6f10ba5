#include "options/command_line.hpp"

#include <CLI/App.hpp>

#include "options/vector_text.hpp"

namespace ulna::cli {
namespace {

OptionDescription describe(const CLI::Option& option) {
  OptionDescription out;
  out.help = option.get_description();
  out.type = option.get_type_name();
  out.is_argument = option.get_positional();
  out.takes_value = option.get_items_expected_max() > 0;
  if (out.is_argument) {
    out.names = {option.get_name(true)};
    return out;
  }
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  return out;
}

template <class Integer>
Option add_integer_option(CLI::App& command, const std::string& name, Integer& value,
                          const std::string& help) {
  return Option(command.add_option(name, value, help)->capture_default_str());
}

}  // namespace

Option Option::required(bool required) const {
  option_->required(required);
  return *this;
}

Option Option::needs(Option other) const {
  option_->needs(other.option_);
  return *this;
}

Option Option::group(const std::string& title) const {
  option_->group(title);
  return *this;
}

CLI::App* add_command(CLI::App& program, const std::string& name, const std::string& summary,
                      const std::string& examples) {
  CLI::App* command = program.add_subcommand(name, summary);
  command->footer("Examples:\n" + examples);
  return command;
}

Option add_argument(CLI::App& command, const std::string& name, std::string& value,
                    const std::string& help, const std::string& type) {
  return Option(command.add_option(name, value, help)->type_name(type));
}

Option add_argument(CLI::App& command, const std::string& name, std::optional<std::string>& value,
                    const std::string& help) {
  return add_text(command, name, value, "", help);
}

Option add_arguments(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                     const std::string& help) {
  return Option(command.add_option(name, values, help)->type_name(""));
}

Option find_argument(CLI::App& command, const std::string& name) {
  return Option(command.get_option(name));
}

Option add_flag(CLI::App& command, const std::string& name, bool& value, const std::string& help) {
  return Option(command.add_flag(name, value, help));
}

Option add_json_flag(CLI::App& command, bool& json) {
  return add_flag(command, "--json", json, "Print one JSON object with full precision");
}

Option add_text(CLI::App& command, const std::string& name, std::optional<std::string>& value,
                const std::string& type, const std::string& help) {
  // Not an option on std::optional: that would take an empty text ("$UNSET") for no option at all.
  const auto keep = [&value](const std::string& text) { value = text; };
  return Option(command.add_option_function<std::string>(name, keep, help)->type_name(type));
}

Option add_texts(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                 const std::string& type, const std::string& help) {
  return Option(command.add_option(name, values, help)->type_name(type)->allow_extra_args(false));
}

Option add_list(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                const std::string& type, const std::string& help) {
  return Option(command.add_option(name, values, help)->type_name(type));
}

Option add_number(CLI::App& command, const std::string& name, double& value,
                  const std::string& type, const std::string& help) {
  const auto keep = [&value, name](const std::string& text) { value = parse_number(name, text); };
  return Option(command.add_option_function<std::string>(name, keep, help)->type_name(type));
}

Option add_number(CLI::App& command, const std::string& name, std::optional<double>& value,
                  const std::string& type, const std::string& help) {
  const auto keep = [&value, name](const std::string& text) { value = parse_number(name, text); };
  return Option(command.add_option_function<std::string>(name, keep, help)->option_text(type));
}

Option add_integer(CLI::App& command, const std::string& name, int& value,
                   const std::string& help) {
  return add_integer_option(command, name, value, help);
}

Option add_integer(CLI::App& command, const std::string& name, unsigned& value,
                   const std::string& help) {
  return add_integer_option(command, name, value, help);
}

std::vector<CommandDescription> describe_commands(const CLI::App& program) {
  std::vector<CommandDescription> list;
  for (const CLI::App* command : program.get_subcommands({})) {
    CommandDescription& out = list.emplace_back();
    out.name = command->get_name();
    out.summary = command->get_description();
    for (const CLI::Option* option : command->get_options())
      out.options.push_back(describe(*option));
  }
  return list;
}

}  // namespace ulna::cli
