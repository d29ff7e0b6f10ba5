// A number over two parameters as a picture.

#include "ulna/report/internal/heat_map.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <pugixml.hpp>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

HeatMap plane() {
  HeatMap map;
  map.title = "a < b", map.label = "Hz";
  map.x = {"q1 [rad]", Eigen::VectorXd::LinSpaced(4, 0, 3)};
  map.y = {"q2 [rad]", Eigen::VectorXd::LinSpaced(3, 10, 8)};  // falling values too
  map.values.resize(4, 3);
  map.values << 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12;
  return map;
}

// The rectangles that are cells, by their fill.
int cells(const pugi::xml_document& svg, const std::string& fill) {
  int count = 0;
  for (const pugi::xml_node& rect : svg.child("svg").child("g").children("rect"))
    if (fill.empty() || fill == rect.attribute("fill").value()) ++count;
  return count;
}

TEST(HeatMap, HasACellForEveryPoint) {
  pugi::xml_document svg;
  ASSERT_TRUE(svg.load_string(heat_map_svg(plane()).c_str()));
  EXPECT_EQ(cells(svg, ""), 12);
  EXPECT_EQ(cells(svg, "#440154"), 1);  // the least
  EXPECT_EQ(cells(svg, "#fde725"), 1);  // the greatest
}

TEST(HeatMap, LeavesPointsWithoutANumberWhite) {
  HeatMap map = plane();
  map.values(1, 1) = std::numeric_limits<double>::quiet_NaN();
  map.place_x = map.values.unaryExpr([](double v) { return v; });
  map.place_y = Eigen::MatrixXd::Random(4, 3);
  pugi::xml_document svg;
  ASSERT_TRUE(svg.load_string(heat_map_svg(map).c_str()));
  EXPECT_EQ(cells(svg, ""), 11);
  // Patches need all four of their corners: of six, four touch the missing point.
  EXPECT_EQ(std::distance(svg.child("svg").child("g").next_sibling("g").children("path").begin(),
                          svg.child("svg").child("g").next_sibling("g").children("path").end()),
            2);
}

TEST(HeatMap, OfOneValueIsDrawn) {
  HeatMap map = plane();
  map.values.setConstant(21.7537602);
  pugi::xml_document svg;
  EXPECT_TRUE(svg.load_string(heat_map_svg(map).c_str()));
}

TEST(HeatMap, RefusesWhatDoesNotFit) {
  HeatMap small = plane(), other = plane(), empty = plane();
  small.x.values.conservativeResize(1);
  EXPECT_THROW(heat_map_svg(small), InputError);
  other.values.resize(3, 4);
  EXPECT_THROW(heat_map_svg(other), InputError);
  empty.values.setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW(heat_map_svg(empty), InputError);
}

}  // namespace
}  // namespace ulna
