#pragma once
// From a beam with modes to the numbers of a flexible body. docs/theory/flexible.md, eq. 5-12.
//
//   Robot robot = ...;       // with beams that have `flexible`
//   make_flexible(robot);    // readers of robot files do this
//   Model model(robot);

#include <optional>

#include "ulna/elastic/parts/mode_family.hpp"
#include "ulna/model/parts/modal_body.hpp"
#include "ulna/model/parts/mode_table.hpp"
#include "ulna/model/robot.hpp"

namespace ulna {

/// Shapes of a beam, one set per kind of deformation.
struct BeamModes {
  ModeSet bending_y, bending_z, torsion, axial;
};
ULNA_API BeamModes modes_of(const BeamData& beam);

/// InputError naming `element` where the beam cannot be flexible as asked: no stiffness or mass in
/// a direction that has modes, modes that depend on each other.
ULNA_API ModalBody modal_body(const BeamData& beam, const std::string& element);

/// From shapes and matrices given by numbers (`beam` then has no modes of its own). Damping: that
/// of the table, or a ratio for all modes, or one each.
ULNA_API ModalBody modal_body(const BeamData& beam, const std::string& element,
                              std::shared_ptr<const ModeTable> table,
                              const std::vector<double>& damping = {});
/// The table that a body was made from; null for others.
ULNA_API std::shared_ptr<const ModeTable> mode_table_of(const ModalBody& body);

/// Fills BodyData::modal of every body whose beam is flexible. Bodies made from a table stay as
/// they are.
ULNA_API void make_flexible(Robot& robot);

/// The same robot with every flexible beam made rigid, or with other numbers of modes per bending
/// plane (planes without modes stay without; modes from files stay as they are).
ULNA_API Robot with_rigid_links(Robot robot, const std::vector<std::string>& bodies = {});
ULNA_API Robot with_bending_modes(Robot robot, int modes);
/// Of one body only; 0 modes make it rigid. InputError where it is not flexible, or where its modes
/// come from a file and are to be changed.
ULNA_API Robot with_body_modes(Robot robot, const std::string& body, std::optional<int> modes,
                               std::optional<ModeFamily> family = {});
/// With `more` modes added in every bending plane that has some.
ULNA_API Robot with_more_modes(Robot robot, int more);

}  // namespace ulna
