#pragma once
// Running the kernels on other scalars: parameters converted, coordinates that carry their rate.

#include "ulna/model/model.hpp"
#include "ulna/scalar/dual.hpp"

namespace ulna {

/// The same parameters as numbers of another kind.
template <class S>
Parameters<S> converted(const Parameters<double>& from) {
  Parameters<S> to;
  to.nodes.resize(from.nodes.size());
  for (int k = 0; k < 3; ++k) to.gravity[k] = S(from.gravity[k]);
  for (double x : from.armature) to.armature.push_back(S(x));
  for (std::size_t i = 0; i < from.nodes.size(); ++i) {
    to.nodes[i].mass = S(from.nodes[i].mass);
    for (int k = 0; k < 3; ++k) to.nodes[i].position[k] = S(from.nodes[i].position[k]);
    for (int k = 0; k < 3; ++k) to.nodes[i].first_moment[k] = S(from.nodes[i].first_moment[k]);
    for (int k = 0; k < 6; ++k) to.nodes[i].second_moment[k] = S(from.nodes[i].second_moment[k]);
  }
  return to;
}

/// dq/dt for speeds v: v itself, but for quaternions.
ULNA_API Eigen::VectorXd coordinate_rates(const Model& model, const VectorRef& q,
                                          const VectorRef& v);
/// The same into `rates`, without allocating. Linear in each quaternion, whatever its length.
ULNA_API void coordinate_rates(const Model& model, const VectorRef& q, const VectorRef& v,
                               Eigen::Ref<Eigen::VectorXd> rates);

/// q with dq/dt as its dual part.
inline std::vector<Dual<1>> moving_coordinates(const Model& model, const VectorRef& q,
                                               const VectorRef& v) {
  const Eigen::VectorXd rates = coordinate_rates(model, q, v);
  std::vector<Dual<1>> out(q.size());
  for (int k = 0; k < q.size(); ++k) {
    out[k] = Dual<1>(q(k));
    out[k].d[0] = rates(k);
  }
  return out;
}

}  // namespace ulna
