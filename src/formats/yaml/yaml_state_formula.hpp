#pragma once
// Efforts and forces of experiment files that depend on the state.

#include "yaml/yaml_motion.hpp"

namespace ulna {

/// Null unless the text is a formula of more than t; what is wrong with it is said elsewhere.
std::shared_ptr<const VariableFormula> state_formula(const YamlNode& node,
                                                     const MotionContext& context);

}  // namespace ulna
