#include "ulna/model/parts/workspace.hpp"

namespace ulna {

Workspace::Workspace(const Model& model)
    : tau(model.speeds()),
      acceleration(model.speeds()),
      passive(model.speeds()),
      mass_matrix(model.speeds(), model.speeds()),
      jacobian(6, model.speeds()),
      jacobian2(6, model.speeds()),
      momentum_matrix(6, model.speeds()),
      external(model.topology().nodes.size()),
      factor_scratch(model.speeds()),
      zero_(Eigen::VectorXd::Zero(model.speeds())),
      scratch_(model.topology()),
      view_(scratch_.view()),
      columns_(model.topology()),
      column_view_(columns_.view()) {}

}  // namespace ulna
