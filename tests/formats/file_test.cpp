// Files that cannot be robots get a clear sentence, and quickly.

#include <chrono>
#include <filesystem>
#include <fstream>

#include "reading.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("ulna_formats_" +
               std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  fs::path folder_;
};

const char* const small_urdf = "<robot name=\"r\"><link name=\"a\"/></robot>";

TEST_F(Files, AMissingFileNamesTheShippedRobots) {
  EXPECT_THAT(file_complaint(path("none.yaml")), HasSubstr("no such file"));
  EXPECT_THAT(file_complaint("puma650"), AllOf(HasSubstr("no such file or shipped robot"),
                                               HasSubstr("did you mean 'puma560'?")));
  EXPECT_THAT(file_complaint(""), HasSubstr("no such file"));
}

TEST_F(Files, AFolderIsNoRobot) {
  EXPECT_THAT(file_complaint(folder_.string()), HasSubstr("this is a folder"));
}

TEST_F(Files, AnEmptyFileIsNoRobot) {
  EXPECT_THAT(file_complaint(write("a.yaml", "")), HasSubstr("the file is empty"));
  EXPECT_THAT(file_complaint(write("a.urdf", " \n\n")), HasSubstr("the file is empty"));
}

TEST_F(Files, BinaryNoiseIsNoRobot) {
  std::string noise;
  unsigned state = 1;
  for (int i = 0; i < 4096; ++i) {
    state = state * 1664525u + 1013904223u;
    noise += static_cast<char>(state >> 24);
  }
  for (const char* name : {"a.yaml", "a.urdf", "a"})
    EXPECT_THAT(file_complaint(write(name, noise)), HasSubstr("does not belong in a text file"));
  EXPECT_THAT(file_complaint(write("b.yaml", std::string("ulna: 1\nname: \0x", 16))),
              HasSubstr("b.yaml:2:7: byte 0x00"));
  EXPECT_THAT(file_complaint(write("c.urdf", "<robot name=\"\xe9\"/>")), HasSubstr("iconv"));
}

TEST_F(Files, AHugeFileIsRefusedAtOnce) {
  for (const char* name : {"a.yaml", "a.urdf", "a"}) {
    const std::string file = write(name, "ulna: 1\n");
    fs::resize_file(file, 100'000'000);  // sparse: takes no room
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(file_complaint(file), HasSubstr("the file is too large (100 MB)"));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  }
  const std::string file = write("b.yaml", "ulna: 1\n");
  fs::resize_file(file, 100 << 20);
  EXPECT_THAT(file_complaint(file), HasSubstr("too large (100 MiB); expected at most 8 MB"));
  fs::resize_file(file, 8'000'001);  // never "8 MB, expected at most 8 MB"
  EXPECT_THAT(file_complaint(file), HasSubstr("too large (8.1 MB); expected at most 8 MB"));
  EXPECT_THAT(yaml_complaint(std::string(9'000'000, '#')), HasSubstr("expected at most 8 MB"));
  EXPECT_THAT(urdf_complaint(std::string(17'000'000, '<')), HasSubstr("expected at most 16 MB"));
}

TEST_F(Files, TheContentDecidesWhatTheExtensionLeavesOpen) {
  EXPECT_EQ(read_robot(write("a.urdf", small_urdf)).robot.name, "r");
  EXPECT_EQ(read_robot(write("a.xml", small_urdf)).robot.name, "r");
  EXPECT_EQ(read_robot(write("a.robot", small_urdf)).robot.name, "r");
  EXPECT_EQ(read_robot(write("b.urdf", "\xEF\xBB\xBF" + std::string(small_urdf))).robot.name, "r");
  EXPECT_EQ(read_robot(write("a.yaml", one_joint(""))).robot.name, "test");
  EXPECT_EQ(read_robot(write("b.yml", "\xEF\xBB\xBF" + one_joint(""))).robot.name, "test");
  EXPECT_EQ(read_robot(write("robot", one_joint(""))).robot.name, "test");
  EXPECT_THAT(file_complaint(write("c.urdf", one_joint(""))), HasSubstr("does not begin with '<'"));
  EXPECT_THAT(file_complaint(write("arm.urdf.xacro", small_urdf)), HasSubstr("xacro"));
}

TEST_F(Files, MarksNameTheFile) {
  const std::string file = write("a.yaml", one_joint(""));
  const Robot robot = read_robot(file).robot;
  EXPECT_EQ(robot.source, file);
  EXPECT_EQ(robot.joints[0].mark.file, file);
}

}  // namespace
}  // namespace ulna
