#include "ulna/dynamics/derivatives.hpp"

#include <Eigen/Cholesky>

#include "derivative_memory.hpp"
#include "external_wrenches.hpp"
#include "ulna/model/check_size.hpp"

namespace ulna {

struct DerivativeWorkspace::Memory {
  explicit Memory(const Topology& topology) : inverse(topology) {}
  DerivativeMemory<double> inverse;
};

DerivativeWorkspace::DerivativeWorkspace(const Model& model)
    : memory_(std::make_unique<Memory>(model.topology())) {
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
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  check_size(model, a, model.speeds(), "a");
  InverseDerivatives& out = derivatives.inverse;
  dynamics_kernels().inverse_derivatives(view<double>(model.topology(), model.parameters()),
                                         work.view(), derivatives.memory().inverse.view(), q.data(),
                                         v.data(), a.data(), out.dtau_dq.data(), out.dtau_dv.data(),
                                         out.mass_matrix.data());
  for (const DegreeTerms& t : model.degree_terms()) {
    const double square = t.multiplier * t.multiplier;
    out.dtau_dv(t.v, t.v) += square * t.damping;
    out.dtau_dq(t.v, t.v) += square * t.stiffness;
  }
  return out;
}

const ForwardDerivatives& forward_dynamics_derivatives(const Model& model, Workspace& work,
                                                       DerivativeWorkspace& derivatives,
                                                       const VectorRef& q, const VectorRef& v,
                                                       const VectorRef& tau) {
  ForwardDerivatives& out = derivatives.forward;
  out.acceleration = forward_dynamics(model, work, q, v, tau);
  const InverseDerivatives& inverse =
      inverse_dynamics_derivatives(model, work, derivatives, q, v, out.acceleration);
  // tau(q, v, a(q, v, tau)) = tau: da/dtau = M^-1, da/dq = -M^-1 dtau/dq.
  out.da_dtau = inverse.mass_matrix;
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(out.da_dtau);
  out.da_dq = -inverse.dtau_dq;
  out.da_dv = -inverse.dtau_dv;
  factor.solveInPlace(out.da_dq);
  factor.solveInPlace(out.da_dv);
  work.mass_matrix.setIdentity();
  factor.solveInPlace(work.mass_matrix);
  out.da_dtau = work.mass_matrix;
  return out;
}

}  // namespace ulna
