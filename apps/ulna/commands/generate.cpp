#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "options/loop_state.hpp"
#include "options/robot_options.hpp"
#include "options/speeds_options.hpp"
#include "options/state_options.hpp"
#include "output/json_output.hpp"
#include "output/output_file.hpp"
#include "output/terminal.hpp"
#include "ulna/generate/internal/snap.hpp"
#include "ulna/generate/source.hpp"
#include "ulna/model/internal/actuator_inputs.hpp"
#include "ulna/model/internal/requirements.hpp"

namespace ulna::cli::generate_detail {
namespace {

constexpr const char* examples =
    R"(  ulna generate puma560 --function inverse --language c -o generated
  ulna generate puma560 --function jacobian --frame link6 --language python
  ulna generate arm.urdf --function forward --language rust --json
  ulna generate puma560 --function inverse --language c --symbolic inertias,lengths
  ulna generate puma560 --function inverse --language c --thorough 60 --at-most 162,128
  ulna generate ur5.urdf --function inverse --language c-pack8 --snap 1e-6
  ulna generate intelledex605 --function forward --method kane --speeds body:C --language c
  ulna generate intelledex605 --function partial-velocities --speeds body:C --language latex
  ulna generate stanford --function matrices --language latex
  ulna generate five-bar --function forward --method lagrange-4x4 --language c

Each function is written together with a test, which compares ten random states with the library. With
--symbolic the parameters are an argument: NAME_prepare(p, c) is called once, then NAME(..., c, ...).
With --thorough the search for fewer operations of inverse and bias continues until the time limit or
until --at-most is reached; progress is reported on standard error.)";

struct Options : RobotOptions, SpeedWords {
  std::optional<std::string> function, language, folder, frame, symbolic, at_most, method, actuated,
      posture;
  std::optional<std::string> precision;
  std::optional<double> thorough, snap;
  bool fixed_names = false;
};

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : "|") + name;
  return out;
}

/// "162,128"
std::pair<int, int> two_counts(const std::string& text) {
  const auto wrong = [&] {
    return InputError(Problem{{},
                              "--at-most",
                              fmt::format("'{}' is not understood", text),
                              "multiplications and additions, as 162,128",
                              {}});
  };
  std::pair<int, int> out;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, out.first);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != ',') throw wrong();
  const auto second = std::from_chars(first.ptr + 1, end, out.second);
  if (second.ec != std::errc() || second.ptr != end) throw wrong();
  return out;
}

void read_thorough(const Options& options, TraceOptions& out) {
  if (options.at_most && !options.thorough)
    throw InputError(Problem{{}, "--at-most", "needs a search", "--thorough SECONDS with it", {}});
  if (!options.thorough) return;
  if (!(*options.thorough > 0) || *options.thorough > 1e6)
    throw InputError(Problem{{},
                             "--thorough",
                             fmt::format("{} is not a valid search time", *options.thorough),
                             "seconds, more than 0",
                             {}});
  if (*options.function != "inverse" && *options.function != "bias")
    throw InputError(Problem{{},
                             "--thorough",
                             fmt::format("there is no search for {}", *options.function),
                             "--function inverse or bias",
                             {}});
  out.thorough_seconds = *options.thorough;
  if (options.at_most) out.at_most = two_counts(*options.at_most);
  out.progress = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
}

TraceOptions trace_options(const Model& model, const Options& options) {
  TraceOptions out;
  out.frame = frame_or_tip(model, options.frame);
  read_thorough(options, out);
  if (options.method && options.thorough)
    throw InputError(Problem{{}, "--thorough", "given together with --method", "one of them", {}});
  const bool inverse = *options.function == "inverse" || *options.function == "loop-inverse";
  constexpr const char* inverse_of_loops = "--function inverse of a robot with loops";
  if (options.actuated && !inverse)
    throw InputError(
        Problem{{}, "--actuated", "applies to robots with loops only", inverse_of_loops, {}});
  if (options.actuated) require_loops(model, "--actuated", {}, inverse_of_loops);
  if (options.frame && *options.function != "forward-kinematics" && *options.function != "jacobian")
    throw InputError(Problem{{},
                             "--frame",
                             fmt::format("{} does not depend on a frame", *options.function),
                             "--function forward-kinematics or jacobian",
                             {}});
  out.method = options.method.value_or("");
  out.speeds = speeds_from(model, options);
  if (options.actuated) out.actuated = speeds_named_in(model, "--actuated", *options.actuated);
  if (options.posture) out.posture = coordinates_from(model, options.posture);
  if (!options.symbolic) return out;
  const std::vector<std::string> known = {"inertias", "lengths", "payloads"};
  std::string words = *options.symbolic + ",";
  for (std::size_t comma = 0; (comma = words.find(',')) != std::string::npos;
       words.erase(0, comma + 1)) {
    const std::string word = words.substr(0, comma);
    if (word == known[0])
      out.symbolic_inertias = true;
    else if (word == known[1])
      out.symbolic_lengths = true;
    else if (word == known[2])
      out.symbolic_payloads = true;
    else
      throw InputError(Problem{{},
                               "--symbolic",
                               fmt::format("'{}' is not available", word),
                               "inertias, lengths, payloads or several of them",
                               nearest_name_hint(word, known)});
  }
  return out;
}

