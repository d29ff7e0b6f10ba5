// The findings of a run as tables for people and as JSON for programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "batch.hpp"
#include "loop_chain.hpp"
#include "methods.hpp"
#include "platforms.hpp"
#include "simulation.hpp"
#include "structures.hpp"
#include "timing.hpp"

namespace ulna::bench {

// The contestant all ratios refer to.
inline constexpr const char* baseline = "pinocchio";

struct RobotFindings {
  std::string robot;
  std::size_t joints = 0;
  Disagreements disagreements;
  std::vector<std::pair<Task, Timings>> tasks;
};

struct Entrant {
  std::string name, description;
};

struct Findings {
  int rounds = 0;
  std::vector<Entrant> contestants = {};
  std::vector<RobotFindings> robots = {};
  std::vector<MethodFindings> methods = {};
  BatchFindings batch = {};
  SimulationFindings simulation = {};
  PlatformFindings platforms = {};
  std::vector<LoopChainRun> loop_chains = {};
  StructureFindings structures = {};
};

void print_robot(const RobotFindings& findings, const std::vector<Entrant>& contestants);
// How much the times grow from chain48 to chain96, when both were run.
void print_growth(const Findings& findings);
void print_foot(const Findings& findings);

// The file appears complete or not at all.
void write_json(const Findings& findings, const std::filesystem::path& file);

}  // namespace ulna::bench
