#pragma once
// Springs with play along joints that close loops, as PlaySprings are along those of the tree: the
// stretch is that of the closing joint's own coordinate, which follows from those of the tree.
// docs/theory/simulation.md, eq. 80.

#include "contact/play_springs.hpp"
#include "ulna/kinematics/loop_closure.hpp"

namespace ulna {

class ClosingPlay {
 public:
  explicit ClosingPlay(const Model& model);

  bool any() const { return !springs_.empty(); }
  /// Adds to the efforts what makes every spring act by its present side.
  void add_correction(const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::VectorXd& to);
  /// Negative where a kink was passed.
  double guard(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// The sides at (q, v). True where one has changed.
  bool choose(const Eigen::VectorXd& q, const Eigen::VectorXd& v);

 private:
  struct Spring {
    const DegreeData* law;
    int loop;
    Eigen::Index degree;
    PlaySide at;
  };
  void look(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Spring& spring);

  Workspace work_;
  LoopClosure closure_;
  std::vector<Spring> springs_;
  SmallVector coordinates_, rates_, efforts_;  ///< of the closing joint looked at last
};

}  // namespace ulna
