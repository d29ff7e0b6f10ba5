#pragma once
// What `ulna modes` was asked for, and its answers, each in a file of its own: modes_at_rest,
// modes_in_motion, modes_sweep, modes_map, modes_response, modes_transient, modes_statics.
// modes.cpp chooses among them.

#include <functional>
#include <numbers>

#include "options/loop_state.hpp"
#include "options/structure_options.hpp"
#include "options/sweep_grid.hpp"
#include "ulna/structure/structure_modes.hpp"

namespace ulna::cli {

struct ModesOptions : RobotOptions {
  VectorOption q, v, a;
  StructureChoice structure;
  std::optional<std::string> count, map, mode, terms, output, frame, threads, along, points;
  std::vector<std::string> sweeps;
  std::optional<std::string> response, frequencies, damping, rayleigh, transient, load, amplitude,
      times;
  bool statics = false, damped = false;
  // Of flexible robots (modes_flexible.cpp).
  std::optional<std::string> rigid, level;
  bool elements = false, matrices = false;

  /// The output is a page with the shapes rather than a picture of numbers.
  bool is_page() const { return output && output->ends_with(".html"); }
};

constexpr double hertz = 1 / (2 * std::numbers::pi);

/// FROM:TO[,TO...] of --response and --transient.
struct ResponsePath {
  std::string from;
  std::vector<std::string> to;
};
ResponsePath parse_response(const std::string& option, const std::string& text);
/// --damping and --rayleigh; `otherwise`: the ratio when neither is given.
StructureDamping damping_of(const ModesOptions& options, double otherwise);

/// Whether the modal coordinates of flexible bodies are asked for, rather than beam elements.
bool asks_for_modal_coordinates(const Model& model, const ModesOptions& options);
int modes_flexible(const Model& model, const ModesOptions& options,
                   const std::optional<SweepGrid>& along);
/// The states of an experiment's motion as points of a sweep over time.
SweepGrid points_along(const std::string& experiment, const ModesOptions& options);
void add_flexible_options(CLI::App& command, ModesOptions& options);

int modes_at_rest(const Model& model, const Eigen::VectorXd& q, const ModesOptions& options,
                  int count);
int modes_in_motion(const Model& model, const RobotState& state, const ModesOptions& options,
                    int count);
/// The points of --sweep or --along.
int modes_sweep(const Model& model, const SweepGrid& grid, const ModesOptions& options, int count);
/// `frequencies`: of the robot at a posture, rad/s, rising; of its beam elements when empty.
int modes_map(const Model& model, const Eigen::VectorXd& q, const ModesOptions& options, int count,
              const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& frequencies = {});
/// The table, plot or JSON of a frequency response h at these frequencies, in Hz.
int report_response(const Model& model, const ModesOptions& options, const Eigen::VectorXd& at,
                    const Eigen::VectorXcd& h, long modes);
int modes_response(const Model& model, const Eigen::VectorXd& q, const ModesOptions& options,
                   int count);
int modes_transient(const Model& model, const Eigen::VectorXd& q, const ModesOptions& options,
                    int count);
int modes_statics(const Model& model, const RobotState& state, const ModesOptions& options);

}  // namespace ulna::cli
