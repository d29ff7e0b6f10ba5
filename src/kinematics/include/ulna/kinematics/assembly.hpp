#pragma once
// Putting a mechanism together: coordinates near a start, or any, at which every loop is closed.
// docs/theory/closed-loops.md, section 6.
//
//   ulna::AssemblyResult found = ulna::assemble(model, {.start = q, .held = {0}});
//
// Damped Gauss-Newton with steps limited by a region of trust, restarted from random postures; the
// methods of the older literature can be chosen instead and compared.

#include <string>
#include <vector>

#include "ulna/kinematics/loop_closure.hpp"

namespace ulna {

enum class AssemblyMethod {
  gauss_newton,             ///< damped, within the joint limits
  newton_raphson,           ///< undamped least-squares steps, cut at a quarter turn
  davidon_fletcher_powell,  ///< descent on |r|^2
  hooke_jeeves,             ///< pattern search on |r|^2
  complex_method            ///< Box: |r|^2 and, with less and less weight, the way from the start
};
ULNA_API const char* name_of(AssemblyMethod method);
ULNA_API std::vector<AssemblyMethod> assembly_methods();

/// A coordinate of a joint that closes a loop, and the value it shall have. An angle counts modulo
/// whole turns; of a quaternion that is given in part the rest is that of no rotation.
struct ClosingValue {
  int loop = 0;        ///< into Model::loops()
  int coordinate = 0;  ///< of that joint
  double value = 0;
};

struct AssemblyOptions {
  Eigen::VectorXd start;                   ///< coordinates; empty: neutral
  std::vector<int> held;                   ///< coordinates that keep their value of the start
  std::vector<ClosingValue> closing = {};  ///< coordinates of closing joints that are given
  /// Where a loop has a screw, its turns are counted from here while the held coordinates go to
  /// their values. Empty: from neutral, unless the start itself tells more than the held
  /// coordinates. Not for `all`.
  Eigen::VectorXd reference = {};
  /// A platform that floats on the world starts at its home pose, and from there goes to the held
  /// coordinates by continuity, unless the start itself says more.
  bool home = true;
  bool bend = false;  ///< let modal coordinates move; else they keep their value of the start
  AssemblyMethod method = AssemblyMethod::gauss_newton;
  int restarts = 100;        ///< random starts after the first
  double tolerance = 1e-10;  ///< gap (metres, radians) that counts as closed
  /// All different postures that the restarts find. A mechanism with freedom left has infinitely
  /// many: the coordinates that pivoting finds independent then keep the value of the first.
  /// Postures that differ by an idle freedom alone (the spin of a rod between two balls) are one.
  bool all = false;
  double distinct = 1e-4;  ///< postures closer than this (in the tangent) are one
  /// Of `all`: postures that put this frame to the same pose are one; negative: by all coordinates.
  int distinct_frame = -1;
  unsigned seed = 1;
  bool limits =
      true;  ///< stay within the limits of the joints (Gauss-Newton and the complex method)
};

struct Assembly {
  Eigen::VectorXd q;
  double gap = 0;  ///< largest, metres and radians alike
};

struct AssemblyResult {
  std::vector<Assembly> solutions;  ///< the nearest to the start first
  std::string reason;               ///< why there is none: which loop stays open and by how much
  /// That the loops also close whole turns away, where turns were counted; that a platform left
  /// the branch of its home pose.
  std::string note;
  /// With `distinct_frame`: postures that were found, of which each solution stands for some.
  int postures = 0;
  Eigen::VectorXd nearest;  ///< the posture that was open least
  double nearest_gap = 0;
  int open_loop = -1;  ///< the loop that is open most there
  int starts = 0, iterations = 0, evaluations = 0;
  double seconds = 0;
};

/// Throws InputError for a start or coordinates that do not fit; what cannot be assembled is a
/// result without solutions.
ULNA_API AssemblyResult assemble(const Model& model, const AssemblyOptions& options = {});

/// The posture of assemble, or ComputationError with its reason.
ULNA_API Eigen::VectorXd assembled(const Model& model, const AssemblyOptions& options = {});

}  // namespace ulna
