#pragma once
// What `ulna study ... -o` writes: a folder with a table and its plot, or one file of a kind that
// its name says.

#include "ulna/formats/read_table.hpp"
#include "ulna/report/plot.hpp"

namespace ulna::cli {

/// A study as it is written: NAME.csv and NAME.svg in a folder.
struct StudyTable {
  std::string name;
  RecordTable table;
  std::string channels;  ///< what is drawn, as for select_channels; empty: all
  PlotOptions plot;
};

/// Whether -o names one file (.csv, .svg, .png or .pdf) rather than a folder.
bool is_single_file(const std::string& output);

/// Makes the folder with those above it; InputError when that cannot be.
void make_folder(const std::string& output);

/// The plot of a table alone. Values that are not finite leave gaps.
std::string study_svg(const StudyTable& study);

/// Writes to a folder or to one file; the names of the files written.
std::vector<std::string> write_study(const std::string& output, const StudyTable& study);

/// `y` over increasing times `t`, linear between them and constant beyond them, at the times `at`.
Eigen::VectorXd resampled(const Eigen::VectorXd& t, const Eigen::VectorXd& y,
                          const Eigen::VectorXd& at);

}  // namespace ulna::cli
