#pragma once
// What `ulna condense` reduces: the frame of a robot, one beam of it, or matrices from files.

#include "options/loop_state.hpp"
#include "options/structure_options.hpp"
#include "ulna/elastic/beam_structure.hpp"

namespace ulna::cli {

struct CondenseOptions : RobotOptions {
  VectorOption q;
  StructureChoice structure;
  std::optional<std::string> method, keep, count, interface, frequency, export_to, matrices;
  std::optional<std::string> beam, elements, write, output;
};

struct Source {
  elastic::SystemMatrices system;
  std::vector<int> interface;
  std::string deck;                            ///< of the frame, where asked for
  std::vector<std::string> lost;               ///< what the deck does not hold
  std::optional<elastic::BeamStructure> beam;  ///< a beam alone, held at its start
};

/// `count`: frequencies that a deck asks for.
Source source_of(const CondenseOptions& options, int count);

}  // namespace ulna::cli
