#pragma once
// An experiment as C without any library: robot_model.c with the functions generated for its robot
// (generate/source.hpp) and the laws of its controllers. See fmu/c/robot_model.h.

#include "fmu/fmu_variables.hpp"
#include "ulna/generate/source.hpp"

namespace ulna {

/// What generated C cannot say of this experiment, one sentence; empty: it can say all.
std::string why_no_source(const FmuVariables& variables);

/// A joint with stops: indices of its coordinate and speed.
struct SourceStop {
  int q, v;
};
std::vector<SourceStop> source_stops(const Experiment& experiment);

/// robot_model.c and the generated functions.
std::vector<SourceFile> robot_sources(const FmuVariables& variables);

}  // namespace ulna
