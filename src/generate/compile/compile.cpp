#include "ulna/generate/compile.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <thread>

#include "compile/column_form.hpp"
#include "compile/sha256.hpp"
#include "compile/system_compiler.hpp"
#include "print/printing.hpp"
#include "trace/request.hpp"
#include "trace/tracing.hpp"
#include "ulna/generate/internal/general_algorithm.hpp"
#include "ulna/numerics/internal/threads.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

constexpr const char* adapter = "ulna_call";
constexpr const char* batch_adapter = "ulna_batch";
constexpr const char* facts = "ulna_facts";

/// A folder for this process alone, removed with what it holds.
class PrivateFolder {
 public:
  explicit PrivateFolder(const fs::path& where) {
    std::string name = (where / "build-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw ComputationError(fmt::format("no folder could be made in {}", where.string()));
    path_ = name;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

fs::path user_cache() {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg && *xdg == '/') return fs::path(xdg) / "ulna";
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? fs::path(home) / ".cache" / "ulna" : fs::path();
}

/// Ours, and nobody else may write to it. What others could change is never loaded.
bool is_safe(const fs::path& folder) {
  struct stat there {};
  return lstat(folder.c_str(), &there) == 0 && S_ISDIR(there.st_mode) &&
         there.st_uid == geteuid() && (there.st_mode & 022) == 0;
}

/// The cache folder, made if need be; empty when there is none to be trusted.
fs::path cache_folder(const CompileOptions& options) {
  if (!options.use_cache) return {};
  const fs::path folder = options.cache.empty() ? user_cache() : fs::path(options.cache);
  if (folder.empty()) return {};
  std::error_code ignored;
  if (!fs::exists(folder, ignored) && fs::create_directories(folder, ignored))
    fs::permissions(folder, fs::perms::owner_all, ignored);
  return is_safe(folder) && access(folder.c_str(), W_OK) == 0 ? folder : fs::path();
}

std::shared_ptr<void> load(const fs::path& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw ComputationError(fmt::format("the compiled function cannot be loaded: {}", dlerror()));
  return {handle, [](void* h) { dlclose(h); }};
}

/// A compiled function of the cache, by the hash of what it was made from.
class Entry {
 public:
  Entry(fs::path cache, const std::string& made_from)
      : cache_(std::move(cache)), key_(generate::sha256(made_from)) {}

  /// Null when it is not there, or not as it was built.
  std::shared_ptr<void> find() const {
    if (cache_.empty()) return nullptr;
    const std::string content = generate::read_whole(kept());
    if (content.empty() || generate::sha256(content) != generate::read_whole(sum())) return nullptr;
    return load(kept());
  }

  std::shared_ptr<void> build(const std::vector<std::string>& compiler,
                              const std::vector<std::string>& flags,
                              const std::string& source) const {
    const PrivateFolder folder(cache_.empty() ? fs::temp_directory_path() : cache_);
    const fs::path built = folder.path() / "function.so";
    generate::build_library(compiler, flags, folder.path(), source, built);
    if (cache_.empty()) return load(built);
    // The sum first: a file without its sum is not believed, and one beside another's is not
    // either.
    const fs::path new_sum = folder.path() / "sum";
    std::ofstream(new_sum, std::ios::binary) << generate::sha256(generate::read_whole(built));
    fs::rename(new_sum, sum());
    fs::rename(built, kept());
    return load(kept());
  }

 private:
  fs::path kept() const { return cache_ / (key_ + ".so"); }
  fs::path sum() const { return cache_ / (key_ + ".sha256"); }
  fs::path cache_;
  std::string key_;
};

/// Whether the flags let vectors of four numbers and more be one register: without, working on many
/// columns at once does not pay.
bool has_wide_vectors(const std::vector<std::string>& flags) {
#if defined(__x86_64__) && defined(__GNUC__)
  return std::find(flags.begin(), flags.end(), "-march=native") != flags.end() &&
         __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  static_cast<void>(flags);
  return false;
#endif
}

/// Robots with more joints get no straight-line code to compare with: compiling it would take from
/// seconds to minutes. Forward dynamics does: a factor of M grows with the cube of the joints,
/// articulated bodies do not.
int most_joints(const std::string& function) {
  return function == "forward" ? std::numeric_limits<int>::max()
                               : (function.ends_with("derivatives") ? 12 : 24);
}

struct Source {
  std::string text;
  OperationCount operations;
  bool columns = false;
};

Source source_of(const Model& model, const TracedFunction& described,
                 const CompileOptions& options) {
  const bool possible =
      options.trace.method.empty() && generate::has_column_form(model, described.name);
  if (options.form == CompiledForm::columns && !possible)
    throw InputError(
        fmt::format("{} of robot '{}' has no form with all columns at once", described.name,
                    model.name()),
        "mass, forward, inverse-derivatives or forward-derivatives of a tree of one-degree joints",
        "CompiledForm::fastest takes straight-line code where there is none");
  const bool may =
      options.form == CompiledForm::fastest && possible && has_wide_vectors(options.flags);
  Source out;
  out.columns = options.form == CompiledForm::columns ||
                (may && model.speeds() > most_joints(described.name));
  // The vector types cost nothing where they are not used; other compilers do not have them.
  const int lanes = options.pack > 0 ? options.pack : 8;
  out.text = generate::pack_prelude(lanes) + generate::pack_functions(lanes);
  TracedFunction traced;
  if (!out.columns || options.pack > 0) {
    traced = trace(model, described.name, options.trace);
    out.operations = traced.operations();
    out.columns |= may && out.operations.multiplications + out.operations.additions >
                              generate::column_cost(model, described.name);
  }
  if (out.columns) {
    const generate::ColumnForm form = generate::column_form(model, described);
    out.text += form.text;
    out.operations = form.operations;
  } else {
    out.text += generate::c_text(traced, options.angles_at_once ? lanes : 0);
  }
  out.text += generate::c_adapter(described, adapter);
  if (options.pack > 0) out.text += "\n" + generate::pack_text(traced, options.pack, batch_adapter);
  const OperationCount& n = out.operations;
  out.text +=
      fmt::format("\nconst int {}[] = {{{}, {}, {}, {}, {}, {}}};\n", facts, n.multiplications,
                  n.additions, n.divisions, n.square_roots, n.sincos_pairs, out.columns ? 1 : 0);
  return out;
}

std::string compiler_name(const CompileOptions& options) {
  if (!options.compiler.empty()) return options.compiler;
  const char* from_environment = std::getenv("CC");
  return from_environment && *from_environment ? from_environment : "cc";
}

}  // namespace

std::vector<std::string> CompileOptions::default_flags() {
  return {"-O2",
          "-march=native",
          "-fno-tree-slp-vectorize",
          "-fno-math-errno",
          "-ffp-contract=fast",
          "-fschedule-insns"};
}

void CompiledFunction::batch(long states, const double* const* in, double* const* out,
                             int threads) const {
  const auto one_by_one = [&](long first, long last) {
    std::vector<const double*> from(inputs_.size());
    std::vector<double*> to(outputs_.size());
    for (long i = first; i < last; ++i) {
      for (std::size_t k = 0; k < from.size(); ++k) from[k] = in[k] + i * inputs_[k].size();
      for (std::size_t k = 0; k < to.size(); ++k) to[k] = out[k] + i * outputs_[k].size();
      (*this)(from.data(), to.data());
    }
  };
  constexpr long least_share = 2048;  // states that are worth starting a thread for
  const long cores = std::max(1u, std::thread::hardware_concurrency());
  const long wanted = !compiled() ? 1 : threads > 0 ? threads : cores;
  const long used = std::clamp<long>(states / least_share, 1, wanted);
  const auto share = [&](long k) {
    const long first = states * k / used, last = states * (k + 1) / used;
    if (batch_)
      batch_(in, out, first, last);
    else
      one_by_one(first, last);
  };
  side_by_side(used, share);
}

CompiledFunction compile(const Model& model, const std::string& function,
                         const CompileOptions& options) {
  if (options.trace.symbolic())
    throw InputError("compiled functions have no symbolic parameters", "numeric parameters",
                     "generate the source code instead");
  if (options.pack != 0 && options.pack != 4 && options.pack != 8)
    throw InputError(fmt::format("packs of {} states are not available", options.pack),
                     "4, 8, or 0 for none");
  const TracedFunction described = generate::described(model, function, options.trace);
  CompiledFunction out;
  out.inputs_ = described.inputs;
  out.outputs_ = described.outputs;
  const std::string name = compiler_name(options);
  const std::vector<std::string> compiler = generate::find_command(name);
  if (compiler.empty()) {
    out.warning_ = fmt::format(
        "there is no C compiler '{}'; the slower general algorithm is used instead", name);
    const auto kept = std::make_shared<const Model>(model);
    const auto general = std::make_shared<GeneralAlgorithm>(*kept, function, options.trace);
    out.general_ = [kept, general](const double* const* in, double* const* results) {
      (*general)(in, results);
    };
    return out;
  }
  std::string recipe = generate::compiler_identity(compiler);
  for (const std::string& flag : options.flags) recipe += flag + "\n";
  const fs::path cache = cache_folder(options);
  std::string made_from = generate::request_text(model, function, options), source;
  if (made_from.empty()) made_from = source = source_of(model, described, options).text;
  const Entry entry(cache, recipe + made_from);
  out.library_ = entry.find();
  out.from_cache_ = out.library_ != nullptr;
  if (!out.library_) {
    if (source.empty()) source = source_of(model, described, options).text;
    out.library_ = entry.build(compiler, options.flags, source);
  }
  const auto symbol = [&](const std::string& of) { return dlsym(out.library_.get(), of.c_str()); };
  out.call_ = reinterpret_cast<CompiledFunction::Call>(symbol(adapter));
  out.address_ = symbol(described.identifier());
  const int* numbers = static_cast<const int*>(symbol(facts));
  if (options.pack > 0) {
    out.batch_ = reinterpret_cast<CompiledFunction::Batch>(symbol(batch_adapter));
    out.pack_address_ = symbol(generate::pack_name(described, options.pack));
  }
  if (!out.call_ || !out.address_ || !numbers ||
      (options.pack > 0 && !(out.batch_ && out.pack_address_)))
    throw ComputationError("the compiled library does not hold its function");
  out.operations_ = {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
  out.columns_ = numbers[5] != 0;
  return out;
}

}  // namespace ulna
