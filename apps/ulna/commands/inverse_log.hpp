#pragma once
// `ulna inverse ROBOT --csv LOG`: efforts along a measured motion, beside those measured.

#include "options/log_options.hpp"
#include "ulna/dynamics/internal/motor_choice.hpp"

namespace ulna::cli {

/// Writes t, the motion, tau and, where the log has them, the measured efforts into `output` (CSV
/// or picture).
int run_inverse_log(Dynamics& dynamics, const std::string& file, const LogWords& words,
                    const std::optional<std::string>& output, bool json);

/// Says where the motors were put, and why.
void note_motors(const Model& model, const MotorChoice& choice);

}  // namespace ulna::cli
