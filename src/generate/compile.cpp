#include "ulna/generate/compile.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "printing.hpp"
#include "sha256.hpp"
#include "system_compiler.hpp"
#include "ulna/generate/general_algorithm.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

constexpr const char* adapter = "ulna_call";
constexpr const char* batch_adapter = "ulna_batch";

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

struct Loaded {
  std::shared_ptr<void> library;
  bool from_cache = false;
};

Loaded build_or_find(const std::string& compiler, const CompileOptions& options,
                     const std::string& source) {
  std::string recipe = generate::compiler_identity(compiler);
  for (const std::string& flag : options.flags) recipe += flag + "\n";
  const std::string key = generate::sha256(recipe + source);
  const fs::path cache = cache_folder(options);
  const fs::path kept = cache / (key + ".so"), sum = cache / (key + ".sha256");
  if (!cache.empty()) {
    const std::string content = generate::read_whole(kept);
    if (!content.empty() && generate::sha256(content) == generate::read_whole(sum))
      return {load(kept), true};
  }
  const PrivateFolder folder(cache.empty() ? fs::temp_directory_path() : cache);
  const fs::path built = folder.path() / "function.so";
  generate::build_library(compiler, options.flags, folder.path(), source, built);
  if (cache.empty()) return {load(built), false};
  // The sum first: a file without its sum is not believed, and one beside another's is not either.
  const fs::path new_sum = folder.path() / "sum";
  std::ofstream(new_sum, std::ios::binary) << generate::sha256(generate::read_whole(built));
  fs::rename(new_sum, sum);
  fs::rename(built, kept);
  return {load(kept), false};
}

std::string compiler_name(const CompileOptions& options) {
  if (!options.compiler.empty()) return options.compiler;
  const char* from_environment = std::getenv("CC");
  return from_environment && *from_environment ? from_environment : "cc";
}

}  // namespace

std::vector<std::string> CompileOptions::default_flags() {
  return {"-O2", "-march=native", "-fno-tree-slp-vectorize", "-fno-math-errno",
          "-ffp-contract=fast"};
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
  std::vector<std::jthread> crew;  // joins when it goes, also on an exception
  for (long k = 1; k < used; ++k) crew.emplace_back(share, k);
  share(0);
}

CompiledFunction compile(const Model& model, const std::string& function,
                         const CompileOptions& options) {
  if (options.trace.symbolic_inertias || options.trace.symbolic_lengths)
    throw InputError("compiled functions have no symbolic parameters", "numeric parameters",
                     "generate the source code instead");
  if (options.pack != 0 && options.pack != 4 && options.pack != 8)
    throw InputError(fmt::format("packs of {} states are not available", options.pack),
                     "4, 8, or 0 for none");
  const TracedFunction traced = trace(model, function, options.trace);
  CompiledFunction out;
  out.inputs_ = traced.inputs;
  out.outputs_ = traced.outputs;
  out.operations_ = traced.operations();
  const std::string name = compiler_name(options), compiler = generate::find_program(name);
  if (compiler.empty()) {
    out.warning_ =
        fmt::format("there is no C compiler '{}': the general algorithm stands in, slower", name);
    const auto kept = std::make_shared<const Model>(model);
    const auto general = std::make_shared<GeneralAlgorithm>(*kept, function, options.trace);
    out.general_ = [kept, general](const double* const* in, double* const* results) {
      (*general)(in, results);
    };
    return out;
  }
  // The vector types cost nothing where they are not used; other compilers do not have them.
  const int lanes = options.pack > 0 ? options.pack : 8;
  std::string source = generate::pack_prelude(lanes) + generate::pack_functions(lanes) +
                       generate::c_text(traced, adapter, options.angles_at_once ? lanes : 0);
  if (options.pack > 0) source += "\n" + generate::pack_text(traced, options.pack, batch_adapter);
  const Loaded loaded = build_or_find(compiler, options, source);
  out.library_ = loaded.library;
  out.from_cache_ = loaded.from_cache;
  out.call_ = reinterpret_cast<CompiledFunction::Call>(dlsym(loaded.library.get(), adapter));
  out.address_ = dlsym(loaded.library.get(), traced.identifier().c_str());
  if (options.pack > 0) {
    out.batch_ =
        reinterpret_cast<CompiledFunction::Batch>(dlsym(loaded.library.get(), batch_adapter));
    out.pack_address_ =
        dlsym(loaded.library.get(), generate::pack_name(traced, options.pack).c_str());
  }
  if (!out.call_ || !out.address_ || (options.pack > 0 && !(out.batch_ && out.pack_address_)))
    throw ComputationError("the compiled library does not hold its function");
  return out;
}

}  // namespace ulna
