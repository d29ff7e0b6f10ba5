#include "output/rigid_warning.hpp"

#include "output/terminal.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/mobility.hpp"

namespace ulna::cli {

void warn_if_rigid(const Model& model, const Eigen::VectorXd& q) {
  if (model.speeds() == 0) return;
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, q);
  if (split_speeds(closure).independent.empty()) warn(rigid_structure_text(model));
}

void warn_if_singular(const Model& model, const Eigen::VectorXd& q) {
  if (model.is_tree()) return;
  const Mobility here = mobility(model, q);
  if (here.singular())
    warn(mobility_notes(model, here).front() + "; these accelerations keep the loops closed to " +
         "first order only");
}

}  // namespace ulna::cli