/// All files are made before the first is written, each complete or not at all.
std::vector<std::string> write_files(const std::string& folder,
                                     const std::vector<SourceFile>& files) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    throw InputError(Problem{{folder, 0, 0}, {}, failure.message(), "a folder to write into", {}});
  std::vector<std::string> paths;
  for (const SourceFile& file : files) {
    paths.push_back((std::filesystem::path(folder) / file.name).string());
    write_file(paths.back(), file.content);
  }
  return paths;
}

Json to_json(const OperationCount& n) {
  return {{"mul", n.multiplications},
          {"add", n.additions},
          {"div", n.divisions},
          {"sqrt", n.square_roots},
          {"trig", n.sincos_pairs}};
}

/// The robot with its right angles exact, if that is wanted.
Model snapped(const Model& model, const Options& options, std::vector<std::string>& changes) {
  if (!options.snap) return model;
  Robot robot = model.robot();
  changes = snap_right_angles(robot, *options.snap);
  return changes.empty() ? model : made_from(model, robot);
}

PrintOptions print_options(const Options& options) {
  const std::string precision = options.precision.value_or("double");
  if (precision != "double" && precision != "float")
    throw InputError(
        Problem{{}, "--precision", "found '" + precision + "'", "double or float", {}});
  return {precision == "float", options.fixed_names};
}

int run(const Options& options) {
  std::vector<std::string> changes;
  const Model model = snapped(load(options), options, changes);
  const TraceOptions chosen = trace_options(model, options);
  const PrintOptions printing = print_options(options);
  const TracedFunction function = renamed(trace(model, *options.function, chosen), printing);
  const std::vector<SourceFile> files =
      generate_source(model, function, *options.language, chosen, printing);
  const std::vector<std::string> paths = write_files(options.folder.value_or("."), files);
  const OperationCount n = function.operations();
  if (options.json) {
    Json out = json_object();
    out["function"] = function.identifier();
    out["method"] = function.method;
    out["operations"] = to_json(n);
    if (!function.actuated.empty()) out["actuated"] = names_of(model, function.actuated);
    if (function.prepare) out["prepare_operations"] = to_json(function.prepare->operations());
    out["files"] = paths;
    if (options.snap) out["snapped"] = changes;
    print_json(out);
  } else {
    print(fmt::format("{}: {}\n", function.identifier(), printable(function.method)));
    print(fmt::format("  {} mul, {} add, {} div, {} sqrt, {} sin/cos pairs\n", n.multiplications,
                      n.additions, n.divisions, n.square_roots, n.sincos_pairs));
    for (const std::string& change : changes) print("  snapped: " + printable(change) + "\n");
    if (options.snap && changes.empty()) print("  snapped: nothing\n");
    for (const std::string& path : paths) print("  " + printable(path) + "\n");
  }
  return 0;
}

}  // namespace
}  // namespace ulna::cli::generate_detail

namespace ulna::cli {

Command add_generate(CLI::App& program) {
  auto options = std::make_shared<generate_detail::Options>();
  CLI::App* app =
      add_robot_command(program, "generate", "Equations of motion as straight-line source code",
                        generate_detail::examples, *options);
  add_text(*app, "--function", options->function, generate_detail::listed(function_names()),
           "Function to generate")
      .required();
  add_text(*app, "--language", options->language, generate_detail::listed(language_names()),
           "Language of the source code")
      .required();
  add_text(*app, "-o,--output", options->folder, "DIR",
           "Folder for the files (default: the current one)");
  add_text(
      *app, "--precision", options->precision, "double|float",
      "Type of all numbers; float for c and c++, whose test measures the error against double");
  add_flag(*app, "--fixed-names", options->fixed_names,
           "Name functions and files robot_... for every robot");
  add_text(*app, "--frame", options->frame, "FRAME",
           "Frame of forward-kinematics and jacobian (default: the tip)");
  add_text(*app, "--actuated", options->actuated, "SPEED,...",
           "For inverse with loops: the joints with motors, one for each degree of freedom");
  add_text(*app, "--q", options->posture, "Q1,Q2,...",
           "For inverse and forward with loops: the posture at which independent constraint rows "
           "are selected (default: several random postures)");
  add_text(*app, "--symbolic", options->symbolic, "WHAT",
           "Parameters that remain symbols, separated by commas: inertias, lengths, payloads "
           "(their masses)");
  add_number(*app, "--thorough", options->thorough, "SECONDS",
             "Time limit of the search for fewer operations, in seconds (inverse and bias)");
  add_number(
      *app, "--snap", options->snap, "TOL",
      "Tolerance within which angles and axes are rounded to exact right angles; each is listed");
  std::vector<std::string> methods;
  for (const Formulation& f : formulations()) methods.emplace_back(f.name);
  add_text(*app, "--method", options->method, generate_detail::listed(methods),
           "For inverse, bias, forward and mass: generate this formulation as it is, instead of "
           "the shortest form");
  add_text(*app, "--speeds", options->speeds, "joint-rates|middle|body:NAME|FILE",
           "Generalized speeds of partial-velocities, and of inverse, bias and forward with "
           "--method kane");
  add_text(*app, "--at-most", options->at_most, "MUL,ADD",
           "With --thorough: stop the search at this number of multiplications and additions");
  return {app, [options] { return generate_detail::run(*options); }};
}

}  // namespace ulna::cli
