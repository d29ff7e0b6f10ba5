#include "ulna/study/verify.hpp"

#include "verify/verifier.hpp"

namespace ulna {

bool VerifyResult::ok() const {
  for (const VerifyPair& pair : pairs)
    if (!pair.ok()) return false;
  return true;
}

VerifyResult verify(const Model& model, const VerifyOptions& options) {
  if (!model.loops().empty()) return verify_loops(model, options);
  if (options.states < 1)
    throw InputError("the number of states is less than one", "a positive number");
  if (model.flexible()) return verify_flexible(model, options);
  VerifyResult result;
  if (model.speeds() == 0) return result;
  Verifier verifier(model, options.seed);
  while (result.states < options.states) {
    verifier.examine_a_state();
    ++result.states;
    if (options.progress && !options.progress(result.states)) break;
  }
  result.partial = result.states < options.states;
  result.pairs = verifier.ledger.take();
  return result;
}

}  // namespace ulna
