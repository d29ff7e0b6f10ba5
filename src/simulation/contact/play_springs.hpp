#pragma once
// Springs with play along joints: within a step each is slack, or taut on one side, and keeps the
// law of that side also in trials that go past its kink; passing a kink is an event.
// docs/theory/simulation.md, eq. 80.

#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

class PlaySprings {
 public:
  /// `driven`: one entry per speed; springs of driven joints need no such care.
  PlaySprings(const Model& model, const std::vector<char>& driven);

  bool any() const { return !springs_.empty(); }
  /// What is to be added to the efforts so that every spring acts by its present side.
  const Eigen::VectorXd& correction(const Eigen::VectorXd& q);
  /// Negative where a kink was passed.
  double guard(const Eigen::VectorXd& q) const;
  /// The sides at (q, v).
  void choose(const Eigen::VectorXd& q, const Eigen::VectorXd& v);

 private:
  enum class Side : signed char { below, slack, above };
  struct Spring {
    const DegreeTerms* terms;
    Side side = Side::slack;
    double precision;  ///< to which kinks are known
  };
  static double effort(const Spring& spring, double stretch);

  std::vector<Spring> springs_;
  Eigen::VectorXd correction_;
};

}  // namespace ulna
