#pragma once
// Time plots as SVG: one panel for each group of channels with the same unit, under one another (or
// in columns) with a common abscissa. Colours are those of Okabe and Ito, which people with any
// colour vision can tell apart; from the ninth line on, lines are dashed. A line is drawn with at
// most four points for each pixel column (first, least, greatest, last), so that no peak is lost
// and a long run stays small.

#include <string>
#include <vector>

#include "ulna/report/channels.hpp"

namespace ulna {

struct PlotOptions {
  std::string title;       ///< above all; empty: none
  int columns = 1;         ///< panels side by side
  int width = 680;         ///< of each column, pixels
  int panel_height = 210;  ///< of the plot area, without title and legend
};

/// `channels` are columns of the table, as from select_channels. InputError when there are none.
ULNA_API std::string plot_svg(const RecordTable& table, const std::vector<int>& channels,
                              const PlotOptions& options = {});

/// The same as PNG, by librsvg's rsvg-convert. ComputationError when that is not installed or
/// fails. `scale`: pixels of the PNG for each of the SVG.
ULNA_API std::string png_from_svg(const std::string& svg, double scale = 2);

/// Names for people: "tau" -> "Efforts"; unknown groups as they are.
ULNA_API std::string group_heading(const std::string& group);

}  // namespace ulna
