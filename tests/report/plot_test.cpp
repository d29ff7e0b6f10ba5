// Plots: nice ticks, labels apart from each other, every channel drawn with its peaks, hostile
// names as text. The SVG is parsed, not compared.

#include "ulna/report/plot.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <pugixml.hpp>

#include "ulna/report/internal/ticks.hpp"

namespace ulna {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RecordTable waves(long rows) {
  RecordTable table;
  table.titles = {"t[s]",      "q.a[rad]",        "q.b[rad]",
                  "tau.a[Nm]", "frame.hand.x[m]", "frame.hand.qw[1]"};
  table.values.resize(rows, 6);
  for (long k = 0; k < rows; ++k) {
    const double t = 5.0 * static_cast<double>(k) / static_cast<double>(rows - 1);
    table.values.row(k) << t, std::sin(t), std::cos(t), 1e5 * std::sin(t), 0.3, 1;
  }
  return table;
}

pugi::xml_document parsed(const std::string& svg) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(svg.c_str())) << svg.substr(0, 200);
  return document;
}

std::size_t count(const pugi::xml_node& node, const char* path) {
  return node.select_nodes(path).size();
}

TEST(Ticks, AreRoundNumbersInsideTheRange) {
  EXPECT_THAT(nice_ticks(0, 5, 8).labels, ElementsAre("0", "1", "2", "3", "4", "5"));
  EXPECT_THAT(nice_ticks(-0.21, 0.43, 5).labels, ElementsAre("−0.2", "0", "0.2", "0.4"));
  EXPECT_THAT(nice_ticks(0.98, 1.02, 4).labels, ElementsAre("0.98", "1.00", "1.02"));
}

TEST(Ticks, LargeSmallAndCloseNumbersHaveShortLabels) {
  const Ticks small = nice_ticks(0, 4e-9, 5);
  EXPECT_THAT(small.labels, ElementsAre("0", "1", "2", "3", "4"));
  EXPECT_EQ(small.factor, "10⁻⁹");
  const Ticks large = nice_ticks(0, 4e7, 5);
  EXPECT_THAT(large.labels, ElementsAre("0", "10", "20", "30", "40"));
  EXPECT_EQ(large.factor, "10⁶");
  const Ticks close = nice_ticks(1000, 1000.0004, 5);
  EXPECT_THAT(close.labels.back(), ::testing::SizeIs(::testing::Le(6u)));
  EXPECT_EQ(close.offset, "+ 1000");
}

TEST(Ticks, AreNeverMoreThanAskedForAndNeverTheSame) {
  for (const double centre : {0.0, 1.0, -37.2, 1e6, 1e-7})
    for (double span = 1e-9; span < 1e9; span *= 3.7)
      for (const int most : {2, 5, 9}) {
        if (span < 1e-10 * std::abs(centre)) continue;
        const Ticks ticks = nice_ticks(centre - span, centre + span, most);
        EXPECT_LE(ticks.values.size(), static_cast<std::size_t>(most)) << centre << " " << span;
        for (std::size_t k = 1; k < ticks.labels.size(); ++k)
          EXPECT_NE(ticks.labels[k], ticks.labels[k - 1]) << centre << " " << span << " " << most;
      }
}

TEST(Channels, AreTakenApart) {
  const ChannelTitle frame = channel_title("frame.left.hand.x[m]");
  EXPECT_EQ(frame.group, "frame.left.hand");
  EXPECT_EQ(frame.label, "x");
  const ChannelTitle ball = channel_title("q.ball.wx [rad]");
  EXPECT_EQ(ball.group, "q");
  EXPECT_EQ(ball.label, "ball.wx");
  EXPECT_EQ(ball.unit, "rad");
  EXPECT_EQ(channel_title("tau12").group, "tau");
}

TEST(Channels, AreChosenByPatternOrGroup) {
  const std::vector<std::string> titles = waves(2).titles;
  EXPECT_THAT(select_channels(titles, "q"), ElementsAre(1, 2));
  EXPECT_THAT(select_channels(titles, "tau*, q.b"), ElementsAre(2, 3));
  EXPECT_THAT(select_channels(titles, "*.a"), ElementsAre(1, 3));
  EXPECT_THAT(select_channels(titles, "frame.hand.??"), ElementsAre(5));
  try {
    select_channels(titles, "q.c");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'q.c'"));
  }
}

TEST(Plot, HasAPanelForEachGroupAndUnitAndALineForEachChannel) {
  const auto svg = parsed(plot_svg(waves(100), {1, 2, 3, 4, 5}, {.title = "Waves"}));
  EXPECT_EQ(count(svg, "//g[@class='panel']"), 4u);
  EXPECT_EQ(count(svg, "//g[@class='panel']/path[@class='line']"), 5u);
  EXPECT_EQ(count(svg, "//g[@class='key']"), 5u);
  EXPECT_STREQ(svg.select_node("//text[@class='heading']").node().child_value(), "Coordinates");
  EXPECT_STREQ(svg.select_node("//tspan").node().child_value(), "[rad]");
  EXPECT_EQ(count(svg, "//tspan[text()='[10³ Nm]']"), 1u);
}

