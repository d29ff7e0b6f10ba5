#pragma once
// The options of commands about a robot as a structure: how joints are held, and the elements.

#include "options/robot_options.hpp"
#include "options/state_options.hpp"
#include "ulna/structure/robot_structure.hpp"

namespace ulna::cli {

struct StructureChoice {
  std::optional<std::string> locked, elastic, theory, mass, freedoms;
  bool rotatory = false;
};

/// --locked, --elastic, --freedoms, --theory, --mass, --rotatory.
void add_structure_options(CLI::App& command, StructureChoice& choice);
/// The robot, and --freedoms where it is absent: of a robot whose beams have data for bending in
/// one plane only those of that plane, with a note.
Model in_its_plane(const Model& model, StructureChoice& choice);
StructureOptions structure_options(const Model& model, const StructureChoice& choice);

/// "a,b,c" taken apart.
std::vector<std::string> comma_parts(const std::string& text);

}  // namespace ulna::cli
