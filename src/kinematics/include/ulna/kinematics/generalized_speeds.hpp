#pragma once
// Generalized speeds of Kane's method, u = Y(q) v + y(q, t), as they are asked for and as rows that
// any scalar can compute (kernels/speed_rows.hpp). docs/theory/kane.md, section "Speeds".
//
//   joint-rates   u = v
//   body:NAME     components of the angular velocity of a body, in its own axes, in the place of as
//                 many joint rates
//   middle        the same for the body that the rule of Kane's school proposes
//   formulas      one for each speed: "u1: cos(q.joint2)*v.joint1 + t"
//
// With loops the speeds u stand for the independent ones: as many as degrees of freedom.

#include <Eigen/Core>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ulna/model/model.hpp"
#include "ulna/symbolic/graph.hpp"

namespace ulna {

struct GeneralizedSpeeds {
  std::string name = "joint-rates";  ///< "joint-rates", "middle", "body:NAME", or of the formulas
  /// Name and text of each; not empty: these are the speeds, and `name` is what messages call them.
  std::vector<std::pair<std::string, std::string>> formulas = {};

  bool joint_rates() const { return formulas.empty() && name == "joint-rates"; }
  bool operator==(const GeneralizedSpeeds&) const = default;
};

/// Formulas read: the entries of Y and y over the inputs q, v (which they do not contain) and t.
struct SpeedFormulas {
  Graph graph;
  std::vector<Expression> Y;  ///< by rows, one per formula
  std::vector<Expression> y;
};

/// A choice resolved for a robot. Row r is the rate of speed `rate[r]`, or a component of the
/// angular velocity of `body`, or else a formula.
struct SpeedRows {
  std::string name;
  std::vector<std::string> names;  ///< of the speeds u: "joint4", "C.wx", "u1"
  std::vector<int> rate;           ///< a speed of the tree, or -1
  std::vector<int> component;      ///< 0 to 2, or -1
  int body = -1;
  std::shared_ptr<const SpeedFormulas> formulas = {};

  int size() const { return static_cast<int>(rate.size()); }
  /// The independent speeds whose rates are not among the rows, ascending.
  std::vector<int> replaced;
  bool moves_with_time() const { return formulas != nullptr; }  ///< y may be other than zero
};

/// For a tree, at a posture where the components of a body are chosen: of the rates those that a
/// pivoted QR takes first, of the components as many as the body has independent ones (a body
/// carried by two turns: two). InputError where there is none, where a name is unknown, or where
/// formulas are not linear in v or not as many as speeds.
ULNA_API SpeedRows resolve_speeds(const Model& model, const GeneralizedSpeeds& speeds,
                                  const VectorRef& q);
/// The same for a robot with loops, v = G v_independent.
ULNA_API SpeedRows resolve_speeds(const Model& model, const GeneralizedSpeeds& speeds,
                                  const VectorRef& q, const Eigen::MatrixXd& G,
                                  const std::vector<int>& independent);

/// The body that the rule of Kane's school proposes, on the way to the tip that is carried by most
/// turns: the second of 3 or 4 turns, the third of 5 or more. -1 when there are fewer than three.
ULNA_API int middle_body(const Model& model);

}  // namespace ulna
