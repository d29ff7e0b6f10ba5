#include "loop_state.hpp"

#include <fmt/format.h>

namespace ulna::python {

void require_loops(const RobotHandle& robot, const char* what) {
  if (!robot.has_loops())
    throw InputError("robot '" + robot.model->name() + "' has no loops: " + what,
                     "a robot with loops");
}

void require_closed(Context& c, const ConstVector& q, const ConstVector* v, const ConstVector* a) {
  constexpr double tolerance = 1e-8;
  LoopClosure* const loops = c.closure_if_any();
  if (!loops) return;
  LoopClosure& closure = *loops;
  closure.update(c.work, q);
  const double gap = closure.largest_gap(c.work);
  if (!(gap <= tolerance))
    throw InputError(Problem{{},
                             "q",
                             fmt::format("leaves the loops open by {:.3g} (m, rad)", gap),
                             "a posture that closes them",
                             "robot.assemble(q)"});
  if (!v) return;
  const double speed = closure.times(*v).cwiseAbs().maxCoeff();
  if (!(speed <= tolerance * (1 + v->norm())))
    throw InputError(Problem{{},
                             "v",
                             fmt::format("opens the loops at {:.3g} (m/s, rad/s)", speed),
                             "speeds that keep them closed",
                             "robot.complete(q, v)"});
  if (!a) return;
  closure.update_rates(c.work, q, *v);
  const double rate = (closure.times(*a) - closure.bias()).cwiseAbs().maxCoeff();
  if (!(rate <= tolerance * (1 + a->norm() + v->squaredNorm())))
    throw InputError(Problem{{},
                             "a",
                             fmt::format("opens the loops with {:.3g} (m/s^2, rad/s^2)", rate),
                             "accelerations that keep them closed",
                             "robot.complete(q, v, a)"});
}

}  // namespace ulna::python
