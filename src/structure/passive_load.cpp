// docs/theory/structure.md, eq. 51

#include <Eigen/Geometry>

#include "ulna/dynamics/kernels/elements.hpp"
#include "ulna/model/internal/undeformed.hpp"
#include "ulna/model/kernels/spring.hpp"
#include "ulna/model/parts/workspace.hpp"
#include "ulna/structure/statics.hpp"

namespace ulna {
namespace {

Vector3<double> plain(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

/// What one element exerts on the nodes of its points, or along its joint.
void add_element(const RobotStructure& structure, std::size_t number, const double* q,
                 const double* v, Eigen::VectorXd& sum) {
  const Model& model = structure.model();
  const elastic::BeamStructure& frame = structure.frame();
  const Element& e = model.elements()[number];
  const TreeView<double> tree = view<double>(model.topology(), model.parameters());
  const ElementState<double> state =
      element_state(e, tree, q, v, [&](std::size_t k, const NodeWrench<double>& F) {
        const ElementPoint& point = e.points[k];
        const Pose<double> X_WN =
            structure.body_pose(point.body) * pose_on_body(model, point.body, point.node, {});
        const int node = structure.element_node(number, k);
        Vector6<double> wrench;
        wrench.head<3>() = X_WN.rotation * plain(F.f);
        wrench.tail<3>() = X_WN.rotation * plain(F.n) +
                           (X_WN.position - frame.nodes()[static_cast<std::size_t>(node)].position)
                               .cross(wrench.head<3>());
        frame.add_force(node, wrench, sum);
      });
  if (e.q < 0) return;
  const int freedom = structure.freedom_of(e.v);
  if (freedom >= 0) sum(freedom) -= e.multiplier * state.force;
}

}  // namespace

Eigen::VectorXd passive_load(const RobotStructure& structure, const VectorRef& q,
                             const VectorRef& v) {
  const Model& model = structure.model();
  const elastic::BeamStructure& frame = structure.frame();
  const Eigen::VectorXd rates =
      v.size() > 0 ? Eigen::VectorXd(v) : Eigen::VectorXd::Zero(model.speeds());
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(frame.freedoms());
  for (const DegreeTerms& t : model.degree_terms()) {
    const int freedom = structure.freedom_of(t.v);
    if (freedom < 0) continue;
    double effort = t.damping * t.multiplier * rates(t.v);
    if (t.has_spring()) effort += spring_effort(t, spring_stretch(t, q.data()));
    sum(freedom) -= t.multiplier * effort;
  }
  for (const RobotStructure::ClosingLoad& load : structure.closing_loads()) {
    frame.add_force(load.node, load.force, sum);
    if (load.other >= 0) frame.add_force(load.other, -load.force, sum);
  }
  for (std::size_t k = 0; k < model.elements().size(); ++k)
    add_element(structure, k, q.data(), rates.data(), sum);
  return frame.reduced(sum);
}

}  // namespace ulna
