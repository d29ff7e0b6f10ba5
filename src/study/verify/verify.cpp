#include "ulna/study/verify.hpp"

#include <fmt/format.h>

#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/mobility.hpp"
#include "verify/verifier.hpp"

namespace ulna {

bool VerifyResult::ok() const {
  for (const VerifyPair& pair : pairs)
    if (!pair.ok()) return false;
  return true;
}

VerifyResult verify(const Model& model, const VerifyOptions& options) {
  constexpr int most_tries = 10;  // of each state: not every start can be closed
  if (options.states < 1)
    throw InputError("the number of states is less than one", "a positive number");
  VerifyResult result;
  if (model.speeds() == 0) return result;
  Verifier verifier(model, options.seed);
  if (verifier.structure) {
    result.notes.push_back(rigid_structure_text(model) +
                           ", so that there are no motions to compare");
    return result;
  }
  for (long tried = 0; result.states < options.states && !result.partial &&
                       tried < static_cast<long>(most_tries) * options.states;
       ++tried) {
    if (!verifier.examine_a_state()) continue;
    ++result.states;
    result.partial =
        options.progress && !options.progress(result.states) && result.states < options.states;
  }
  if (result.states == 0 && !model.is_tree()) {
    const Mobility here = mobility(model, assembled(model));
    if (here.determined && here.full_cycle_dof == 0) {
      result.notes.push_back(mobility_notes(model, here).front() + ": nothing to compare");
      return result;
    }
  }
  if (result.states == 0)
    throw ComputationError(fmt::format(
        "robot '{}': of {} random starts {} could not be assembled and {} came to singular "
        "postures: no state to compare at",
        model.name(), verifier.open + verifier.singular, verifier.open, verifier.singular));
  result.open = verifier.open;
  result.singular = verifier.singular;
  if (!verifier.massless.empty()) result.notes.push_back(verifier.massless);
  result.pairs = verifier.ledger.take();
  return result;
}

}  // namespace ulna
