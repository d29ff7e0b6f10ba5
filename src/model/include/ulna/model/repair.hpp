#pragma once
// Inertias that no body can have, replaced by the nearest possible ones. About its centre of mass
// the pseudo-inertia of a body is mass and Sigma = tr(I) / 2 - I, which must not be negative in any
// direction. The nearest Sigma in the norm of its entries has the negative principal values set to
// zero; mass and centre stay (Wensing, Kim, Slotine 2018).

#include <vector>

#include "ulna/model/robot.hpp"

namespace ulna {

struct InertiaRepair {
  SourceMark where;
  std::string element;  ///< "body 'hand'"
  std::string reason;   ///< which inequality was violated
  double change = 0;    ///< norm of the change over the norm of the inertia
  ULNA_API std::string text() const;
};

/// Bodies and payloads; those that are harmless because of what they are welded to stay as they
/// are.
ULNA_API std::vector<InertiaRepair> repair_inertias(Robot& robot);

/// The nearest possible inertia about the centre of mass.
ULNA_API Matrix3<double> nearest_possible_inertia(const Matrix3<double>& inertia);

}  // namespace ulna
