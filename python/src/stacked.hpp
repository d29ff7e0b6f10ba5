#pragma once
// Functions of states whose results have several parts or sizes that only the computation tells:
// computed for one state or, on all cores, for a batch, then stacked part by part into arrays.
//
//   const auto found = stacked(robot, states, dear_share, [](Context& c, const auto& x) {...});
//   return result_class("Pair")(found.vectors(&Pair::x), found.matrices(&Pair::A));

#include <functional>
#include <span>
#include <type_traits>

#include "states.hpp"

namespace ulna::python {

/// InputError: the states of a batch give results of different sizes.
[[noreturn]] void refuse_ragged();
/// A state that fits the loops, if there are any: what stands in for those of an empty batch, whose
/// results have shapes all the same.
py::object sample_posture(const Model& model);
/// compute() of that state; InputError where it does not work, which leaves the shapes unknown.
template <class Compute>
auto of_sample(const Compute& compute) {
  try {
    return compute();
  } catch (const std::exception&) {
    throw InputError("the batch has no states, and the shape of the results depends on them",
                     "one state or more");
  }
}

/// An array of `count` results (one: count < 0) of the given shape.
py::object stack_array(py::ssize_t count, std::span<const py::ssize_t> tail);

template <class R>
class Stack {
 public:
  explicit Stack(py::ssize_t count)
      : at(static_cast<std::size_t>(std::max<py::ssize_t>(count, 1))), count_(count) {}
  std::vector<R> at;  ///< one for each state; of an empty batch a sample, which tells the shapes

  py::ssize_t count() const { return count_; }  ///< -1: one state, not a batch
  std::span<const R> results() const {          ///< without the sample
    return {at.data(), count_ == 0 ? 0 : at.size()};
  }

  /// get(result) is a number: a float, or (N,).
  template <class Get>
  py::object numbers(const Get& get) const {
    if (count_ < 0) return py::float_(static_cast<double>(std::invoke(get, at[0])));
    return fill({}, get, [](double* out, double x) { *out = x; });
  }
  /// get(result) is a vector: (n,), or (N, n).
  template <class Get>
  py::object vectors(const Get& get) const {
    const Eigen::VectorXd first = std::invoke(get, at[0]);
    return fill({first.size()}, get, [&](double* out, const Eigen::VectorXd& x) {
      if (x.size() != first.size()) refuse_ragged();
      MutableVector(out, x.size()) = x;
    });
  }
  /// get(result) is a matrix: (m, n), or (N, m, n).
  template <class Get>
  py::object matrices(const Get& get) const {
    const Eigen::MatrixXd first = std::invoke(get, at[0]);
    return fill({first.rows(), first.cols()}, get, [&](double* out, const Eigen::MatrixXd& x) {
      if (x.rows() != first.rows() || x.cols() != first.cols()) refuse_ragged();
      MutableRows(out, x.rows(), x.cols()) = x;
    });
  }
  /// get(result) is a list of matrices, all of one size: (k, m, n), or (N, k, m, n).
  template <class Get>
  py::object planes(const Get& get) const {
    const std::vector<Eigen::MatrixXd>& first = std::invoke(get, at[0]);
    const auto k = static_cast<py::ssize_t>(first.size());
    const py::ssize_t m = k ? first[0].rows() : 0, n = k ? first[0].cols() : 0;
    return fill({k, m, n}, get, [&](double* out, const std::vector<Eigen::MatrixXd>& x) {
      if (static_cast<py::ssize_t>(x.size()) != k) refuse_ragged();
      for (const Eigen::MatrixXd& plane : x) {
        if (plane.rows() != m || plane.cols() != n) refuse_ragged();
        MutableRows(out, m, n) = plane;
        out += m * n;
      }
    });
  }
  /// get(result) is anything: itself, or a list.
  template <class Get>
  py::object objects(const Get& get) const {
    if (count_ < 0) return py::cast(std::invoke(get, at[0]));
    py::list out;
    for (const R& one : results()) out.append(py::cast(std::invoke(get, one)));
    return out;
  }

 private:
  template <class Get, class Store>
  py::object fill(std::initializer_list<py::ssize_t> tail, const Get& get,
                  const Store& store) const {
    py::object out = stack_array(count_, {tail.begin(), tail.size()});
    py::ssize_t step = 1;
    for (const py::ssize_t n : tail) step *= n;
    double* to = data_of(out);
    for (const R& one : results()) {
      store(to, std::invoke(get, one));
      to += step;
    }
    return out;
  }
  py::ssize_t count_;
};

/// q, v, ... as Python gave them; None stands for zeros, but not of q.
template <int K>
States<K> states_from(RobotHandle& robot, const std::array<const py::object*, K>& given,
                      const std::array<const char*, K>& names) {
  PyObject* slots[K];
  for (int k = 0; k < K; ++k) slots[k] = k > 0 && given[k]->is_none() ? nullptr : given[k]->ptr();
  States<K> states = states_of<K>(robot, slots, names);
  if (states.count != 0) return states;
  for (int k = 0; k < K; ++k) {
    states.x[k].serve_all();
    states.x[k].data = robot.zeros();
  }
  states.x[0].owner = sample_posture(*robot.model);
  states.x[0].data = data_of(states.x[0].owner);
  return states;
}

/// compute(context, rows) for every state.
template <int K, class Compute>
auto stacked(RobotHandle& robot, const States<K>& states, py::ssize_t share,
             const Compute& compute) {
  using Result = std::decay_t<decltype(compute(std::declval<Context&>(), states.row(0)))>;
  Stack<Result> out(states.count);
  if (states.count < 0) {
    RobotHandle::Loan context(robot);
    const Unlocked unlocked;
    out.at[0] = compute(*context, states.row(0));
  } else if (states.count == 0) {
    RobotHandle::Loan context(robot);
    out.at[0] = of_sample([&] { return compute(*context, states.row(0)); });
  } else {
    for_each_state(robot, states.count, share, [&](Context& context, py::ssize_t i) {
      out.at[static_cast<std::size_t>(i)] = compute(context, states.row(i));
    });
  }
  return out;
}

}  // namespace ulna::python
