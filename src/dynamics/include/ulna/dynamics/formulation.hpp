#pragma once
// The formulations of dynamics: the equations by which the open tree of a robot is described. There
// is one table, which the command line, Python, `verify` and `Dynamics` read, so that a formulation
// added to it appears in all of them (CONTRIBUTING.md).
//
// A formulation gives M a + c of the open tree, its mass matrix, its accelerations, or some of
// these; the others are derived. Loops are closed afterwards, in the same way for all of them
// (docs/theory/closed-loops.md, eq. 16 to 19): they need nothing else of the tree.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ulna/model/model.hpp"
#include "ulna/scalar/parts/export.hpp"

namespace ulna {

enum class Question { inverse, forward, mass, reactions };
inline constexpr int question_count = 4;
ULNA_API const char* name_of(Question question);  ///< "inverse dynamics", ...

class TreeRoute;
class WholeRoute;

struct Formulation {
  const char* name;                   ///< "lagrange-4x4"
  const char* summary;                ///< one line for help texts
  const char* theory;                 ///< the page that derives it
  bool efforts, mass, accelerations;  ///< what its own equations give
  bool flexible;                      ///< takes flexible bodies
  /// A reason besides these not to take a robot; empty: none. May be null.
  std::string (*refuses)(const Model& model);
  /// Null where `whole` is given.
  std::unique_ptr<TreeRoute> (*route)(const Model& model);
  bool reactions = false;  ///< its equations hold what passes through the joints
  /// For a formulation that describes a mechanism with its loops and needs no open tree; else null.
  std::unique_ptr<WholeRoute> (*whole)(const Model& model) = nullptr;
};

/// All of them; the first is the default for inverse dynamics.
ULNA_API std::span<const Formulation> formulations();

/// InputError that lists the names and the nearest one.
ULNA_API const Formulation& formulation_named(const std::string& name);

/// Empty where the formulation answers the question for this robot, else the one sentence that says
/// why not.
ULNA_API std::string why_not(const Formulation& formulation, const Model& model, Question question);

/// The formulations that can answer the question for some robot.
ULNA_API std::vector<std::string> formulation_names(Question question);
/// Those that answer it for this one.
ULNA_API std::vector<std::string> formulation_names(Question question, const Model& model);

/// The formulation of this name. InputError about `option` where there is none or where it does not
/// answer the question for this robot: it says why and lists the names that do.
ULNA_API const Formulation& formulation_for(const std::string& name, const Model& model,
                                            Question question, const char* option = "method");

}  // namespace ulna
