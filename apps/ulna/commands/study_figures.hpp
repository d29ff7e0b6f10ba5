#pragma once
// What the pages of studies are made of: a frame with ticks, its axes, the head of a page.

#include <functional>
#include <string>
#include <vector>

namespace ulna::cli {

/// Of the area within a frame, in pixels.
inline constexpr int figure_wide = 340, figure_high = 200, figure_margin = 46;

struct PageAxis {
  double low, high;
  double at(double value, int from, int length) const {
    return from + length * (value - low) / (high - low);
  }
  double across(double value) const { return at(value, figure_margin, figure_wide); }
  double up(double value) const { return at(value, 10 + figure_high, -figure_high); }
};

/// From the least to the largest of those that are finite.
PageAxis page_axis(const std::vector<double>& values);

/// For the text of a page.
std::string escaped(const std::string& text);

/// A frame around `content`; `label` is of the axis across, `title` stands above it.
std::string figure_svg(const PageAxis& x, const PageAxis& y, const std::string& label,
                       const std::string& content, const std::string& title = {});

/// The figure, or the sentence why there is none: what cannot be drawn ends no study.
std::string drawn(const std::function<std::string()>& draw);

/// Up to the description of the study.
std::string study_page_head(const std::string& title, const std::string& description);

}  // namespace ulna::cli
