// Names that terminals, compilers and browsers would obey are refused at the door, with their line;
// names with commas, quotes and brackets go through a run and back.

#include <filesystem>
#include <fstream>

#include "reading.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/formats/read_table.hpp"
#include "ulna/formats/run_directory.hpp"
#include "ulna/numerics/internal/visible_text.hpp"

namespace ulna {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

std::string with_name(const std::string& name) {
  return "ulna: 1\nname: test\nbodies:\n  - {name: \"" + name +
         "\", mass: 1, inertia: [1, 1, 1]}\njoints:\n  - {name: hinge, type: revolute, parent: "
         "world, child: \"" +
         name + "\", axis: [0, 0, 1]}\n";
}

TEST(HiddenCharacters, AreNamedByTheirCode) {
  EXPECT_EQ(hidden_character("arm-1 \xc3\xa9\xf0\x9f\xa6\xbe [x], \"y\""), "");
  EXPECT_THAT(hidden_character("a\x1b[31m"), HasSubstr("U+001B"));
  EXPECT_THAT(hidden_character("a\xc2\x85"), HasSubstr("U+0085"));
  EXPECT_THAT(hidden_character("a\xe2\x80\xa8"), HasSubstr("U+2028 (a line separator)"));
  EXPECT_THAT(hidden_character("a\xe2\x80\xae"), HasSubstr("U+202E"));
  EXPECT_THAT(hidden_character("a\xff"), HasSubstr("0xff"));
  EXPECT_THAT(hidden_character("a\nb"), HasSubstr("a line break"));
  EXPECT_EQ(hidden_character("a\nb", LineBreaks::allowed), "");
  EXPECT_EQ(visible("a\x1b\xe2\x80\xa9z\xff"), "a\\u{1b}\\u{2029}z\\x{ff}");
}

TEST(HiddenCharacters, AreRefusedInRobotFilesWithTheirLine) {
  EXPECT_EQ(yaml_complaint(with_name("a, \\\"b\\\" [c]")), "accepted");
  for (const char* name : {"a\\u2028b", "a\\eb", "a\\x85b", "a\\u202eb", "a\\u2066b", "a\\nb"})
    EXPECT_THAT(yaml_complaint(with_name(name)), HasSubstr("robot.yaml:4:")) << name;
  EXPECT_THAT(yaml_complaint("ulna: 1\nname: \"\"\nbodies: []\njoints: []\n"),
              HasSubstr("robot.yaml:2:"));
}

TEST(HiddenCharacters, AreRefusedInUrdfWithTheirLine) {
  const auto urdf = [](const std::string& name) {
    return "<robot name=\"r\">\n<link name=\"" + name + "\"/>\n</robot>\n";
  };
  EXPECT_EQ(urdf_complaint(urdf("a, b")), "accepted");
  for (const char* name : {"a&#x2028;b", "a&#27;b", "a&#x202e;b", "a&#10;b", "a&#x85;b"})
    EXPECT_THAT(urdf_complaint(urdf(name)), HasSubstr("robot.urdf:2")) << name;
}

TEST(HiddenCharacters, AreRefusedInRobotsBuiltInCode) {
  Robot robot = robot_of(with_name("arm"));
  robot.name = "x\x1b]0;";
  EXPECT_THAT(complaint([&] { Model model(robot); }), HasSubstr("U+001B"));
  robot.name = "x";
  Geometry box;
  box.size = {-1, 1, 1};
  robot.bodies[0].geometry.push_back(box);
  EXPECT_THAT(complaint([&] { Model model(robot); }), HasSubstr("not negative"));
}

TEST(HiddenCharacters, NeverReachTheTerminalInAMessage) {
  EXPECT_THAT(complaint([] { throw InputError("found '\x1b[2J'"); }), Not(HasSubstr("\x1b")));
}

class NamesInTables : public ::testing::Test {
 protected:
  NamesInTables() {
    std::string name = (fs::temp_directory_path() / "ulna-names-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~NamesInTables() override { fs::remove_all(folder); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return (folder / name).string();
  }
  fs::path folder;
};

TEST_F(NamesInTables, ARunWithCommasQuotesAndBracketsReadsBack) {
  for (const std::string name : {"a,b", "say \"x\"", "a[1]", "#1", " blank "}) {
    Robot robot = robot_of(with_name("arm"));
    robot.joints[0].name = name;
    Experiment e(std::make_shared<const Model>(robot));
    e.end = 0.1;
    e.q = Eigen::VectorXd::Constant(1, 0.25);
    const std::string directory = (folder / "run").string();
    RunWriter writer(directory, e, "# in code\n");
    RunOptions options;
    options.record = [&](double t, std::span<const double> row) { writer.record(t, row); };
    writer.finish(simulate(e, options));
    const StoredRun run = read_run(directory);
    EXPECT_EQ(run.column("q." + name)(0), 0.25) << name;
    EXPECT_EQ(run.columns[1], "q." + name + "[rad]");
    EXPECT_EQ(read_table(directory + "/run.csv").titles, run.columns);
  }
}

TEST_F(NamesInTables, AByteOrderMarkIsAcceptedAndDoubledTitlesAreNot) {
  const RecordTable table = read_table(write("t.csv", "\xEF\xBB\xBFt,q\r\n\"0\",1\r\n1,2\r\n"));
  EXPECT_EQ(table.titles[0], "t");
  EXPECT_EQ(table.values(1, 1), 2);
  EXPECT_THAT(complaint([&] { read_table(write("d.csv", "t,q,q\n0,1,2\n")); }),
              HasSubstr("d.csv:1"));
}

TEST_F(NamesInTables, AnEndlessDeviceIsRefusedSoon) {
  if (!fs::exists("/dev/zero")) GTEST_SKIP() << "no /dev/zero";
  fs::create_symlink("/dev/zero", folder / "t.csv");
  EXPECT_THAT(complaint([&] { read_table((folder / "t.csv").string()); }),
              HasSubstr("at most 16 MB"));
}

}  // namespace
}  // namespace ulna
