#pragma once
// Generalized speeds of generated code: the joint rates, or the turning of a body in the place of
// three of them, chosen once, at a posture of their own (kinematics/speed_map.hpp chooses anew
// wherever it is asked).

#include <array>
#include <string>

#include "ulna/model/model.hpp"

namespace ulna::generate {

struct BodySpeeds {
  int body = 0;  ///< 0: the joint rates
  std::array<int, 3> replaced = {};
};

/// "joint-rates" or "body:NAME".
BodySpeeds named_speeds(const Model& model, const std::string& name);

}  // namespace ulna::generate
