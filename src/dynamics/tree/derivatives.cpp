#include "ulna/dynamics/derivatives.hpp"

#include "common.hpp"
#include "flexible/flexible_derivatives.hpp"
#include "tree/branch_solve_memory.hpp"
#include "ulna/dynamics/elements.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/model/kernels/spring.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

struct DerivativeWorkspace::Memory {
  explicit Memory(const Model& model)
      : stiffness(Eigen::VectorXd::Zero(model.speeds())),
        damping(Eigen::VectorXd::Zero(model.speeds())) {
    for (const DegreeTerms& t : model.degree_terms())
      damping(t.v) += t.multiplier * t.multiplier * t.damping;
    if (!model.flexible()) {
      ColumnScratch<double> columns(model.topology());
      solve = std::make_unique<BranchSolveMemory>(
          columns.view(), static_cast<int>(model.topology().nodes.size()), model.speeds());
    }
    if (!model.elements().empty()) elements = std::make_unique<ElementTangent>(model);
    passive = !model.degree_terms().empty();
  }
  void update_stiffness(const Model& model, const VectorRef& q) {
    if (!passive) return;  // it is zero and stays so
    stiffness.setZero();
    for (const DegreeTerms& t : model.degree_terms())
      if (t.has_spring())
        stiffness(t.v) +=
            t.multiplier * t.multiplier * spring_tangent(t, spring_stretch(t, q.data()));
  }
  bool passive = false;                      // springs or dampers along joints
  Eigen::VectorXd stiffness, damping;        // felt by each speed
  std::unique_ptr<BranchSolveMemory> solve;  // null for flexible robots
  std::unique_ptr<ElementTangent> elements;  // null when there are none
};

DerivativeWorkspace::DerivativeWorkspace(const Model& model)
    : memory_(std::make_unique<Memory>(model)) {
  const int n = model.speeds();
  for (Eigen::MatrixXd* m : {&inverse.dtau_dq, &inverse.dtau_dv, &inverse.mass_matrix,
                             &forward.da_dq, &forward.da_dv, &forward.da_dtau})
    m->setZero(n, n);
  forward.acceleration.setZero(n);
}
DerivativeWorkspace::~DerivativeWorkspace() = default;

const InverseDerivatives& inverse_dynamics_derivatives(const Model& model, Workspace& work,
                                                       DerivativeWorkspace& derivatives,
                                                       const VectorRef& q, const VectorRef& v,
                                                       const VectorRef& a) {
  if (!model.loops().empty()) [[unlikely]]
    model.require_tree("derivatives");
  check_fits(model, work);
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  check_size(model, a, model.speeds(), "a");
  InverseDerivatives& out = derivatives.inverse;
  if (model.flexible())
    flexible_inverse_derivatives(model, work, q, v, a, out);
  else
    dynamics_kernels().inverse_derivatives(
        view<double>(model.topology(), model.parameters()), work.view(), work.columns(), q.data(),
        v.data(), a.data(), out.dtau_dq.data(), out.dtau_dv.data(), out.mass_matrix.data());
  DerivativeWorkspace::Memory& memory = derivatives.memory();
  if (memory.passive) {
    memory.update_stiffness(model, q);
    out.dtau_dq.diagonal() += memory.stiffness;
    out.dtau_dv.diagonal() += memory.damping;
  }
  if (ElementTangent* elements = memory.elements.get()) {
    elements->update(q, v);
    out.dtau_dq += elements->stiffness();
    out.dtau_dv += elements->damping();
  }
  return out;
}

namespace {

/// Pivots against the diagonal of M. Forward dynamics has the better eye for which joint is at
/// fault, so it is asked first.
void check_factor(const Model& model, Workspace& work, const BranchSolveView<double>& m,
                  const VectorRef& q, const VectorRef& v, const VectorRef& tau) {
  const ColumnView<double>& d = work.columns();
  for (int j = 0; j < d.columns; ++j) {
    const Spatial<double> s = column_of(d.s, d.stride, j);
    const Spatial<double> Is = inertia_times(d.composite[d.node[j]], s);
    const int k = d.speed[j];
    const double size = dot(s.w, Is.w) + dot(s.v, Is.v) + model.parameters().armature[k];
    const double inverse = m.inverse[d.shared ? k : j];
    if (inverse > 0 && inverse * size * singular_tolerance < 1) continue;
    forward_dynamics(model, work, q, v, tau);
    refuse_singular(model, k, 1 / inverse);
  }
}

}  // namespace

const ForwardDerivatives& forward_dynamics_derivatives(const Model& model, Workspace& work,
                                                       DerivativeWorkspace& derivatives,
                                                       const VectorRef& q, const VectorRef& v,
                                                       const VectorRef& tau) {
  if (!model.loops().empty()) [[unlikely]]
    model.require_tree("derivatives");
  check_fits(model, work);
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  check_size(model, tau, model.speeds(), "tau");
  ForwardDerivatives& out = derivatives.forward;
  if (model.flexible()) {
    // M a + h = tau, differentiated.
    out.acceleration = forward_dynamics(model, work, q, v, tau);
    const InverseDerivatives& d =
        inverse_dynamics_derivatives(model, work, derivatives, q, v, out.acceleration);
    const dense::Cholesky factor(d.mass_matrix);
    out.da_dq = -factor.solve(d.dtau_dq);
    out.da_dv = -factor.solve(d.dtau_dv);
    out.da_dtau = factor.solve(Eigen::MatrixXd::Identity(model.speeds(), model.speeds()));
    return out;
  }
  DerivativeWorkspace::Memory& memory = derivatives.memory();
  memory.update_stiffness(model, q);
  work.passive = tau;
  if (model.has_passive()) add_passive_efforts(model, q.data(), v.data(), -1, work.passive.data());
  const BranchSolveView<double>& solve = memory.solve->view();
  dynamics_kernels().forward_derivatives(
      view<double>(model.topology(), model.parameters()), work.view(), work.columns(), solve,
      q.data(), v.data(), work.passive.data(), work.zero().data(), memory.stiffness.data(),
      memory.damping.data(), out.acceleration.data(), out.da_dq.data(), out.da_dv.data(),
      out.da_dtau.data());
  check_factor(model, work, solve, q, v, tau);
  if (memory.elements) {
    memory.elements->update(q, v);
    out.da_dq.noalias() -= out.da_dtau * memory.elements->stiffness();
    out.da_dv.noalias() -= out.da_dtau * memory.elements->damping();
  }
  return out;
}

}  // namespace ulna
