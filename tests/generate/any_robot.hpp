#pragma once
// What the tests of generated functions share: robots, states, and the comparison of a function
// with the general algorithm.

#include <gtest/gtest.h>

#include "../support/random_robot.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/generate/internal/general_algorithm.hpp"
#include "ulna/generate/traced_function.hpp"
#include "ulna/kinematics/parts/speed_map.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna::test {

using testing::Generator;

inline const std::vector<std::string> shipped = {"intelledex605", "puma560", "scara", "stanford"};

/// All but those for robots with loops.
inline std::vector<std::string> functions_of_trees() {
  std::vector<std::string> names = function_names();
  std::erase_if(names, [](const std::string& name) { return name.starts_with("loop-"); });
  return names;
}

inline Model shipped_model(const std::string& name) { return Model(read_robot(name).robot); }

inline Model random_model(unsigned seed, bool mimic = false) {
  Generator g(seed);
  testing::RobotRecipe recipe;
  recipe.bodies = 6;
  recipe.types = testing::all_moving_types;
  recipe.branches = recipe.friction = recipe.reversed = true;
  recipe.mimic = mimic;
  return Model(testing::random_robot(g, recipe));
}

/// Arrays for the arguments of a function, and pointers to them.
struct Arrays {
  explicit Arrays(const std::vector<Argument>& arguments) {
    for (const Argument& argument : arguments) values.emplace_back(argument.size(), NAN);
    for (std::vector<double>& array : values) pointers.push_back(array.data());
  }
  std::vector<std::vector<double>> values;
  std::vector<double*> pointers;
};

inline void fill_at_random(const Model& model, const std::vector<Argument>& arguments, Generator& g,
                           Arrays& arrays) {
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Eigen::VectorXd x = arguments[k].name == "q"
                                  ? model.random(g)
                                  : testing::random_entries(g, arguments[k].size());
    std::copy(x.begin(), x.end(), arrays.values[k].begin());
  }
}

/// 1e-12 of the largest entry is some thousand roundings; results of M^-1 lose digits with its
/// condition besides.
inline double tolerance(const Model& model, const std::string& function, const double* q) {
  if (!function.starts_with("forward") || function == "forward-kinematics") return 1e-12;
  Workspace work(model);
  const Eigen::Map<const Eigen::VectorXd> at(q, model.coordinates());
  const Eigen::VectorXd s = dense::singular_values(mass_matrix(model, work, at));
  return 1e-12 + 1e-15 * s(0) / s(s.size() - 1);
}

/// In generalized speeds digits are lost with the condition of Y, there and back. The speeds are
/// those that the generator fixes at a posture of its own.
inline double lost_in_speeds(const Model& model, const TraceOptions& options, const double* q) {
  if (options.speeds.joint_rates()) return 0;
  std::mt19937_64 generator(1);
  const SpeedRows rows = resolve_speeds(model, options.speeds, model.random(generator));
  const Eigen::Map<const Eigen::VectorXd> at(q, model.coordinates());
  const Eigen::MatrixXd Y = map_of_rows(model, rows, at, Eigen::VectorXd::Zero(model.speeds())).Y;
  return 1e-14 / std::pow(dense::reciprocal_condition(Y), 2);
}

/// Runs `function(inputs, outputs)` on random states beside the general algorithm.
template <class Function>
void expect_general(const Model& model, const TracedFunction& traced, const Function& function,
                    int states, const TraceOptions& options = {}) {
  GeneralAlgorithm general(model, traced.name, options);
  std::vector<Argument> inputs = traced.inputs;
  if (traced.prepare) inputs.pop_back();  // c
  Arrays in(inputs), out(traced.outputs), expected(traced.outputs);
  Generator g(7);
  for (int state = 0; state < states; ++state) {
    fill_at_random(model, inputs, g, in);
    function(in, out);
    general(in.pointers.data(), expected.pointers.data());
    const double bound = tolerance(model, traced.name, in.pointers[0]) +
                         lost_in_speeds(model, options, in.pointers[0]);
    if (!(bound < 1e-3)) continue;  // at a singular posture of the speeds
    for (std::size_t k = 0; k < out.values.size(); ++k) {
      const Eigen::Map<const Eigen::VectorXd> x(out.pointers[k], traced.outputs[k].size());
      const Eigen::Map<const Eigen::VectorXd> y(expected.pointers[k], traced.outputs[k].size());
      const double size = std::max(1e-3, y.cwiseAbs().maxCoeff());
      ASSERT_LE((x - y).cwiseAbs().maxCoeff(), bound * size)
          << model.name() << ", " << traced.name << ", " << traced.outputs[k].name << ", state "
          << state;
      ASSERT_TRUE(x.allFinite());
    }
  }
}

}  // namespace ulna::test
