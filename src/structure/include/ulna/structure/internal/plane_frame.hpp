#pragma once
// Robots whose beams have no data for a frame in space, only for bending in the plane in which the
// robot moves: such a robot is a frame in that plane. Beams without EA do not stretch there.
// docs/theory/structure.md.

#include <optional>
#include <string>

#include "ulna/model/model.hpp"

namespace ulna {

struct PlaneFrame {
  std::string freedoms;  ///< "u,v,rz": those of the nodes in the plane
  Robot robot;           ///< with a stiffness along beams that have none
  std::string note;      ///< what was taken, and why
};

/// None when every beam has EA, EIy, EIz and GJ, or when there is no such plane: joints turn about
/// one world axis or slide across it, beams lie across it with a principal axis of their sections
/// along it, and bend in the plane with a stiffness above zero.
ULNA_API std::optional<PlaneFrame> plane_frame(const Model& model);

/// StructureOptions::freedoms of "u,v,rz"; none where it holds another word.
ULNA_API std::optional<unsigned> freedoms_named(const std::string& list);

}  // namespace ulna
