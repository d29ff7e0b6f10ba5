#pragma once
// Springs with play along joints of the tree: within a step each is slack, or taut on one side, and
// keeps the law of that side also in trials that go past its kink; passing a kink is an event.
// docs/theory/simulation.md, eq. 80.

#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

/// The side of its play that a spring is on.
struct PlaySide {
  enum class Side : signed char { below, slack, above };
  Side side = Side::slack;
  double precision = 1e-11;  ///< to which kinks are known

  /// The effort of a spring with this law if it kept its side. `Law`: DegreeTerms or DegreeData.
  template <class Law>
  double effort(const Law& law, double stretch) const;
  /// How far inside its side; below zero: past the kink.
  double inside(double play, double stretch) const;
  /// The side at this stretch and rate; within the precision of a kink the rate decides. True where
  /// it is another one.
  bool choose(double play, double stretch, double rate);
};

class PlaySprings {
 public:
  /// `driven`: one entry per speed; springs of driven joints need no such care.
  PlaySprings(const Model& model, const std::vector<char>& driven);

  bool any() const { return !springs_.empty(); }
  /// Adds to the efforts what makes every spring act by its present side.
  void add_correction(const Eigen::VectorXd& q, Eigen::VectorXd& to) const;
  /// Negative where a kink was passed.
  double guard(const Eigen::VectorXd& q) const;
  /// The sides at (q, v). True where one has changed.
  bool choose(const Eigen::VectorXd& q, const Eigen::VectorXd& v);

 private:
  struct Spring {
    const DegreeTerms* terms;
    PlaySide at;
  };
  std::vector<Spring> springs_;
};

}  // namespace ulna
