#pragma once
// The page with its data inside: what the reports of runs, robots and modes share.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "ulna/model/model.hpp"

namespace ulna {

/// Version, kind, title and robot: how every report begins.
nlohmann::ordered_json head_json(const char* kind, const Model& model, const std::string& title);

/// Safe inside <script>.
std::string script_safe(const nlohmann::ordered_json& data);

/// The page around data that is safe. ComputationError when the page was not compiled in.
/// `script`: generated kinematics, for the page that moves the robot by hand.
std::string page_with(const std::string& title, const std::string& data,
                      const std::string& script = {});

}  // namespace ulna
