// Figures that can go into a paper as they are.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

TEST(Figures, FrequencyResponsesAreBodePlots) {
  TemporaryFolder folder;
  const std::string csv = folder.path("r.csv"), svg = folder.path("r.svg");
  for (const std::string& file : {csv, svg})
    run_json(
        {"linearize", "puma560", "--actuators", "joint2", "--outputs", "q.joint2", "--bode", file});
  EXPECT_EQ(lines_of(content_of(csv))[0],
            "w[rad/s],magnitude.q.joint2 by joint2[dB],phase.q.joint2 by joint2[deg]");
  EXPECT_GT(std::stod(lines_of(content_of(csv))[1]), 0);
  // Decades on the abscissa, phase below magnitude in parts of a turn.
  const std::string bode = content_of(svg);
  EXPECT_THAT(bode, HasSubstr(">0.1</text>"));
  EXPECT_THAT(bode, HasSubstr(">w [rad/s]</text>"));
  EXPECT_LT(bode.find(">magnitude<"), bode.find(">phase<"));
  EXPECT_THAT(bode, HasSubstr(">−180</text>"));
  EXPECT_THAT(bode, HasSubstr(">−135</text>"));

  const std::vector<std::string> response = {"modes",         "t3r3-frame", "--q",
                                             "0,1,-1",        "--response", "tip.z:tip.z",
                                             "--frequencies", "1:100:1",    "-o"};
  for (const std::string& file : {csv, svg}) {
    std::vector<std::string> words = response;
    words.push_back(file);
    run_json(words);
  }
  EXPECT_EQ(lines_of(content_of(csv))[0],
            "frequency[Hz],magnitude.tip.z by tip.z[m/N],phase.tip.z by tip.z[deg]");
  EXPECT_THAT(content_of(svg), HasSubstr("dB re 1 m/N"));
  EXPECT_LT(content_of(svg).find(">magnitude<"), content_of(svg).find(">phase<"));
  // What was written can be plotted again.
  run_json({"plot", csv, "--x", "log", "--y", "decibel", "-o", folder.path("again.svg")});
  EXPECT_THAT(content_of(folder.path("again.svg")), HasSubstr("dB re 1 m/N"));
}

TEST(Figures, PanelsOfZerosAreLeftOut) {
  TemporaryFolder folder;
  const std::string table =
      folder.write("a.csv", "t[s],reaction.a.fx[N],reaction.b.fx[N],tau.x[Nm]\n0,1,0,0\n1,2,0,0\n");
  const std::string svg = folder.path("a.svg");
  const Outcome some = run_cli({"plot", table, "-o", svg});
  EXPECT_THAT(some.err, HasSubstr("zero all the time: reaction.b [N], tau [Nm]"));
  EXPECT_EQ(count_of(content_of(svg), "class=\"panel\""), 1);
  // So are panels of rounding noise, such as moments about the axis of a hinge.
  const std::string noisy = folder.write(
      "n.csv",
      "t[s],reaction.a.fx[N],reaction.a.mz[Nm],tau.x[Nm]\n0,1,3e-16,1e-12\n1,2,-1e-15,0\n");
  EXPECT_THAT(run_cli({"plot", noisy, "-o", svg}).err,
              HasSubstr("zero all the time: reaction.a [Nm]\n"));
  EXPECT_EQ(count_of(content_of(svg), "class=\"panel\""), 2);  // small efforts are efforts
  // What alone is asked for is drawn.
  const Outcome alone = run_cli({"plot", table, "--channels", "tau", "-o", svg});
  EXPECT_EQ(alone.status, 0);
  EXPECT_EQ(count_of(content_of(svg), "class=\"panel\""), 1);
  // Angles in radians take logarithmic axes; only phases stay as they are.
  const std::string angles = folder.write("b.csv", "t[s],q.x[rad]\n0,0.01\n1,100\n");
  run_json({"plot", angles, "--y", "log", "-o", svg});
  EXPECT_THAT(content_of(svg), HasSubstr(">10</text>"));
}

/// The number after ` name="`.
double attribute_of(const std::string& element, const std::string& name) {
  const std::size_t at = element.find(" " + name + "=\"");
  return at == std::string::npos ? NAN : std::stod(element.substr(at + name.size() + 3));
}

// Whatever the numbers, no label reaches over the edge of the picture.
TEST(Figures, TicksAreInsideThePicture) {
  TemporaryFolder folder;
  const std::string svg = folder.path("a.svg");
  for (const char* rows :
       {"0,-1234567.25\n1,-1234567.5\n", "1e-9,3e-17\n2e-9,-4e-17\n", "1e6,1e20\n1000001,-1e20\n",
        "-0.001,12345.678\n100000,12345.679\n", "1700000000.25,5\n1700000000.5,5\n"})
    for (const char* size : {"680x210", "300x80", "200x60"})
      for (const char* scale : {"linear", "decibel"}) {
        run_json({"plot", folder.write("a.csv", std::string("t[s],x[m]\n") + rows), "--size", size,
                  "--y", scale, "-o", svg});
        const std::string picture = content_of(svg);
        const double width = attribute_of(picture.substr(0, picture.find('>')), "width");
        int ticks = 0;
        for (const std::string& line : lines_of(picture)) {
          const bool x = line.find("class=\"tick x\"") != std::string::npos;
          if (!x && line.find("class=\"tick y\"") == std::string::npos) continue;
          ++ticks;
          const std::size_t from = line.find('>') + 1;
          const std::string label = line.substr(from, line.find('<', from) - from);
          const auto letters = std::ranges::count_if(
              label, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
          const double at = attribute_of(line, "x"), wide = 6.7 * static_cast<double>(letters);
          EXPECT_GE(at - (x ? wide / 2 : wide), 0) << rows << size << label;
          EXPECT_LE(at + (x ? wide / 2 : 0), width) << rows << size << label;
        }
        EXPECT_GE(ticks, 2) << rows;
      }
}

// PDF comes from another program; where it is missing the message says which.
TEST(Figures, PdfForPapers) {
  TemporaryFolder folder;
  const std::string table = folder.write("a.csv", "t[s],q.x[m]\n0,1\n1,2\n");
  const std::string pdf = folder.path("a.pdf");
  const Outcome outcome = run_cli({"plot", table, "-o", pdf});
  if (outcome.status == 0) {
    EXPECT_EQ(content_of(pdf).substr(0, 5), "%PDF-");
  } else {
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("rsvg-convert"));
    EXPECT_THAT(outcome.err, HasSubstr("librsvg2-bin"));
    EXPECT_FALSE(std::filesystem::exists(pdf));
  }
}

}  // namespace
}  // namespace ulna::test
