#pragma once
// A folder with a plane arm, a motion of it, and studies of both.

#include "run_cli.hpp"

namespace ulna::test {

struct Sweep : ::testing::Test {
  static constexpr const char* swing = R"(experiment: 1
name: swing
robot: arm.yaml
duration: 1 s
motions: {shoulder: 0.5*cycloid(t), elbow: 0.1}
record: {interval: 0.05 s}
)";

  static constexpr const char* head = "study: 1\nexperiment: swing.yaml\n";
  static constexpr const char* masses = R"(parameters:
  - {name: m, path: bodies.upper.mass, grid: "1:3:3"}
  - {path: bodies.lower.mass, list: [0.5, 1]}
run: inverse
measures:
  peak: {take: largest, of: abs(tau.shoulder)}
  twice: 2*peak + m
)";

  void SetUp() override {
    folder.write("arm.yaml", planar_arm);
    folder.write("swing.yaml", swing);
  }
  std::string study(const std::string& rest) { return folder.write("study.yaml", head + rest); }
  TemporaryFolder folder;
};

}  // namespace ulna::test
