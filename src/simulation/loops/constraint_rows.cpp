// The stabilised index-2 form of a run with loops, for IDA. docs/theory/simulation.md, eq. 43.

#include "loops/constraints.hpp"
#include "ulna/model/other_scalars.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/internal/rank.hpp"

namespace ulna {

int Constraints::choose_rows() {
  loops_->update_closure(s_.work, s_.q);
  Eigen::MatrixXd A = loops_->closure().scaled_jacobian();
  for (const int d : given_) A.col(d).setZero();
  chosen_rows_ =
      A.rows() > 0 ? rank_by_qr(A, loop_rank_tolerance).independent_rows : std::vector<int>{};
  return static_cast<int>(chosen_rows_.size());
}

double Constraints::row_quality() const {
  if (chosen_rows_.empty()) return 1;
  Eigen::MatrixXd A = loops_->closure().scaled_jacobian()(chosen_rows_, Eigen::all);
  for (const int d : given_) A.col(d).setZero();
  const Eigen::VectorXd values = dense::singular_values(A);
  return values(0) > 0 ? values(static_cast<Eigen::Index>(chosen_rows_.size()) - 1) / values(0) : 0;
}

void Constraints::chosen_multipliers(double* lambda) const {
  const LoopClosure& closure = loops_->closure();
  const Eigen::MatrixXd A = closure.jacobian();
  Eigen::VectorXd share = A.transpose() * loops_->lambda();
  Eigen::MatrixXd chosen(A.cols(), static_cast<Eigen::Index>(chosen_rows_.size()));
  for (std::size_t r = 0; r < chosen_rows_.size(); ++r)
    chosen.col(static_cast<Eigen::Index>(r)) =
        closure.row_scale()(chosen_rows_[r]) * A.row(chosen_rows_[r]).transpose();
  // Speeds that are driven or at rest have their efforts besides.
  for (const int d : given_) {
    chosen.row(d).setZero();
    share(d) = 0;
  }
  Eigen::Map<Eigen::VectorXd>(lambda, chosen.cols()) = dense::PivotedQr(chosen).solve(share);
}

/// row_efforts_ = A' of multipliers of the chosen rows.
void Constraints::spread(const double* chosen) {
  const LoopClosure& closure = loops_->closure();
  multipliers_.setZero(closure.rows());
  for (std::size_t r = 0; r < chosen_rows_.size(); ++r)
    multipliers_(chosen_rows_[r]) = closure.row_scale()(chosen_rows_[r]) * chosen[r];
  row_efforts_.setZero(s_.model().speeds());
  closure.add_transposed(multipliers_, row_efforts_);
}

/// q' = N (v + A' mu), M a + c = tau + A' lambda, 0 = A v, 0 = r; a = 0 of speeds at rest, which
/// hold by whatever it takes.
void Constraints::residual(const double* dy, const double* lambda, const double* mu,
                           double* residual) {
  const StateLayout& layout = s_.layout;
  for (std::size_t i = 0; i < layout.free_v.size(); ++i)
    s_.a(layout.free_v[i]) = dy[layout.first_v + i];
  const LoopClosure& closure = loops_->closure();
  const Eigen::VectorXd& needed = loops_->required_efforts(s_.work, s_.q, s_.v, s_.a, s_.wrenches);
  spread(lambda);
  for (const int d : layout.driven_v) s_.tau(d) = needed(d) - row_efforts_(d);
  for (std::size_t i = 0; i < layout.free_v.size(); ++i) {
    const int k = layout.free_v[i];
    residual[layout.first_v + i] = needed(k) - s_.tau(k) - row_efforts_(k);
  }
  for (const int k : given_)
    if (const int i = layout.place[k]; !layout.driven[static_cast<std::size_t>(k)])
      residual[layout.first_v + i] = s_.a(k);
  spread(mu);
  for (const int d : given_) row_efforts_(d) = 0;
  moving_ = s_.v + row_efforts_;
  rates_.resize(s_.model().coordinates());
  coordinate_rates(s_.model(), s_.raw_q, moving_, rates_);
  for (std::size_t i = 0; i < layout.free_q.size(); ++i)
    residual[i] = dy[i] - rates_(layout.free_q[i]);
  closure.times(s_.v, multipliers_);
  for (std::size_t r = 0; r < chosen_rows_.size(); ++r) {
    const int row = chosen_rows_[r];
    residual[layout.size + r] = closure.row_scale()(row) * multipliers_(row);
    residual[layout.size + chosen_rows_.size() + r] =
        closure.row_scale()(row) * closure.residual()(row);
  }
}

}  // namespace ulna
