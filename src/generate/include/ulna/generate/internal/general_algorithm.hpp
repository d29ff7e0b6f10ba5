#pragma once
// What a generated function computes, by the general algorithms: the reference of its tests, and
// what stands in for it where there is no compiler.

#include <memory>
#include <string>

#include "ulna/generate/traced_function.hpp"

namespace ulna {

class ULNA_API GeneralAlgorithm {
 public:
  /// The model must outlive it.
  GeneralAlgorithm(const Model& model, const std::string& function,
                   const TraceOptions& options = {});
  ~GeneralAlgorithm();
  GeneralAlgorithm(GeneralAlgorithm&&) noexcept;
  GeneralAlgorithm& operator=(GeneralAlgorithm&&) noexcept;

  /// Arrays in the order of the generated function's arguments, symbolic parameters left out;
  /// matrices by rows.
  void operator()(const double* const* inputs, double* const* outputs);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace ulna
