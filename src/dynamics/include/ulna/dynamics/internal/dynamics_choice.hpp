#pragma once
// The options of Dynamics by the words of a command line, a file or Python. `argument` is what
// errors call the word.

#include <string>

#include "ulna/dynamics/dynamics.hpp"

namespace ulna {

/// "automatic" leaves the choice to Dynamics. With loops a way to close them ("embedding") may
/// stand for a formulation, as in earlier versions: then it says so by true. InputError with the
/// names that answer the question for this robot.
ULNA_API bool choose_method(const Model& model, Question question, const std::string& name,
                            DynamicsOptions& options, const char* argument = "method");

/// "multipliers" or "embedding"; InputError for other names and for robots without loops.
ULNA_API void choose_closing(const Model& model, const std::string& name, DynamicsOptions& options,
                             const char* argument = "closing");

/// InputError with the names of all levels and the nearest one.
ULNA_API ElasticLevel elastic_level_named(const std::string& name, const char* argument = "level");
/// The same, and InputError for rigid robots.
ULNA_API void choose_level(const Model& model, const std::string& name, DynamicsOptions& options,
                           const char* argument = "level");

/// Efforts of the independent speeds (all of a tree) under which these stay as they are.
ULNA_API Eigen::VectorXd holding_efforts(const Model& model, const VectorRef& q, const VectorRef& v,
                                         const std::vector<int>& independent = {});

}  // namespace ulna
