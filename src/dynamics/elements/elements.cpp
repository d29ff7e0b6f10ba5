#include "ulna/dynamics/elements.hpp"

#include "common.hpp"
#include "ulna/dynamics/kernels/elements.hpp"
#include "ulna/model/internal/check_size.hpp"

namespace ulna {
namespace {

TreeView<double> tree_of(const Model& model) {
  return view<double>(model.topology(), model.parameters());
}

Vector3<double> plain_vector(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

}  // namespace

void add_element_efforts(const Model& model, const double* q, const double* v, double sense,
                         double* tau) {
  add_element_efforts<double>(model.elements(), tree_of(model), q, v, sense, tau);
}

double element_energy(const Model& model, const double* q, const double* v) {
  return element_energy<double>(model.elements(), tree_of(model), q, v);
}

ElementReading element_reading(const Model& model, int element, const VectorRef& q,
                               const VectorRef& v) {
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  const Element& e = model.elements().at(static_cast<std::size_t>(element));
  const ElementState<double> state = element_state(e, tree_of(model), q.data(), v.data());
  return {state.length, state.rate, state.force, state.energy, state.power, state.dissipated};
}

Eigen::VectorXd element_efforts(const Model& model, const VectorRef& q, const VectorRef& v) {
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(model.speeds());
  add_element_efforts(model, q.data(), v.data(), 1, tau.data());
  return tau;
}

Eigen::VectorXd actuator_input(const Model& model, int element, const VectorRef& q,
                               const VectorRef& v) {
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  Element unit = model.elements().at(static_cast<std::size_t>(element));
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(model.speeds());
  if (unit.type != ElementData::Type::actuator) return tau;
  const double now = element_state(unit, tree_of(model), q.data(), v.data()).force;
  // Linear in the force up to its sign.
  const double sense = now < 0 ? -1 : 1;
  unit.force = sense;
  unit.formula.reset();
  add_element_efforts<double>(std::span(&unit, 1), tree_of(model), q.data(), v.data(), -sense,
                              tau.data());
  return tau;
}

double element_dissipation(const Model& model, const VectorRef& q, const VectorRef& v) {
  double power = 0;
  for (const Element& e : model.elements())
    power += element_state(e, tree_of(model), q.data(), v.data()).dissipated;
  return power;
}

void add_element_wrenches(const Model& model, const double* q, const double* v,
                          NodeWrench<double>* wrenches) {
  for (const Element& e : model.elements())
    element_state(e, tree_of(model), q, v, [&](std::size_t k, const NodeWrench<double>& F) {
      wrenches[e.points[k].node].n += F.n;
      wrenches[e.points[k].node].f += F.f;
    });
}

std::vector<ExternalWrench> element_wrenches(const Model& model, const VectorRef& q,
                                             const VectorRef& v) {
  model.require_rigid("the wrenches of elements");
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  std::vector<ExternalWrench> all;
  for (const Element& e : model.elements())
    element_state(e, tree_of(model), q.data(), v.data(),
                  [&](std::size_t k, const NodeWrench<double>& F) {
                    const int body = e.points[k].body;
                    const Pose<double> X_BN = model.bodies()[body].X_NB.inverse();
                    // About the node's origin, which is a point of the body as well.
                    all.push_back({body, X_BN.position, X_BN.rotation * plain_vector(F.f),
                                   X_BN.rotation * plain_vector(F.n), body});
                  });
  return all;
}

}  // namespace ulna
