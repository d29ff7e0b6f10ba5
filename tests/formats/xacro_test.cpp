// xacro files are expanded by the program of that name, and only when asked for.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "reading.hpp"

namespace ulna {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// A folder with a program called xacro, first in PATH.
class Xacro : public ::testing::Test {
 protected:
  Xacro() : path_(std::getenv("PATH") ? std::getenv("PATH") : "") {
    fs::create_directory(folder_);
    file_ = (folder_ / "arm.urdf.xacro").string();
    std::ofstream(file_) << "<robot name='r' xmlns:xacro='x'/>\n";
  }
  ~Xacro() override {
    setenv("PATH", path_.c_str(), 1);
    fs::remove_all(folder_);
  }
  void install(const std::string& script) {
    const fs::path program = folder_ / "xacro";
    std::ofstream(program) << "#!/bin/sh\n" << script;
    fs::permissions(program, fs::perms::owner_all);
    setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
  }
  std::string complaint_of(std::optional<std::vector<std::string>> arguments) const {
    ReadOptions options;
    options.xacro = std::move(arguments);
    return complaint([&] { read_robot(file_, options); });
  }
  fs::path folder_ = fs::temp_directory_path() / ("ulna-xacro-" + std::to_string(getpid()));
  std::string path_, file_;
};

TEST_F(Xacro, RunsOnlyWhenAskedFor) {
  install("echo \"<robot name='$2'><link name='a'/></robot>\"\n");
  EXPECT_THAT(complaint_of(std::nullopt), HasSubstr("--xacro"));
  ReadOptions options;
  options.xacro = {"side:=left"};
  EXPECT_EQ(read_robot(file_, options).robot.name, "side:=left");
  options.xacro = {""};
  EXPECT_THAT(complaint([&] { read_robot(file_, options); }), HasSubstr("name"));
}

TEST_F(Xacro, WhatItComplainsOfIsTold) {
  install("echo 'undefined property: side' >&2; exit 2\n");
  EXPECT_THAT(complaint_of(std::vector<std::string>{}), HasSubstr("undefined property: side"));
  EXPECT_THAT(complaint_of(std::vector<std::string>{"side=left"}), HasSubstr("NAME:=VALUE"));
  setenv("PATH", folder_.c_str(), 1);
  fs::remove(folder_ / "xacro");
  EXPECT_THAT(complaint_of(std::vector<std::string>{}), HasSubstr("not installed"));
}

}  // namespace
}  // namespace ulna
