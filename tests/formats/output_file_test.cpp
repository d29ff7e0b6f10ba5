// Files that a user names: complete or not at all, and nothing else is touched.

#include "ulna/formats/internal/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "apps/run_cli.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

TEST(OutputFile, LeavesNeighboursAlone) {
  const test::TemporaryFolder folder;
  const std::string file = folder.path("arm.yaml"), mine = folder.path("arm.yaml.new");
  std::ofstream(mine) << "mine";
  write_output_file(file, "robot");
  std::string text;
  std::ifstream(mine) >> text;
  EXPECT_EQ(text, "mine");
  std::ifstream(file) >> text;
  EXPECT_EQ(text, "robot");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path("")), {}), 2);
}

// A pipe stands for all that is no ordinary file: renamed onto /dev/full, a file would replace the
// device.
TEST(OutputFile, WritesIntoPipesAndDoesNotReplaceThem) {
  const test::TemporaryFolder folder;
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_output_file(pipe, "robot");
  char text[6] = {};
  EXPECT_EQ(read(reader, text, 5), 5);
  EXPECT_STREQ(text, "robot");
  close(reader);
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_THROW(require_ordinary(pipe), InputError);
}

}  // namespace
}  // namespace ulna
