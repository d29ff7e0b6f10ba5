#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>

#include "fmu/embedded_c.hpp"
#include "fmu/library_files.hpp"
#include "fmu/model_description.hpp"
#include "fmu/packed_experiment.hpp"
#include "fmu/source_code.hpp"
#include "fmu/zip_writer.hpp"
#include "text_file.hpp"
#include "ulna/formats/internal/child_process.hpp"
#include "ulna/formats/internal/output_file.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

/// A name that is valid in C.
std::string identifier_of(const std::string& name) {
  std::string out;
  for (const char c : name)
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<signed char>(c) > 0
               ? c
               : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out = "fmu_" + out;
  return out;
}

/// Equal for equal content: FNV-1a, twice with different beginnings.
std::string token_of(const std::string& content) {
  const auto hash = [&](std::uint64_t h) {
    for (const char c : content) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return h;
  };
  const std::uint64_t a = hash(0xcbf29ce484222325ull), b = hash(0x84222325cbf29ce4ull);
  return fmt::format("{{{:08x}-{:04x}-{:04x}-{:04x}-{:012x}}}", a >> 32, (a >> 16) & 0xffff,
                     a & 0xffff, b >> 48, b & 0xffffffffffffull);
}

/// A folder of one's own that goes with its object.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::string pattern = (fs::temp_directory_path() / "ulna-fmu-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      throw ComputationError("no folder for the compiler could be made in " + pattern);
    path = pattern;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  std::string path;
};

std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  if (!file) throw ComputationError(fmt::format("{} cannot be read", path));
  return all.str();
}

std::string first_error(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find("error") != std::string::npos) return line;
  return text.substr(0, text.find('\n'));
}

/// The shared library of the sources; nothing where there is no compiler.
std::optional<std::string> compiled(const std::vector<SourceFile>& sources,
                                    const std::string& compiler) {
  const PrivateFolder folder;
  const char* from_environment = std::getenv("CC");
  std::istringstream command(!compiler.empty()                       ? compiler
                             : from_environment && *from_environment ? from_environment
                                                                     : "cc");
  std::vector<std::string> words;
  for (std::string word; command >> word;) words.push_back(word);
  for (const char* flag : {"-std=c99", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-w",
                           "-ffp-contract=off", "-o"})
    words.emplace_back(flag);
  words.push_back(folder.path + "/fmu.so");
  for (const SourceFile& source : sources) {
    const std::string path = folder.path + "/" + source.name;
    std::ofstream(path, std::ios::binary) << source.content;
    if (source.name.ends_with(".c")) words.push_back(path);
  }
  words.insert(words.end(), {"-lm", "-ldl"});
  const std::string program = words.front();
  const auto child = ChildProcess::start(words, {2});
  if (!child) return std::nullopt;
  std::string messages;
  while (child->receive(0, messages, std::chrono::minutes(10))) {
  }
  if (child->wait(std::chrono::minutes(1)) != 0)
    throw ComputationError(
        fmt::format("{} could not compile the FMU: {}", program, first_error(messages)));
  return read_bytes(folder.path + "/fmu.so");
}

std::string binary_folder(int version) {
  utsname system{};
  uname(&system);
  const std::string machine = system.machine;
  if (version == 3) return fmt::format("binaries/{}-linux", machine);
  return machine == "x86_64" ? "binaries/linux64" : fmt::format("binaries/linux-{}", machine);
}

/// What goes into the archive.
struct Contents {
  std::vector<SourceFile> sources;  ///< that are compiled
  std::vector<SourceFile> packed;   ///< name in the archive, content
};

std::vector<SourceFile> common_sources(int version, const std::string& token) {
  std::vector<SourceFile> out = {{"ulna_fmu.h", embedded_c("ulna_fmu.h")},
                                 {"instance.c", embedded_c("instance.c")},
                                 {"fmi_common.c", embedded_c("fmi_common.c")}};
  const std::string interface = fmt::format("fmi{}.c", version);
  out.push_back({interface, embedded_c(interface)});
  out.push_back({"fmi_identity.h", fmt::format("#define ULNA_TOKEN \"{}\"\n", token)});
  return out;
}

void check_options(const FmuOptions& options) {
  if (options.version != 2 && options.version != 3)
    throw InputError(
        Problem{{}, "fmi", fmt::format("version {} found", options.version), "2 or 3", {}});
}

FmuReport report_of(const FmuVariables& v) {
  FmuReport report;
  const auto names = [](const std::vector<FmuVariable>& list) {
    std::vector<std::string> out;
    for (const FmuVariable& x : list) out.push_back(x.name);
    return out;
  };
  report.inputs = names(v.inputs), report.outputs = names(v.outputs);
  report.parameters = names(v.parameters), report.states = names(v.states);
  report.indicators = v.indicators;
  report.model_exchange = v.why_no_exchange.empty();
  report.why_no_exchange = v.why_no_exchange;
  return report;
}

/// The energies that a run sums up are no states of generated C.
void drop_works(FmuVariables& v) {
  std::erase_if(v.states, [](const FmuVariable& x) { return x.name.starts_with("work."); });
}

