#pragma once
// A function of one robot as straight-line expressions: the algorithms run on symbols
// (docs/generation.md). Printers (source.hpp) turn it into code, `compile` into a callable.
//
//   const ulna::TracedFunction f = ulna::trace(model, "inverse");
//   f.operations().multiplications;

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ulna/dynamics/formulation.hpp"
#include "ulna/kinematics/generalized_speeds.hpp"
#include "ulna/model/model.hpp"
#include "ulna/symbolic/graph.hpp"
#include "ulna/symbolic/program.hpp"

namespace ulna {

/// An array that a generated function takes or fills. Matrices are row major.
struct Argument {
  std::string name;
  int rows = 0, cols = 1;
  std::string meaning;
  std::string unit;                  ///< empty where entries have units of their own
  std::vector<std::string> entries;  ///< what each entry is, "joint1 (rad)"; may be empty

  int size() const { return rows * cols; }
};

struct TraceOptions {
  /// For forward-kinematics and jacobian: index into Model::frames(), -1 for the tip.
  int frame = -1;
  /// Masses, centres and inertias of the bodies as an argument array `p`. Those that are zero in
  /// the model stay zero.
  bool symbolic_inertias = false;
  /// The positions of the joints on their parents, in normal form (docs/conventions.md), likewise.
  bool symbolic_lengths = false;
  /// The masses of the payloads, likewise; their centres and inertias stay numbers.
  bool symbolic_payloads = false;
  bool symbolic() const { return symbolic_inertias || symbolic_lengths || symbolic_payloads; }
  /// For inverse, bias, forward and mass: a formulation (dynamics/formulation.hpp) as it is; empty:
  /// whatever is shortest.
  std::string method = {};
  /// For partial-velocities, and for inverse and forward by the method kane; of trees.
  GeneralizedSpeeds speeds = {};
  /// For inverse and bias of trees of one-degree joints: search so long for fewer operations
  /// (thorough_search.hpp). 0: the quick search.
  double thorough_seconds = 0;
  int thorough_rounds = 1000;  ///< at most so many of its rounds
  /// Stop searching at this many multiplications and additions.
  std::optional<std::pair<int, int>> at_most = {};
  /// For inverse with loops: speeds with a motor, as many as degrees of freedom; empty: chosen.
  std::vector<int> actuated = {};
  /// For forward and inverse with loops: a posture where the rows kept are independent; empty: what
  /// serves best at several closed postures.
  Eigen::VectorXd posture = {};
  /// Told now and then how a long search stands.
  std::function<void(const std::string&)> progress = {};
};

namespace generate {
struct Landmarks;
}

struct TracedFunction {
  std::string robot;
  std::string name;    ///< "inverse"
  std::string method;  ///< what was traced, for the header comment
  std::vector<Argument> inputs, outputs;
  std::shared_ptr<Graph> graph;         ///< its inputs are those of `inputs`, in order
  std::vector<Expression> expressions;  ///< entries of all outputs, in order

  /// With symbolic parameters: the function that turns p into c, run once at start-up. The last
  /// input is then c. Null otherwise.
  std::shared_ptr<TracedFunction> prepare;
  std::vector<double> parameters;  ///< the model's values of p

  /// Names for what it computes on the way; null where there are none.
  std::shared_ptr<const generate::Landmarks> landmarks;

  /// Of forward and inverse with loops: the rows of the closure that were kept (LoopClosure's
  /// numbers), which must be independent where the function is called; and the speeds with motors.
  std::vector<int> loop_rows, actuated;

  /// A name valid in every language: the robot's and the function's, "puma560_inverse".
  ULNA_API std::string identifier() const;
  ULNA_API OperationCount operations() const;
};

/// "forward-kinematics", "jacobian", "inverse", ...
ULNA_API const std::vector<std::string>& function_names();

/// Empty where generated code can follow the formulation for this robot and question; else the one
/// sentence that says why not: that of the table (dynamics/formulation.hpp), or that the
/// formulation has no symbolic form.
ULNA_API std::string why_not_generated(const Formulation& formulation, const Model& model,
                                       Question question);

/// InputError for an unknown function, naming the nearest; for robots with loops where the function
/// is for trees, and the reverse. With loops `inverse` and `forward` are what `loop-inverse` and
/// `loop-forward`, their older names, are.
ULNA_API TracedFunction trace(const Model& model, const std::string& function,
                              const TraceOptions& options = {});

}  // namespace ulna
