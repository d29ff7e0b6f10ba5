#pragma once
// `ulna identify ROBOT --excite`: a motion along which all base parameters can be told.

#include "options/regressor_options.hpp"

namespace ulna::cli {

struct ExciteWords {
  bool excite = false;
  std::optional<std::string> period, rate, velocity, acceleration, harmonics, candidates;
  unsigned seed = 1;
};

int run_excite(const Model& model, const RegressorTerms& terms, const ExciteWords& words,
               const std::optional<std::string>& output, bool json);

}  // namespace ulna::cli
