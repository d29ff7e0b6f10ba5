#pragma once
// What a question or an option is for, said in one way wherever a robot is not of that kind. The
// opposite refusals, Model::require_tree and Model::require_rigid, are the model's own.

#include <string>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

/// InputError about `element` (an option, an argument; may be empty) unless the robot has loops:
/// "robot 'puma560' has no loops", and what `so` adds to that.
ULNA_API void require_loops(const Model& model, const std::string& element,
                            const std::string& so = {},
                            const std::string& expected = "a robot with loops");

/// The same unless it has flexible bodies: "robot 'puma560' is rigid".
ULNA_API void require_flexible(const Model& model, const std::string& element = {});

/// InputError about a word that is none of the known ones: lists them, and hints at the nearest.
[[noreturn]] ULNA_API void refuse_word(const std::string& element, const std::string& word,
                                       const std::vector<std::string>& known);

}  // namespace ulna
