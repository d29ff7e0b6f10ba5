#pragma once
// What the traced functions share: symbols for the state, the parameters, and how to weigh two ways
// of computing one thing.

#include <span>

#include "ulna/dynamics/internal/parameter_grouping.hpp"
#include "ulna/generate/traced_function.hpp"
#include "ulna/model/parts/workspace.hpp"
#include "ulna/symbolic/internal/differentiate.hpp"

namespace ulna::generate {

using Expressions = std::vector<Expression>;

struct Tracing {
  const Model& model;
  TraceOptions options;
  Expressions q, v, a, tau;           ///< zeros where the function does not take them
  Expressions u;                      ///< inputs of actuators, then time (input_names)
  Parameters<Expression> parameters;  ///< of the bodies as they are

  int speeds() const { return model.speeds(); }
  TreeView<Expression> tree() const { return view<Expression>(model.topology(), parameters); }
  /// Fewer parameters with the same efforts for every motion. Without gravity, as mass matrices
  /// are, even fewer are felt.
  Parameters<Expression> grouped(bool gravity) const;
};

/// What a function computes, and how it went about it.
struct Traced {
  Expressions expressions;
  std::string method;
  std::vector<int> loop_rows = {}, actuated = {};  ///< TracedFunction's
};

/// What generated code asks for beside the state: forces of actuators that are inputs, then the
/// time of formulas. Empty for most robots.
std::vector<std::string> input_names(const Model& model);

/// The function's name in the table: robots with loops have inverse and forward with the loads of
/// their loops, which older versions called loop-inverse and loop-forward.
std::string table_name(const Model& model, const std::string& function);
/// Rigid bodies, no loops and no force elements: the robots of short requests and column forms.
bool is_plain_tree(const Model& model);

/// A function's name, robot and arguments, nothing traced. InputError as `trace`.
TracedFunction described(const Model& model, const std::string& function,
                         const TraceOptions& options);

/// Additions and multiplications count one, divisions and roots as many as they take time.
int cost(std::span<const Expression> expressions);
/// The cheapest of several ways.
Traced cheapest(std::vector<Traced> ways);

Expressions zeros(std::size_t count);
/// A column major n x m matrix by rows.
Expressions by_rows(const Expressions& columns, int rows, int cols);

// trace_kinematics.cpp
/// A pose of the model as constants. Entries of its rotation within 8 ulp of 0 and 1 are exact:
/// right angles cost nothing.
NodePose<Expression> constant_pose(const Pose<double>& X);
Traced trace_forward_kinematics(const Tracing& t);
Traced trace_frame_poses(const Tracing& t);
Traced trace_jacobian(const Tracing& t);
Traced trace_energy(const Tracing& t);
Traced trace_regressor(const Tracing& t);

// trace_dynamics.cpp
/// Efforts of inverse dynamics by the formulation asked for, rotors, friction, damping and springs
/// included.
Expressions traced_inverse(const Tracing& t, const Expressions& v, const Expressions& a);
/// tau += sense (friction, damping, springs and force elements).
void traced_passive_efforts(const Tracing& t, const Expressions& v, double sense, Expressions& tau);
/// The mass matrix in several ways; symmetric, so by rows as by columns.
std::vector<Traced> mass_matrix_ways(const Tracing& t);
Expressions traced_mass_matrix(const Tracing& t);
Traced trace_inverse(const Tracing& t);
Traced trace_bias(const Tracing& t);
Traced trace_gravity(const Tracing& t);
Traced trace_mass(const Tracing& t);
Traced trace_forward(const Tracing& t);

// trace_kane.cpp
Traced trace_partial_velocities(const Tracing& t);

// trace_matrices.cpp
Traced trace_matrices(const Tracing& t);
/// The body that carries another; 0 is the world.
int parent_body(const Model& model, int body);

// trace_derivatives.cpp
Traced trace_inverse_derivatives(const Tracing& t);
Traced trace_forward_derivatives(const Tracing& t);

/// The ways in which q moves with each speed.
std::vector<std::vector<InputRate>> coordinate_directions(const Tracing& t);

// trace_flexible.cpp
/// A function of a robot with flexible bodies by its name; InputError for those that need rigid
/// ones.
Traced trace_flexible(const Tracing& t, const std::string& function);

// trace_loops.cpp
Traced trace_loop_residual(const Tracing& t);
Traced trace_loop_forward(const Tracing& t);
Traced trace_loop_inverse(const Tracing& t);

/// M = L D L', eliminating the last speed first: joints that do not carry each other stay apart.
class MassFactor {
 public:
  MassFactor(Expressions M, int speeds);
  void solve(Expression* x) const;

 private:
  int n_;
  Expressions factor_;
};

// shorten.cpp
/// The same values by fewer operations, if any are found (docs/theory/generation.md).
void shorten(Expressions& expressions, Graph& graph);

// symbolic_parameters.cpp
/// Names and values of p, and the parameters of the nodes made of them.
struct SymbolicParameters {
  std::vector<std::string> names;
  std::vector<double> values;
  Parameters<Expression> parameters;
};
/// Makes the inputs p of the current graph.
SymbolicParameters symbolic_parameters(const Model& model, const TraceOptions& options);
/// Moves what depends on p alone, the last input, into `prepare`.
void hoist_parameters(TracedFunction& function);

}  // namespace ulna::generate