bool choose_source(const FmuVariables& v, const FmuOptions& options, FmuReport& report) {
  if (options.kind == FmuOptions::Kind::library) return false;
  report.why_library = why_no_source(v);
  if (options.kind == FmuOptions::Kind::source && !report.why_library.empty())
    throw InputError("this experiment is not written as a source FMU: " + report.why_library,
                     "an experiment of a rigid robot under efforts or classical controllers",
                     "leave the choice out, and the FMU runs on the library; --inputs all makes "
                     "inputs of functions of time");
  return report.why_library.empty();
}

void add_libraries(ZipWriter& zip, const std::string& folder, FmuReport& report) {
  const std::vector<LibraryFile> libraries = library_files();
  if (libraries.empty())
    throw InputError("this program has the library of Ulna inside and cannot pack it into an FMU",
                     "the shared library, or an experiment that becomes a source FMU",
                     report.why_library);
  std::string list;
  for (const LibraryFile& file : libraries) {
    zip.add(folder + "/" + file.name, read_bytes(file.path));
    report.files.push_back(folder + "/" + file.name);
    list += file.name + "\n";
  }
  zip.add(folder + "/libraries.txt", list);
}

void refuse_goal(const Experiment& e, const std::string& file) {
  if (e.goal)
    throw InputError(Problem{{file, 0, 0},
                             "goal",
                             "the switching times of a goal are searched before a run",
                             "an experiment without a goal",
                             "ulna simulate finds them; write them into the file"});
}

/// `packed`: the files that a unit on the library runs.
FmuReport write_unit(const Experiment& e, FmuVariables variables, const std::string& fmu_file,
                     const FmuOptions& options,
                     const std::function<std::vector<SourceFile>(const FmuVariables&)>& packed) {
  FmuReport report = report_of(variables);
  report.source = choose_source(variables, options, report);
  if (report.source) {
    drop_works(variables);
    variables.indicators = static_cast<int>(source_stops(variables.given.experiment).size());
    report.states = report_of(variables).states;
    report.indicators = variables.indicators;
  }
  std::vector<SourceFile> own, resources;
  if (report.source) {
    own = robot_sources(variables);
    own.push_back({"robot_model.h", embedded_c("robot_model.h")});
    for (const char* name : {"source_model.c", "source_stops.h", "source_stops.c"})
      own.push_back({name, embedded_c(name)});
  } else {
    own.push_back({"library_model.c", embedded_c("library_model.c")});
    resources = packed(variables);
  }
  FmuDescription description;
  description.version = options.version;
  description.name = e.name;
  description.description = e.description;
  description.identifier = identifier_of(fs::path(fmu_file).stem().string());
  description.duration = e.end;
  description.tolerance = e.integrator.tolerances.relative;
  description.interval = e.record.interval > 0 ? e.record.interval : e.end / 100;
  std::string all = model_description(description, variables);
  for (const auto* list : {&own, &resources})
    for (const SourceFile& file : *list) all += file.name + file.content;
  description.token = token_of(all);
  std::vector<SourceFile> sources = common_sources(options.version, description.token);
  sources.insert(sources.end(), own.begin(), own.end());
  if (report.source)
    for (const SourceFile& file : sources) description.sources.push_back(file.name);

  ZipWriter zip;
  const auto add = [&](const std::string& name, const std::string& content) {
    zip.add(name, content);
    report.files.push_back(name);
  };
  add("modelDescription.xml", model_description(description, variables));
  if (report.source) {
    for (const SourceFile& file : sources) add("sources/" + file.name, file.content);
    if (options.version == 3) add("sources/buildDescription.xml", build_description(description));
  }
  for (const SourceFile& file : resources) add("resources/" + file.name, file.content);
  const std::string folder = binary_folder(options.version);
  if (const std::optional<std::string> binary = compiled(sources, options.compiler))
    add(fmt::format("{}/{}.so", folder, description.identifier), *binary);
  else if (report.source)
    report.warning = "there is no C compiler: the FMU holds sources and no binary";
  else
    throw InputError("there is no C compiler for the binary of the FMU", "cc, or another by CC");
  if (!report.source) add_libraries(zip, folder, report);
  write_output_file(fmu_file, zip.finish());
  return report;
}

}  // namespace

FmuReport write_fmu(const std::string& experiment_file, const std::string& fmu_file,
                    const FmuOptions& options) {
  check_options(options);
  const ExperimentParameters parameters(experiment_file, options.read);
  const ReadExperiment read = parameters.with({});
  refuse_goal(read.experiment, experiment_file);
  return write_unit(
      read.experiment,
      fmu_variables(read.experiment, fmu_parameters(read, parameters, options), options), fmu_file,
      options, [&](const FmuVariables& v) { return packed_experiment(read, parameters, v); });
}

FmuReport write_fmu(const Experiment& experiment, const std::string& fmu_file,
                    const FmuOptions& options) {
  check_options(options);
  CheckedExperiment checked(experiment);
  refuse_goal(experiment, {});
  return write_unit(
      experiment, fmu_variables(experiment, fmu_parameters(experiment, options), options), fmu_file,
      options, [](const FmuVariables& v) -> std::vector<SourceFile> {
        const std::string why = why_no_source(v);
        throw InputError("an experiment made in code becomes an FMU of generated C only: " +
                             (why.empty() ? std::string("the library was requested") : why),
                         "an experiment that generated C can hold, or an experiment file",
                         "write the experiment as a file; units of files can run on the library");
      });
}

}  // namespace ulna
