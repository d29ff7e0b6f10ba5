// Pictures and videos of a run: what is written, complete or not at all, and what is said where
// Chromium or ffmpeg are not installed. The film itself is looked at where Chromium is.

#include <gmock/gmock.h>

#include <cstdlib>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* png_signature = "\x89PNG\r\n\x1a\n";

class Film : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(run);
    folder.write("run/robot.yaml", planar_arm);
    folder.write("run/run.csv", "t[s],q.shoulder[rad],q.elbow[rad]\n0,0,0\n1,0.5,1\n");
    folder.write("run/summary.json", R"({"ulna": 1, "kind": "run", "complete": true})");
  }
  void TearDown() override { setenv("PATH", path.c_str(), 1); }

  void require_chromium() {
    if (run_cli({"view", "scara", "-o", folder.path("probe.html")}).status != 0)
      GTEST_SKIP() << "built without the page";
    for (const char* name : {"/usr/bin/chromium", "/usr/bin/chromium-browser"})
      if (fs::exists(name)) return;
    GTEST_SKIP() << "Chromium is not installed";
  }
  /// A program of this name before all others.
  void pretend(const std::string& name, const std::string& script) {
    fs::create_directory(folder.path("bin"));
    const std::string file = folder.write("bin/" + name, "#!/bin/sh\n" + script + "\n");
    fs::permissions(file, fs::perms::owner_all);
    setenv("PATH", (folder.path("bin") + ":" + path).c_str(), 1);
  }
  std::vector<std::string> film(std::vector<std::string> more) {
    std::vector<std::string> words = {"report", run, "--size", "160x120", "--fps", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder.path("")))
      names.push_back(entry.path().filename().string());
    return names;
  }

  TemporaryFolder folder;
  std::string run = folder.path("run"), path = std::getenv("PATH");
};

TEST_F(Film, WritesAPictureForEveryStepOfTime) {
  require_chromium();
  if (IsSkipped()) return;
  const std::string pictures = folder.path("pictures");
  const Json out = run_json(film({"--frames", pictures}));
  EXPECT_EQ(out["count"], 3);  // at 0, 0.5 and 1 s
  EXPECT_EQ(out["frames"], pictures);
  EXPECT_FALSE(out.contains("file"));
  const std::string first = content_of(pictures + "/frame_00001.png"),
                    last = content_of(pictures + "/frame_00003.png");
  EXPECT_THAT(first, StartsWith(png_signature));
  EXPECT_EQ(first.substr(16, 8), std::string("\0\0\0\xA0\0\0\0\x78", 8));  // 160 by 120
  EXPECT_NE(first, last);                                                  // it has moved
  EXPECT_FALSE(fs::exists(pictures + ".partial"));
  // A second film takes the place of the first.
  EXPECT_EQ(run_json(film({"--frames", pictures, "--speed", "2"}))["count"], 2);
  EXPECT_FALSE(fs::exists(pictures + "/frame_00003.png"));
}

TEST_F(Film, HandsThePicturesToFfmpegInOrder) {
  require_chromium();
  if (IsSkipped()) return;
  pretend("ffmpeg", R"(for last; do :; done; exec cat >"${last#file:}")");
  const std::string video = folder.path("a.mp4"), pictures = folder.path("pictures") + "/";
  run_json(film({"--video", video, "--frames", pictures}));
  EXPECT_EQ(content_of(video), content_of(pictures + "frame_00001.png") +
                                   content_of(pictures + "frame_00002.png") +
                                   content_of(pictures + "frame_00003.png"));
}

TEST_F(Film, LeavesNothingWhenItFails) {
  require_chromium();
  if (IsSkipped()) return;
  pretend("ffmpeg", "cat >/dev/null; exit 3");
  const Outcome outcome =
      run_cli(film({"--video", folder.path("a.gif"), "--frames", folder.path("pictures")}));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("ffmpeg"));
  pretend("chromium", "exit 0");
  EXPECT_EQ(run_cli(film({"--frames", folder.path("pictures")})).status, 1);
  EXPECT_THAT(files(), ::testing::UnorderedElementsAre("run", "bin", "probe.html"));
}

TEST_F(Film, SaysWhatIsMissing) {
  if (run_cli({"view", "scara", "-o", folder.path("probe.html")}).status != 0)
    GTEST_SKIP() << "built without the page";
  setenv("PATH", folder.path("nothing").c_str(), 1);
  Outcome outcome = run_cli(film({"--frames", folder.path("pictures")}));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("Chromium"));
  EXPECT_FALSE(fs::exists(folder.path("pictures.partial")));
  outcome = run_cli(film({"--video", folder.path("a.mp4")}));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("ffmpeg"));
}

TEST_F(Film, RefusesWhatCannotBeFilmed) {
  const std::string pictures = folder.path("pictures");
  expect_refusal({"report", run, "--frames", pictures, "--size", "wide"}, {"--size", "1280x720"});
  expect_refusal({"report", run, "--frames", pictures, "--size", "8x8"}, {"16 to 8192"});
  expect_refusal({"report", run, "--frames", pictures, "--fps", "0"}, {"fps"});
  expect_refusal({"report", run, "--frames", pictures, "--speed", "-1"}, {"speed"});
  expect_refusal({"report", run, "--frames", pictures, "--speed", "1e-9"}, {"pictures"});
  expect_refusal({"report", run, "--video", folder.path("a.avi")}, {".gif or .mp4"});
  expect_refusal({"report", run, "--frames", run}, {"other files"});
  expect_refusal({"report", run, "--frames", pictures, "--open"}, {"--open"});
  EXPECT_TRUE(fs::exists(run + "/run.csv"));
}

}  // namespace
}  // namespace ulna::test
