#pragma once
// Force elements whose law has kinks: play of the spring, a table of its forces, a table of the
// damper's. Within a step each keeps the law of the piece it is on, also in trials that go past its
// end; passing a kink is an event. docs/theory/simulation.md, eq. 80; docs/theory/elements.md, eq.
// 3, 4, 6.

#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

/// The element with no law of its own but a tension (torque) that `law.preload` gives.
Element carrier_of(const Element& element);

class ElementKinks {
 public:
  explicit ElementKinks(const Model& model);

  bool any() const { return !parts_.empty(); }
  /// Adds to the efforts what makes every part act by its present piece.
  void add_correction(const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::VectorXd& to);
  /// Negative where a kink was passed.
  double guard(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  /// The pieces at (q, v). At a kink, within the precision to which it is known, a part keeps its
  /// piece. True where one has changed.
  bool choose(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// Power that dampers take by their pieces, less what they take by their laws; at the last
  /// `add_correction`.
  double excess_dissipation() const { return excess_; }

 private:
  /// A part of an element's law that is smooth between its kinks.
  struct Part {
    const Element* element;
    Element carrier;
    bool of_rate;               ///< the damper's; else a function of the stretch
    ElementLaw whole;           ///< this part alone
    std::vector<double> kinks;  ///< stretches or rates, rising
    ElementLaw piece;           ///< the law of the present piece, beyond its ends too
    int number = 0;             ///< of the piece: below kinks[number]
    double precision = 0;       ///< to which kinks are known
  };
  void add(const Element& element, bool of_rate, const ElementLaw& law, std::vector<double> kinks);
  /// Stretch or rate.
  double argument(const Part& part, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  /// How far inside the present piece; below zero: past its end.
  static double inside(const Part& part, double x);
  static void take_piece(Part& part, int number);

  const Model& model_;
  std::vector<Part> parts_;
  double excess_ = 0;
};

}  // namespace ulna
