#pragma once
// Springs with play along joints, and those of elements: within a step each is slack, or taut on
// one side, and keeps the law of that side also in trials that go past its kink; passing a kink is
// an event. docs/theory/simulation.md, eq. 80.

#include "contact/element_kinks.hpp"

namespace ulna {

class PlaySprings {
 public:
  /// `driven`: one entry per speed; springs of driven joints need no such care.
  PlaySprings(const Model& model, const std::vector<char>& driven);

  bool any() const { return !springs_.empty() || elements_.any(); }
  /// What is to be added to the efforts so that every spring acts by its present side.
  const Eigen::VectorXd& correction(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// Negative where a kink was passed.
  double guard(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
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
  ElementKinks elements_;
  Eigen::VectorXd correction_;
};

}  // namespace ulna
