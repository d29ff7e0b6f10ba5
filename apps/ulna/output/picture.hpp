#pragma once
// A table of numbers written to a file: as CSV, or as a plot when the name ends in .svg or .png.

#include "ulna/formats/read_table.hpp"

namespace ulna::cli {

/// `title` stands above a plot. Complete or not at all.
void write_table(const std::string& file, const RecordTable& table, const std::string& title = {});

}  // namespace ulna::cli
