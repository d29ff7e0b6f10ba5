// Gains of a linear system, on the state or on its estimate. docs/theory/control.md, eq. 1, 2.

#include "control/model_efforts.hpp"
#include "ulna/simulation/control_laws.hpp"

namespace ulna {

int StateFeedback::states(const Model&) const {
  return filter ? static_cast<int>(filter->A.rows()) : 0;
}

void StateFeedback::control(const ControlState& s, const double* z, Eigen::VectorXd& tau,
                            double* dz) const {
  const auto n = static_cast<long>(speeds.size());
  Eigen::VectorXd off(2 * n);  // x_ref - x
  Eigen::VectorXd wanted = efforts;
  if (!filter) {
    off << s.error(speeds), (s.v_ref - s.v)(speeds);
  } else {
    const Eigen::VectorXd at = s.model.difference(q0, s.q), goal = s.model.difference(q0, s.q_ref);
    Eigen::VectorXd u = Eigen::VectorXd::Zero(static_cast<long>(actuated.size()));
    if (s.held && s.t > 0) u = (*s.held)(actuated)-efforts(actuated);
    const Eigen::Map<const Eigen::VectorXd> last(z, 2 * n);
    const Eigen::VectorXd estimate = filter->next(last, u, at(measured));
    Eigen::Map<Eigen::VectorXd>(dz, 2 * n) = (estimate - last) / period;
    off << goal(speeds), s.v_ref(speeds);
    off -= estimate;
  }
  const Eigen::VectorXd correction = K * off;
  for (std::size_t i = 0; i < actuated.size(); ++i)
    wanted(actuated[i]) += correction(static_cast<long>(i));
  add_within(s, joints, wanted, limit, tau);
}

}  // namespace ulna
