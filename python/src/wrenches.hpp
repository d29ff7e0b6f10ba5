#pragma once
// External wrenches as Python gives them: {frame: force}, or a list of ulna.Wrench, with one force
// for all states or one row for each.

#include "states.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna::python {

class WrenchArgument {
 public:
  /// None is null. InputError and TypeError naming the argument.
  WrenchArgument(const RobotHandle& robot, PyObject* object);

  py::ssize_t count() const { return count_; }  ///< -1: the same for all states
  /// The numbers as one more argument of a function of states, six for each wrench.
  StateArgument numbers() const;
  /// The wrenches of the state with these numbers; `room` is the caller's.
  const std::vector<ExternalWrench>& at(const double* numbers,
                                        std::vector<ExternalWrench>& room) const;
  /// The same for all states; InputError for a batch.
  const std::vector<ExternalWrench>& single() const;

 private:
  void add(const RobotHandle& robot, py::handle frame, py::handle point);
  void take(py::handle given, const char* name, bool with_moment, int first);
  void spread();

  std::vector<ExternalWrench> fixed_;
  struct Part {
    Array values;  ///< (3,), (6,), (N, 3) or (N, 6)
    int first;     ///< of the six numbers of its wrench, moment first
  };
  std::vector<std::vector<Part>> parts_;  ///< of each wrench
  py::object rows_;                       ///< (max(N, 1), 6 k)
  py::ssize_t count_ = -1;
};

/// The states of a function with the numbers of wrenches behind them.
template <int K>
States<K + 1> with_wrenches(const States<K>& states, const WrenchArgument& wrenches,
                            const std::array<const char*, K>& names) {
  States<K + 1> out;
  std::array<const char*, K + 1> all;
  for (int k = 0; k < K; ++k) {
    out.x[k] = states.x[k];
    all[k] = names[k];
  }
  out.x[K] = wrenches.numbers();
  all[K] = "wrenches";
  fit_together<K + 1>(out, all);
  return out;
}

}  // namespace ulna::python
