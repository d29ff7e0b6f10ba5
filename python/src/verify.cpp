// Robot: does every method give the same answer?

#include "ulna/study/verify.hpp"

#include "interrupt.hpp"

namespace ulna::python {
namespace {

py::object robot_verify(const RobotHandle& robot, int states, unsigned seed) {
  if (states < 1) throw InputError(Problem{{}, "states", "is not positive", "1 or more", {}});
  InterruptWatch watch;
  VerifyResult found;
  {
    const Unlocked unlocked;
    found = verify(*robot.model, {states, seed, [&](int) { return !watch.interrupted_now(); }});
  }
  watch.rethrow();
  const py::object pair = result_class("VerifyPair");
  py::list pairs;
  for (const VerifyPair& p : found.pairs)
    pairs.append(pair(p.quantity, p.a, p.b, p.max_difference, p.bound, p.ok()));
  return result_class("Verification")(found.ok(), found.states, pairs);
}

}  // namespace

void add_verify(RobotClass& robot) {
  robot.def(
      "verify", &robot_verify, py::kw_only(), py::arg("states") = 100, py::arg("seed") = 1,
      "Compares every pair of methods, and checks the identities that hold for any mechanism,\n"
      "on random states. The result prints as a table; `ok` says whether all agree.");
}

}  // namespace ulna::python
