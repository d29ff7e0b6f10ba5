#pragma once
// What the actuators of a run had to give, gathered at its records.

#include <deque>

#include "actuators/actuator_bank.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {

class Sizing {
 public:
  explicit Sizing(const Experiment& experiment);

  /// At a record, of which the actuators were just evaluated.
  void look(double t, const ActuatorBank& actuators);
  /// The table at the end of the run.
  std::vector<SizingRow> rows(double t, const ActuatorBank& actuators) const;

  Eigen::VectorXd memory() const;
  void recall(const Eigen::VectorXd& memory);

 private:
  struct Item {
    SizingRow row;
    double window;
    double largest_mean = 0;                     ///< of the effort squared over the window
    std::deque<std::pair<double, double>> sums;  ///< time, integral of the effort squared
  };
  std::vector<Item> items_;
};

}  // namespace ulna
