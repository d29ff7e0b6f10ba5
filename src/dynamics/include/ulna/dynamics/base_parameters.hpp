#pragma once
// The base (minimal) inertial parameters: the combinations of parameters that efforts depend on,
// and the only ones that measured efforts can tell. docs/theory/regressor.md, eq. 16-19. Two
// routes:
//
//   by rank       numerically: which columns of the regressor, stacked over random states, are
//                 linear combinations of others
//   by grouping   from the structure alone: what the grouping rules leave (parameter_grouping.hpp)
//
// They agree unless the robot is special beyond the rules (axes that coincide, mimic joints, bodies
// on an axis that cannot accelerate); then the rank is smaller and right.
//
// Either way, columns are kept from the base outwards, and a column that depends on kept ones is
// added to them: what is left of a body is what its own joint feels first.

#include "ulna/dynamics/torque_regressor.hpp"

namespace ulna {

struct BaseParameters {
  std::vector<int> kept;    ///< columns of the regressor: tau = Y(:, kept) combination p
  std::vector<int> unfelt;  ///< columns without any effect
  /// kept x columns, the identity in the kept columns: base = combination p.
  Eigen::MatrixXd combination;
  /// By rank: the least independent column kept over the largest remainder of one left out. Below
  /// about 100 the number is a matter of opinion; infinite when nothing was left out.
  double margin = 0;

  int count() const { return static_cast<int>(kept.size()); }
};

struct RankOptions {
  unsigned seed = 1;
  double tolerance = 1e-9;  ///< of a column's remainder, relative to the column
};

/// Random coordinates inside the limits, speeds and accelerations in [-1, 1]. Throws
/// ComputationError when an entry is not finite.
ULNA_API BaseParameters base_parameters_by_rank(TorqueRegressor& regressor,
                                                const RankOptions& options = {});
/// For the model's own gravity.
ULNA_API BaseParameters base_parameters_by_grouping(const TorqueRegressor& regressor);

/// eq. 18: columns of A that span all of them, `order` telling which are preferred, and the
/// combinations. Columns below `tolerance` of the largest one count as zero.
ULNA_API BaseParameters independent_columns(const Eigen::MatrixXd& A, const std::vector<int>& order,
                                            double tolerance);

/// "Ixx(b2) - Iyy(b2) + 0.1849 m(b3)".
ULNA_API std::string describe(const BaseParameters& base, int index,
                              const std::vector<std::string>& names);

}  // namespace ulna
