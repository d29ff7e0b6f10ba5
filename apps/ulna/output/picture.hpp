#pragma once
// A table of numbers written to a file: as CSV, or as a plot when the name ends in .svg, .png or
// .pdf.

#include "ulna/formats/read_table.hpp"

namespace ulna::cli {

/// `title` stands above a plot. Complete or not at all.
void write_table(const std::string& file, const RecordTable& table, const std::string& title = {});

/// A frequency response: magnitudes, in decibels unless they are, and phases below, over the
/// logarithm of the first column. CSV holds the columns as they are.
void write_bode(const std::string& file, const RecordTable& table, const std::string& title);
/// Angles in degrees that go on where arg jumps by a turn.
Eigen::VectorXd unwrapped_degrees(const Eigen::VectorXcd& response);

/// Whether the name ends in .svg, .png or .pdf.
bool is_picture(const std::string& file);
/// In the kind that the name says.
void write_picture(const std::string& file, const std::string& svg);

}  // namespace ulna::cli
