#include "ulna/dynamics/loop_terms.hpp"

#include "ulna/dynamics/dynamics.hpp"

namespace ulna {

LoopTerms loop_terms(const Model& model, const VectorRef& q, const VectorRef& v,
                     const std::vector<int>& independent) {
  EquationsOfMotion of = Dynamics(model).equations(q, v, independent);
  return {std::move(of.speeds), std::move(of.M), std::move(of.coriolis), std::move(of.gravity)};
}

}  // namespace ulna
