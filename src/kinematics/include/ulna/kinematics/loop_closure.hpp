#pragma once
// The loops of a robot as equations in its tree coordinates: the residual r(q), which vanishes
// where every loop is closed; its Jacobian A with dr/dt = A v; and b with A a = b for
// accelerations. docs/theory/closed-loops.md, eq. 1-9.
//
// Each loop touches only the speeds on its way through the tree, so A is kept by loops: cost and
// memory are linear in the sum of the loops' sizes. Made once per thread; nothing allocates after
// that but the functions that return values.
//
//   ulna::LoopClosure closure(model);
//   closure.update(work, q);
//   closure.residual();  closure.jacobian();
//   closure.update_rates(work, q, v);
//   closure.bias();      // b

#include <vector>

#include "ulna/kinematics/kinematics.hpp"

namespace ulna {

/// How far a loop is open: honest measures, also half a turn away.
struct LoopGap {
  double length = 0;  ///< metres
  double angle = 0;   ///< radians, 0..pi
};

/// Coordinates, rates and accelerations of a closing joint, as if it were in the tree.
struct ClosingJointState {
  Eigen::VectorXd q, v, a;
};

/// Of at most seven entries, kept without the heap.
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 7, 1>;
/// At most six rows: what a loop makes of a twist.
using TwistRows = Eigen::Matrix<double, Eigen::Dynamic, 6, 0, 6, 6>;

class ULNA_API LoopClosure {
 public:
  explicit LoopClosure(const Model& model);

  /// One loop's share of the equations.
  struct Block {
    int first_row = 0, rows = 0;
    std::vector<int> columns;  ///< speeds it depends on, ascending
    Eigen::MatrixXd A;         ///< rows x columns.size()
  };

  const Model& model() const { return model_; }
  int rows() const { return rows_; }
  const std::vector<Block>& blocks() const { return blocks_; }  ///< as Model::loops()

  /// Residual and Jacobian at q; the poses are left in `work`.
  void update(Workspace& work, const VectorRef& q);
  /// These and b, for speeds v that satisfy A v = 0.
  void update_rates(Workspace& work, const VectorRef& q, const VectorRef& v);

  const Eigen::VectorXd& residual() const { return residual_; }
  const Eigen::VectorXd& bias() const { return bias_; }
  Eigen::MatrixXd jacobian() const;  ///< A whole, rows x speeds
  /// y += A' x
  void add_transposed(const Eigen::VectorXd& x, Eigen::VectorXd& y) const;
  Eigen::VectorXd times(const Eigen::VectorXd& v) const;  ///< A v
  void times(const Eigen::VectorXd& v, Eigen::VectorXd& y) const;

  /// Lengths over this count like radians: rows of A in metres are divided by it, columns of slides
  /// multiplied, before a rank is decided.
  double length_scale() const { return model_.length_scale(); }
  const Eigen::VectorXd& row_scale() const { return row_scale_; }        ///< 1 or 1 / length
  const Eigen::VectorXd& column_scale() const { return column_scale_; }  ///< 1 or length
  /// A with rows and columns scaled so, a matrix of pure numbers.
  Eigen::MatrixXd scaled_jacobian() const;

  /// How far loop k is open at the last update.
  LoopGap gap(const Workspace& work, int loop) const;
  /// The largest of r in its own units, metres and radians alike; honest at half a turn.
  double largest_gap(const Workspace& work) const;

  /// The closing joint's own coordinates (those of a screw: advance over pitch), and for the speeds
  /// and accelerations of the tree its rates; after update, update_rates.
  ClosingJointState closing_state(Workspace& work, int loop, const VectorRef& q, const VectorRef& v,
                                  const VectorRef& a) const;
  /// Its coordinates alone, from the poses of the last update.
  SmallVector closing_coordinates(const Workspace& work, int loop) const;
  /// Rows x 6: how a loop's residual answers a twist of M in F, axes of F at M's origin. Its
  /// transpose takes multipliers to the wrench on the child. Not for couplings.
  TwistRows rows_of_twist(const Workspace& work, int loop) const;
  /// Degrees x 6: the closing joint's own rates of that twist.
  TwistRows rates_of_twist(const Workspace& work, int loop) const;
  /// Rates of the closing joint: K v, degrees x columns of the block; after update.
  Eigen::MatrixXd closing_jacobian(const Workspace& work, int loop) const;
  /// Coordinates and rates of the closing joint, after update_rates.
  void closing_rates(const Workspace& work, int loop, SmallVector& q, SmallVector& v) const;
  /// y += K' efforts: what efforts along the closing joint are for the tree; after update.
  void add_closing_efforts(const Workspace& work, int loop, const SmallVector& efforts,
                           Eigen::VectorXd& y) const;

 private:
  void find_columns(int loop);
  void update_block(const Workspace& work, int loop, const VectorRef& q);
  /// Relative twist of M in F at M, axes of F, for each column: 6 x columns.
  void relative_jacobian(const Workspace& work, int loop, Eigen::MatrixXd& J) const;

  const Model& model_;
  int rows_ = 0;
  std::vector<Block> blocks_;
  struct Step {
    int node, place;  ///< place of its first speed among the columns
    double sense;
  };
  std::vector<std::vector<Step>> steps_;
  std::vector<Eigen::MatrixXd> relative_;  ///< scratch, 6 x columns
  Eigen::VectorXd residual_, bias_, row_scale_, column_scale_;
};

/// "loop closed by joint 'c'", "distance 'rod'", "coupling 'gear'".
ULNA_API std::string loop_name(const Loop& loop);
/// "12.3 mm and 0.5 rad" of what is open.
ULNA_API std::string gap_text(const Loop& loop, const LoopGap& gap);

}  // namespace ulna
