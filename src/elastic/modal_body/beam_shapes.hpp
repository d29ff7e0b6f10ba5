#pragma once
// The shapes of a flexible beam, each with its parts across (y, z), in twist and along the axis. A
// mode of a family has one part; a mode from a file may have all.

#include <array>
#include <string>
#include <vector>

#include "ulna/elastic/parts/mode_family.hpp"
#include "ulna/model/parts/mode_table.hpp"

namespace ulna {

enum ShapePart { across_y, across_z, twisting, stretching };
inline constexpr std::array shape_parts = {across_y, across_z, twisting, stretching};

struct BeamShape {
  std::string name;
  std::array<ModeShape, 4> part;  ///< by ShapePart; no function where it has none

  bool has(ShapePart p) const { return static_cast<bool>(part[p].at); }
  ShapeValue at(ShapePart p, double x) const { return has(p) ? part[p].at(x) : ShapeValue{}; }
};

std::vector<BeamShape> shapes_of(const BeamData& beam);
std::vector<BeamShape> shapes_of(const ModeTable& table);

/// InputError naming the beam.
[[noreturn]] void refuse_beam(const BeamData& beam, const std::string& element,
                              const std::string& found, const std::string& expected,
                              const std::string& hint = {});

}  // namespace ulna
