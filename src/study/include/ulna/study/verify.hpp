#pragma once
// Does one model give the same answer by every route? Random states inside the limits, every pair
// of methods and the identities that hold for any mechanism. docs/theory/verify.md lists them with
// their bounds.

#include <functional>
#include <string>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

/// One comparison, the worst over all states.
struct VerifyPair {
  std::string a, b;           ///< what was compared
  std::string quantity;       ///< of what
  double max_difference = 0;  ///< relative to the size of the terms
  double bound = 0;           ///< allowed at the state of the worst difference over bound
  bool ok() const { return max_difference <= bound; }
};

struct VerifyResult {
  int states = 0;        ///< how many were examined
  bool partial = false;  ///< stopped before all states were
  /// With loops: draws that were left out, because no closed posture was found from them, and
  /// because it was so near to a singular one that the rank of the closure is a matter of opinion.
  int open = 0, singular = 0;
  std::vector<VerifyPair> pairs;
  std::vector<std::string> notes;  ///< properties of the robot that leave questions without answer
  ULNA_API bool ok() const;
};

struct VerifyOptions {
  int states = 100;
  unsigned seed = 1;
  /// Called after each state; return false to stop early. May be empty.
  std::function<bool(int done)> progress;
};

/// For robots of every kind. Speeds and accelerations are drawn from [-1, 1]; with loops, what is
/// compatible with them. ComputationError where no closed posture is found.
ULNA_API VerifyResult verify(const Model& model, const VerifyOptions& options = {});

}  // namespace ulna
