#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "options/command_line.hpp"
#include "options/robot_options.hpp"
#include "output/json_output.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/fmu.hpp"

namespace ulna::cli::fmu_detail {
namespace {

constexpr const char* examples = R"(  ulna fmu arm.yaml -o arm.fmu
  ulna fmu arm.yaml -o arm.fmu --fmi 3 --inputs all
  ulna fmu arm.yaml -o arm.fmu --inputs tau.joint1,tau.joint2 --outputs q,frame.tool.x
  ulna fmu arm.yaml -o arm.fmu --parameters usual,bodies.link2.mass

EXPERIMENT is described in docs/experiment-file.md, the FMU in docs/fmu.md. Inputs replace functions of
the experiment: "open" (default) selects those that it leaves open; the alternatives are "all", "none"
and names. Rigid robots under given efforts or classical controllers are exported as C sources with a
binary, all others together with the library of Ulna.)";

struct Options {
  std::string file;
  std::optional<std::string> output, inputs, outputs, parameters, kind;
  std::optional<double> version;
  std::vector<std::string> packages;
  bool strict = false, json = false;
};

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> out;
  std::string rest = text + ",";
  for (std::size_t comma = 0; (comma = rest.find(',')) != std::string::npos;
       rest.erase(0, comma + 1))
    if (comma > 0) out.push_back(rest.substr(0, comma));
  return out;
}

FmuOptions fmu_options(const Options& options) {
  FmuOptions out;
  RobotOptions robot;
  robot.packages = options.packages;
  robot.strict = options.strict;
  out.read = read_options(robot);
  if (options.version) {
    if (*options.version != 2 && *options.version != 3)
      throw InputError(
          Problem{{}, "--fmi", fmt::format("{} found", *options.version), "2 or 3", {}});
    out.version = static_cast<int>(*options.version);
  }
  if (options.inputs) out.inputs = words(*options.inputs);
  if (options.outputs) out.outputs = words(*options.outputs);
  if (options.parameters) out.parameters = words(*options.parameters);
  if (options.kind && *options.kind != "source" && *options.kind != "library")
    throw InputError(
        Problem{{}, "--kind", fmt::format("'{}' found", *options.kind), "source or library", {}});
  if (options.kind)
    out.kind = *options.kind == "source" ? FmuOptions::Kind::source : FmuOptions::Kind::library;
  return out;
}

int run(const Options& options) {
  const FmuReport made = write_fmu(options.file, *options.output, fmu_options(options));
  if (!made.warning.empty()) warn(made.warning);
  if (options.json) {
    Json out = json_object();
    out["file"] = *options.output;
    out["kind"] = made.source ? "source" : "library";
    if (!made.source) out["why_library"] = made.why_library;
    out["model_exchange"] = made.model_exchange;
    if (!made.model_exchange) out["why_no_exchange"] = made.why_no_exchange;
    out["inputs"] = made.inputs;
    out["outputs"] = made.outputs;
    out["parameters"] = made.parameters;
    out["states"] = made.states;
    out["indicators"] = made.indicators;
    out["files"] = made.files;
    print_json(out);
    return 0;
  }
  if (!made.source && !made.why_library.empty())
    note("the FMU runs on the library: " + made.why_library);
  if (!made.model_exchange) note("the FMU is for co-simulation only: " + made.why_no_exchange);
  const auto count = [](const auto& list, const char* noun) {
    return counted(static_cast<long>(list.size()), noun);
  };
  print(fmt::format("wrote {}: {}, {}, {}, {}, {}\n", printable(*options.output),
                    count(made.inputs, "input"), count(made.outputs, "output"),
                    count(made.parameters, "parameter"), count(made.states, "state"),
                    counted(made.indicators, "indicator")));
  return 0;
}

}  // namespace
}  // namespace ulna::cli::fmu_detail

namespace ulna::cli {

Command add_fmu(CLI::App& program) {
  auto options = std::make_shared<fmu_detail::Options>();
  CLI::App* app = add_command(program, "fmu", "Write an experiment as an FMU (FMI 2.0 and 3.0)",
                              fmu_detail::examples);
  add_argument(*app, "EXPERIMENT", options->file, "An experiment file (.yaml)").required();
  add_text(*app, "-o,--output", options->output, "FILE", "FMU to write").required();
  add_number(*app, "--fmi", options->version, "2|3", "Version of the FMI standard (default: 2)");
  add_text(*app, "--inputs", options->inputs, "NAME,...",
           "Inputs: open (default), all, none, tau.JOINT, reference.JOINT");
  add_text(*app, "--outputs", options->outputs, "CHANNEL,...",
           "Outputs (default: the recorded channels of the file, or q, v and tau)");
  add_text(*app, "--parameters", options->parameters, "PATH,...",
           "Parameters: usual (default: constants, gains, masses of payloads), none, or paths");
  add_text(*app, "--kind", options->kind, "source|library",
           "Generated C code or the packed library (default: chosen by the experiment)");
  add_json_flag(*app, options->json);
  add_texts(*app, "--package", options->packages, "NAME=DIR",
            "Folder of a package:// name of a URDF; may be repeated");
  add_flag(*app, "--strict", options->strict,
           "Refuse a robot file if anything in it is changed or ignored");
  return {app, [options] { return fmu_detail::run(*options); }};
}

}  // namespace ulna::cli
