#pragma once
// Natural frequencies over parameters: postures, payloads, materials, sections. Each point is
// solved by itself, on threads; then modes are followed from point to point by the likeness of
// their shapes (modal assurance of the nodes' displacements, each body's in its own axes), so that
// a line keeps its mode where frequencies cross.

#include <functional>
#include <memory>

#include "ulna/structure/structure_modes.hpp"

namespace ulna {

struct StructureVariant {
  std::string label;
  double value = 0;  ///< of the parameter; a number of its own where it has none
  std::shared_ptr<const Model> model;
  Eigen::VectorXd q;
};

struct SweepOptions {
  StructureOptions structure;
  int count = 6;
  /// Columns are modes, followed from point to point by their shapes; else the frequencies of each
  /// point, lowest first.
  bool follow = true;
  /// Of a grid: the point before it that each is followed from; empty: the one before.
  std::vector<int> previous;
  int threads = 0;                       ///< 0: as many as the machine has
  std::function<void(double)> progress;  ///< 0..1, from the calling thread
  std::function<bool()> stop;            ///< true: give up (ComputationError)
};

struct SweepResult {
  Eigen::MatrixXd omega;      ///< points x modes, each column one mode followed
  Eigen::MatrixXd assurance;  ///< of each step to the point before; 1 in the first row
  Eigen::MatrixXi order;      ///< which of a point's modes, lowest first, each column is
  std::vector<std::string> warnings;
};

ULNA_API SweepResult sweep_modes(const std::vector<StructureVariant>& variants,
                                 const SweepOptions& options);

// Robots with one thing changed. InputError naming what does not exist.
ULNA_API Robot with_payload_mass(Robot robot, const std::string& payload, double mass);
/// All beams of a body.
ULNA_API Robot with_material(Robot robot, const std::string& body, const std::string& material);
/// Outer over inner size of tubes and boxes, the outer kept. A torsion constant that was given as
/// the polar moment stays that.
ULNA_API Robot with_section_ratio(Robot robot, const std::string& body, double ratio);

}  // namespace ulna