TEST(Plot, LabelsOfAnAxisDoNotTouch) {
  RecordTable table = waves(50);
  table.values.col(0) = table.values.col(0).array() * 1e-5 + 123456;
  const auto svg = parsed(plot_svg(table, {1, 2, 3}, {.title = "", .columns = 3, .width = 300}));
  for (const auto& panel : svg.select_nodes("//g[@class='panel']")) {
    double end = -1e9, last_y = 1e9;
    for (const auto& text : panel.node().select_nodes("text[@class='tick x']")) {
      const double x = text.node().attribute("x").as_double();
      const double half = 3 * static_cast<double>(std::strlen(text.node().child_value()));
      EXPECT_GT(x - half, end);
      end = x + half;
    }
    for (const auto& text : panel.node().select_nodes("text[@class='tick y']")) {
      const double y = text.node().attribute("y").as_double();
      EXPECT_GT(last_y - y, 13);
      last_y = y;
    }
  }
}

TEST(Plot, LongRunsKeepTheirPeaksAndStaySmall) {
  RecordTable table = waves(200001);
  table.values(77777, 1) = 40;  // one record in 200 001
  const std::string svg = plot_svg(table, {1});
  EXPECT_LT(svg.size(), 100'000u);
  const auto document = parsed(svg);
  const std::string d = document.select_node("//path[@class='line']").node().attribute("d").value();
  double least = 1e9, top = 1e9;
  for (const char* at = d.c_str(); *at;) {
    char* end = nullptr;
    std::strtod(at + 1, &end);
    least = std::min(least, std::strtod(end, &end));
    at = end;
  }
  const std::string axis =
      document.select_node("//path[@class='axis']").node().attribute("d").value();
  top = std::stod(axis.substr(axis.find(' ')));
  EXPECT_NEAR(least, top + 210 * 0.05 / 1.1, 0.5);  // 5% below the upper edge, where 40 is
}

TEST(Plot, ConstantsAndSingleRecordsAreDrawn) {
  RecordTable table{{"t[s]", "x", "y"}, Eigen::MatrixXd::Zero(1, 3)};
  EXPECT_EQ(count(parsed(plot_svg(table, {1, 2})), "//g[@class='panel']"), 2u);
  table.values = Eigen::MatrixXd::Constant(3, 3, 1e300);
  EXPECT_THAT(plot_svg(table, {1}), ::testing::Not(HasSubstr("nan")));
  EXPECT_THROW(plot_svg(table, {}), InputError);
}

TEST(Plot, HostileNamesAreText) {
  RecordTable table = waves(5);
  table.titles[1] = "q.</text><script>alert(1)</script>[\"&]";
  table.titles[2] = "q.\xff\x01" + std::string(5000, 'x') + "[rad]";
  const std::string svg = plot_svg(table, {1, 2}, {.title = "<b>\x02&"});
  const auto document = parsed(svg);
  EXPECT_EQ(count(document, "//script"), 0u);
  EXPECT_STREQ(document.select_node("//text[@class='title']").node().child_value(),
               "<b>\xEF\xBF\xBD&");
  for (const auto& key : document.select_nodes("//g[@class='key']/text"))
    EXPECT_LT(std::strlen(key.node().child_value()), 130u);
}

TEST(Csv, ErrorsNameFileLineAndColumn) {
  const auto file = std::filesystem::temp_directory_path() / "ulna_plot_test.csv";
  const auto refused = [&](const std::string& text) {
    std::ofstream(file) << text;
    try {
      read_table(file.string());
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refused("t[s],x\n0,1\n1,nan\n"),
              ::testing::AllOf(HasSubstr(":3"), HasSubstr("'x'"), HasSubstr("nan")));
  EXPECT_THAT(refused("t[s],x\n0\n"), ::testing::AllOf(HasSubstr(":2"), HasSubstr("1 values")));
  EXPECT_THAT(refused("t[s],x\n"), HasSubstr("no records"));
  EXPECT_THAT(refused(""), HasSubstr("ulna_plot_test.csv"));
  std::ofstream(file) << "# measured\r\nt[s], x\r\n0, 1e-3\r\n\r\n1,2\r\n";
  EXPECT_EQ(read_table(file.string()).values, (Eigen::MatrixXd(2, 2) << 0, 1e-3, 1, 2).finished());
  std::filesystem::remove(file);
}

TEST(Plot, NumbersAtTheEndsOfTheirRangeAreDrawnOrRefused) {
  RecordTable table;
  table.titles = {"t[s]", "x"};
  table.values.resize(3, 2);
  table.values << 0, -1e308, 1, 0, 2, 1e308;
  EXPECT_THROW(plot_svg(table, {1}, {}), InputError);
  table.values << 0, 0, 1, 5e-324, 2, 1e-323;  // as good as constant
  EXPECT_THAT(plot_svg(table, {1}, {}), HasSubstr("<svg"));
  table.values << 0, 1, 5e-324, 2, 1e-323, 3;
  EXPECT_THAT(plot_svg(table, {1}, {}), HasSubstr("<svg"));
  EXPECT_THROW(nice_ticks(0, INFINITY, 5), InputError);
  EXPECT_THROW(nice_ticks(1, 1, 5), InputError);
}

}  // namespace
}  // namespace ulna
