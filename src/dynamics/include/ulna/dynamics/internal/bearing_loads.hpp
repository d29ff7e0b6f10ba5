#pragma once
// Reactions of a robot of any kind whose efforts are known, as in a run, and what the bearings of
// its joints carry of them (docs/theory/reactions.md, eq. 6). `Dynamics::reactions` finds the
// efforts itself.

#include <memory>
#include <vector>

#include "ulna/dynamics/reactions.hpp"

namespace ulna {

/// Sizes of the force and of the moment that the bearings of a joint carry: of its reaction at the
/// joint, without what acts along the directions in which the joint moves.
struct BearingLoad {
  double force = 0, moment = 0;
};

struct KnownReactions {
  std::vector<Wrench<double>> joints;   ///< as Model::joints(), at the joint in world axes
  std::vector<Wrench<double>> closing;  ///< as Model::loops(); zero for couplings
  std::vector<BearingLoad> bearings;    ///< of the joints, then of the loops
  bool unique = true;  ///< false where closures are redundant: the reactions of least norm
};

class ULNA_API BearingLoads {
 public:
  explicit BearingLoads(const Model& model);
  ~BearingLoads();
  BearingLoads(BearingLoads&&) noexcept;
  BearingLoads& operator=(BearingLoads&&) = delete;

  /// At accelerations a under efforts tau of all speeds, friction and stops among them. Left here
  /// until the next call.
  const KnownReactions& compute(const VectorRef& q, const VectorRef& v, const VectorRef& a,
                                const VectorRef& tau, ExternalWrenches wrenches = {});

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna
