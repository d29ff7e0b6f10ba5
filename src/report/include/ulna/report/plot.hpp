#pragma once
// Time plots as SVG: one panel for each group of channels with the same unit, under one another (or
// in columns) with a common abscissa. Colours are those of Okabe and Ito, which people with any
// colour vision can tell apart; from the ninth line on, lines are dashed. A line is drawn with at
// most four points for each pixel column (first, least, greatest, last), so that no peak is lost
// and a long run stays small.

#include <limits>
#include <string>
#include <vector>

#include "ulna/report/parts/channels.hpp"

namespace ulna {

/// How numbers are laid along an axis. Decibels are 20 log10 of the absolute value.
enum class AxisScale { linear, logarithmic, decibel };

/// Ends of an axis; NaN: by the data.
struct AxisRange {
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

struct PlotOptions {
  std::string title;       ///< above all; empty: none
  int columns = 1;         ///< panels side by side
  int width = 680;         ///< of each column, pixels
  int panel_height = 210;  ///< of the plot area, without title and legend
  AxisScale x_scale = AxisScale::linear;
  /// Of panels whose values are all positive (logarithmic) or not zero (decibel); phases stay
  /// linear.
  AxisScale y_scale = AxisScale::linear;
  AxisRange x_range = {}, y_range = {};
};

/// `channels` are columns of the table, as from select_channels. InputError when there are none.
ULNA_API std::string plot_svg(const RecordTable& table, const std::vector<int>& channels,
                              const PlotOptions& options = {});

/// A run in a plot of several. Lines of the first are solid, those of the others dashed, in the
/// same colours; the legend says once which dashes are whose.
struct PlotRun {
  std::string name;
  const RecordTable* table;
  std::vector<int> channels;
};
/// "reference.x" stands beside "q.x" as a dotted line of the same colour.
ULNA_API std::string plot_svg(const std::vector<PlotRun>& runs, const PlotOptions& options = {});

/// The same as PDF, by rsvg-convert.
ULNA_API std::string pdf_from_svg(const std::string& svg);

/// Least, greatest and final values of channels with their times, as a LaTeX table (booktabs).
ULNA_API std::string latex_table(const RecordTable& table, const std::vector<int>& channels);

/// The same as PNG, by librsvg's rsvg-convert. ComputationError when that is not installed or
/// fails. `scale`: pixels of the PNG for each of the SVG.
ULNA_API std::string png_from_svg(const std::string& svg, double scale = 2);

/// Names for people: "tau" -> "Efforts"; unknown groups as they are.
ULNA_API std::string group_heading(const std::string& group);

}  // namespace ulna
