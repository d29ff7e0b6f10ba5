#include "ulna/dynamics/derivatives.hpp"

#include <cmath>

#include "common.hpp"
#include "ulna/model/check_size.hpp"

namespace ulna {

struct DerivativeWorkspace::Memory {
  explicit Memory(const Model& model)
      : stiffness(Eigen::VectorXd::Zero(model.speeds())),
        damping(Eigen::VectorXd::Zero(model.speeds())) {
    for (const DegreeTerms& t : model.degree_terms()) {
      stiffness(t.v) += t.multiplier * t.multiplier * t.stiffness;
      damping(t.v) += t.multiplier * t.multiplier * t.damping;
    }
  }
  Eigen::VectorXd stiffness, damping;  // felt by each speed
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
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  check_size(model, a, model.speeds(), "a");
  InverseDerivatives& out = derivatives.inverse;
  dynamics_kernels().inverse_derivatives(
      view<double>(model.topology(), model.parameters()), work.view(), work.columns(), q.data(),
      v.data(), a.data(), out.dtau_dq.data(), out.dtau_dv.data(), out.mass_matrix.data());
  out.dtau_dq.diagonal() += derivatives.memory().stiffness;
  out.dtau_dv.diagonal() += derivatives.memory().damping;
  return out;
}

const ForwardDerivatives& forward_dynamics_derivatives(const Model& model, Workspace& work,
                                                       DerivativeWorkspace& derivatives,
                                                       const VectorRef& q, const VectorRef& v,
                                                       const VectorRef& tau) {
  if (!model.loops().empty()) [[unlikely]]
    model.require_tree("derivatives");
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  check_size(model, tau, model.speeds(), "tau");
  ForwardDerivatives& out = derivatives.forward;
  DerivativeWorkspace::Memory& memory = derivatives.memory();
  work.passive = tau;
  add_passive_efforts(model, q.data(), v.data(), -1, work.passive.data());
  const ColumnView<double>& scratch = work.columns();
  dynamics_kernels().forward_derivatives(
      view<double>(model.topology(), model.parameters()), work.view(), scratch, q.data(), v.data(),
      work.passive.data(), work.zero.data(), memory.stiffness.data(), memory.damping.data(),
      out.acceleration.data(), out.da_dq.data(), out.da_dv.data(), out.da_dtau.data());
  for (int k = 0; k < model.speeds(); ++k) {
    const double pivot =
        1 / scratch.system[static_cast<long>(k) * ((model.speeds() + 7) / 8 * 8 + 1)];
    if (!(pivot > 0 && std::isfinite(pivot))) [[unlikely]]
      refuse_singular(model, k, pivot);
  }
  return out;
}

}  // namespace ulna
