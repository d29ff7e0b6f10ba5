#pragma once
// Reading synthesis tasks (docs/synthesis.md). All problems of a file are collected into one
// InputError with file, line and column.

#include <string>

#include "ulna/study/synthesis.hpp"

namespace ulna {

/// The names in the file are those of the robot.
ULNA_API SynthesisTask read_synthesis_task(const std::string& path, const Robot& robot);

ULNA_API SynthesisTask read_synthesis_task_text(const std::string& text,
                                                const std::string& file_name, const Robot& robot);

}  // namespace ulna
