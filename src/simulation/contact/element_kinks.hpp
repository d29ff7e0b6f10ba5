#pragma once
// Force elements whose spring has kinks: play, or a table of forces. Within a step each keeps the
// law of the piece it is on, also in trials that go past its end; passing a kink is an event.
// docs/theory/simulation.md, eq. 80; docs/theory/elements.md, eq. 3, 4.

#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

class ElementKinks {
 public:
  explicit ElementKinks(const Model& model);

  bool any() const { return !springs_.empty(); }
  /// Adds to the efforts what makes every spring act by its present piece.
  void add_correction(const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::VectorXd& to);
  /// Negative where a kink was passed.
  double guard(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  /// The pieces at (q, v). At a kink, within the precision to which it is known, a spring keeps its
  /// piece.
  void choose(const Eigen::VectorXd& q, const Eigen::VectorXd& v);

 private:
  struct Spring {
    Element whole;              ///< the element with this part of its law alone
    std::vector<double> kinks;  ///< stretches, rising
    Element piece;              ///< with the law of the present piece
    int number = 0;             ///< of the piece: below kinks[number]
    double precision = 0;       ///< to which kinks are known, m or rad
  };
  double stretch(const Spring& spring, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  /// How far inside the present piece; below zero: past its end.
  double inside(const Spring& spring, double stretch) const;
  static void take_piece(Spring& spring, int number);

  const Model& model_;
  std::vector<Spring> springs_;
};

}  // namespace ulna
