#pragma once
// `ulna platform --slice`: where a platform can stand, as data and as a picture.

#include <optional>
#include <string>

#include "options/state_options.hpp"
#include "ulna/kinematics/platform_quality.hpp"
#include "ulna/kinematics/platform_workspace.hpp"

namespace CLI {
class App;
}

namespace ulna::cli {

struct SliceOptions {
  std::optional<std::string> slice, output, points, ball_angle, leg_radius;
  bool given() const { return slice.has_value(); }
  PlatformLimits limits() const;
};

void add_slice_options(CLI::App& command, SliceOptions& options);
/// Its two axes.
std::array<SliceRange, 2> slice_ranges(const SliceOptions& options);
/// Prints and draws it, with the curves of singular poses.
int print_slice(const WorkspaceSlice& slice, const std::vector<LocusPiece>& loci,
                const std::string& robot, const SliceOptions& options, bool json);
int run_slice(const Platform& platform, const Pose<double>& middle, const SliceOptions& options,
              bool json);

}  // namespace ulna::cli
