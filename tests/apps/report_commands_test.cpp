// plot, report and view from the command line: what they write, and what they refuse.

#include <gmock/gmock.h>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ReportCommands : public ::testing::Test {
 protected:
  TemporaryFolder folder;
  std::string csv = folder.write("table.csv", "t[s],q.a[rad],tau.a[Nm]\n0,1,2\n1,2,5\n");

  std::string run_directory() {
    const std::string run = folder.path("run");
    std::filesystem::create_directory(run);
    folder.write("run/robot.yaml", planar_arm);
    folder.write("run/run.csv", "t[s],q.shoulder[rad],q.elbow[rad]\n0,0,0\n1,0.5,1\n");
    folder.write("run/summary.json", R"({"ulna": 1, "kind": "run", "complete": true})");
    return run;
  }
  void require_page() {
    if (run_cli({"view", "scara", "-o", folder.path("probe.html")}).status != 0)
      GTEST_SKIP() << "built without the page";
  }
};

TEST_F(ReportCommands, PlotWritesTheChannelsAskedFor) {
  const std::string file = folder.path("a.svg");
  const Json out = run_json({"plot", csv, "--channels", "tau*", "-o", file});
  EXPECT_EQ(out["file"], file);
  EXPECT_EQ(out["channels"], Json({"tau.a"}));
  EXPECT_THAT(content_of(file), StartsWith("<svg"));
  EXPECT_EQ(run_json({"plot", run_directory(), "-o", file})["channels"].size(), 2u);
}

TEST_F(ReportCommands, PlotRefusesWhatItCannotDraw) {
  expect_refusal({"plot", csv, "-o", folder.path("a.gif")}, {"a.gif", ".svg or .png"});
  expect_refusal({"plot", csv, "--channels", "tua*"}, {"'tua*'"});
  expect_refusal({"plot", csv, "--columns", "0"}, {"--columns"});
  expect_refusal({"plot", folder.path("none")}, {"none", "no such run"});
  expect_refusal({"plot", folder.write("bad.csv", "t,x\n0,oops\n")}, {"bad.csv:2", "oops"});
}

TEST_F(ReportCommands, ReportWritesOnePage) {
  require_page();
  const std::string file = folder.path("a.html");
  EXPECT_EQ(run_json({"report", run_directory(), "-o", file})["file"], file);
  EXPECT_THAT(content_of(file), HasSubstr("q.shoulder"));
  run_json({"report", folder.path("run"), "--compare", folder.path("run"), "-o", file});
  EXPECT_THAT(content_of(file), HasSubstr("\"others\":"));
}

TEST_F(ReportCommands, ReportRefusesWhatIsNoRun) {
  expect_refusal({"report", run_directory(), "-o", folder.path("a.pdf")}, {"a.pdf", ".html"});
  expect_refusal({"report", folder.path("none")}, {"no such run"});
  folder.write("run/summary.json", "{}");
  expect_refusal({"report", folder.path("run")}, {"summary.json"});
}

TEST_F(ReportCommands, TheRobotOfARunFindsItsMeshes) {
  require_page();
  namespace fs = std::filesystem;
  fs::create_directories(folder.path("robots/meshes"));
  folder.write("robots/meshes/a.stl",
               "solid\nfacet\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendfacet\n");
  std::string robot = planar_arm;
  robot.insert(robot.find(", mass: 2"), ", geometry: [{mesh: meshes/a.stl}]");
  folder.write("robots/arm.yaml", robot);
  folder.write("e.yaml", "experiment: 1\nrobot: robots/arm.yaml\nduration: 0.1\n");
  fs::create_directories(folder.path("results/today"));
  const std::string run = folder.path("results/today/run"), page = folder.path("a.html");
  run_json({"simulate", folder.path("e.yaml"), "-o", run});
  run_json({"report", run, "-o", page});
  EXPECT_THAT(content_of(page), HasSubstr("\"left_out\":[]"));
  EXPECT_THAT(content_of(page), HasSubstr("\"kind\":\"mesh\""));
  EXPECT_THAT(content_of(run + "/robot.yaml"), HasSubstr("../../../robots/meshes/a.stl"));
  // So does a converted one.
  const std::string other = folder.path("results/arm.yaml");
  run_json({"convert", folder.path("robots/arm.yaml"), "-o", other});
  run_json({"view", other, "-o", page});
  EXPECT_THAT(content_of(page), HasSubstr("\"left_out\":[]"));
}

TEST_F(ReportCommands, ViewWritesTheRobotAtAPosture) {
  require_page();
  const std::string file = folder.path("a.html");
  EXPECT_EQ(run_json({"view", "puma560", "--q", "0,45deg,0,0,0,0", "-o", file})["file"], file);
  EXPECT_THAT(content_of(file), HasSubstr("\"value\":0.7853981633974483"));
  expect_refusal({"view", "puma560", "--q", "0"}, {"--q", "expected 6"});
  expect_refusal({"view", "puma560", "-o", folder.path("a.txt")}, {".html"});
  expect_refusal({"view", "puma560", "-o", file, "--open", "--no-open"}, {"--no-open"});
  // No terminal here: nothing is opened, and the name is told.
  EXPECT_THAT(run_cli({"view", "puma560", "-o", file}).out, HasSubstr(file));
}

}  // namespace
}  // namespace ulna::test
