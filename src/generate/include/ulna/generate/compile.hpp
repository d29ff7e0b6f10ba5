#pragma once
// A generated function, compiled and loaded: up to four times faster than the general algorithms
// (docs/generation.md).
//
//   const ulna::CompiledFunction inverse = ulna::compile(model, "inverse");
//   const double* in[] = {q.data(), v.data(), a.data()};
//   double* out[] = {tau.data()};
//   inverse(in, out);
//
// The system's C compiler is run without a shell in a private folder. Results are kept in the
// user's cache folder ($XDG_CACHE_HOME/ulna or ~/.cache/ulna) under the hash of the robot, the
// function, the options, this library, the compiler, its flags and the processor; a kept file is
// loaded only if its own hash is as it was, and then nothing is traced.
// Where there is no compiler, the general algorithm stands in, and warning() says so.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ulna/generate/traced_function.hpp"

namespace ulna {

/// How the code is laid out. Straight-line code is fastest until it outgrows the processor's first
/// instruction cache; then C that works on all columns at once in vector registers is (mass,
/// forward and derivatives of trees of one-degree joints).
enum class CompiledForm {
  fastest,        ///< whichever was faster when measured, by the number of operations
  straight_line,  ///< as `ulna generate` writes it
  columns         ///< InputError where there is none
};

struct CompileOptions {
  TraceOptions trace;  ///< parameters must be numeric
  /// A program, or words like "ccache gcc", which no shell sees; when empty $CC if set, else cc.
  std::string compiler;
  std::string cache;      ///< a folder; when empty the user's
  bool use_cache = true;  ///< false: compile again, keep nothing
  /// Sines and cosines by vector instructions, eight at a time (gcc and clang); within 1 ulp as the
  /// mathematical library's.
  bool angles_at_once = true;
  CompiledForm form = CompiledForm::fastest;
  int pack = 0;  ///< 4 or 8: also for so many states at once, which batch() then uses
  std::vector<std::string> flags = default_flags();

  /// What was fastest when measured (docs/generation.md).
  ULNA_API static std::vector<std::string> default_flags();
};

class ULNA_API CompiledFunction {
 public:
  using Call = void (*)(const double* const* inputs, double* const* outputs);

  /// Arrays in the order of inputs() and outputs(), matrices by rows. Compiled code may be called
  /// from many threads; the general algorithm that stands in may not.
  void operator()(const double* const* in, double* const* out) const {
    if (call_) [[likely]]
      call_(in, out);
    else
      general_(in, out);
  }

  /// Many states, one after the other in every array. Threads: 0 takes one per core, but none for
  /// less than some thousand states. The general algorithm takes one.
  void batch(long states, const double* const* in, double* const* out, int threads = 1) const;

  bool compiled() const { return call_ != nullptr; }
  bool from_cache() const { return from_cache_; }
  /// Compiled with all columns at once, not as straight-line code.
  bool columns() const { return columns_; }
  /// Why the general algorithm stands in; empty when it does not.
  const std::string& warning() const { return warning_; }
  /// The C function with one pointer per argument, inputs first: cast it to its type. Null when it
  /// is not compiled.
  void* address() const { return address_; }
  /// The same for packs, entry by entry: q[i * pack + k] is coordinate i of state k. Null without
  /// CompileOptions::pack.
  void* pack_address() const { return pack_address_; }

  const std::vector<Argument>& inputs() const { return inputs_; }
  const std::vector<Argument>& outputs() const { return outputs_; }
  /// Of the code that was compiled; zero where there is none.
  const OperationCount& operations() const { return operations_; }

 private:
  friend ULNA_API CompiledFunction compile(const Model&, const std::string&, const CompileOptions&);
  using Batch = void (*)(const double* const*, double* const*, long first, long last);
  Call call_ = nullptr;
  Batch batch_ = nullptr;
  void *address_ = nullptr, *pack_address_ = nullptr;
  std::shared_ptr<void> library_;
  std::function<void(const double* const*, double* const*)> general_;
  std::string warning_;
  bool from_cache_ = false, columns_ = false;
  std::vector<Argument> inputs_, outputs_;
  OperationCount operations_;
};

/// InputError as trace; ComputationError with the compiler's first error when it fails.
ULNA_API CompiledFunction compile(const Model& model, const std::string& function,
                                  const CompileOptions& options = {});

}  // namespace ulna
