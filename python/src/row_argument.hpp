#pragma once
// Arguments in rows beside the states of a robot: twists (6,) or (N, 6), drives (legs,) or (N,
// legs).

#include "stacked.hpp"

namespace ulna::python {

/// Rows of `width` numbers, one for all or one per pose; zeros for None and for the sample of an
/// empty batch.
struct RowArgument {
  Array owner;
  std::vector<double> zeros;
  const double* data = nullptr;
  py::ssize_t width = 0, count = -1;

  /// A batch of one serves all.
  ConstVector row(py::ssize_t i) const { return {data + (count <= 1 ? 0 : i * width), width}; }
};
RowArgument row_argument(const py::object& object, const char* name, py::ssize_t width,
                         const char* meaning);

/// How many states the arguments make together; InputError where they do not fit.
py::ssize_t count_of(std::initializer_list<std::pair<const char*, py::ssize_t>> counts);

/// States beside such rows: a batch of one serves all `count`.
template <int K>
void spread(States<K>& states, py::ssize_t count) {
  if (states.count == 1 && count != 1)
    for (StateArgument& x : states.x) x.serve_all();
}

/// compute(context, i) for each of `count` rows (one: count < 0), on all cores.
template <class Compute>
auto for_rows(RobotHandle& robot, py::ssize_t count, py::ssize_t share, const Compute& compute) {
  using Result = std::decay_t<decltype(compute(std::declval<Context&>(), py::ssize_t{0}))>;
  Stack<Result> out(count);
  if (count < 0) {
    RobotHandle::Loan context(robot);
    const Unlocked unlocked;
    out.at[0] = compute(*context, 0);
  } else if (count == 0) {
    RobotHandle::Loan context(robot);
    out.at[0] = of_sample([&] { return compute(*context, 0); });
  } else {
    for_each_state(robot, count, share, [&](Context& context, py::ssize_t i) {
      out.at[static_cast<std::size_t>(i)] = compute(context, i);
    });
  }
  return out;
}

}  // namespace ulna::python
