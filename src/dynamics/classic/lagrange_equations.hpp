#pragma once
// The equations of motion of the open tree by 4x4 matrices: M a + bias = tau.
// docs/theory/homogeneous.md.

#include "ulna/dynamics/lagrange_4x4.hpp"

namespace ulna {

struct LagrangeEquations {
  std::vector<NodeMatrices<double>> nodes;
  std::vector<LagrangeNode<double>> sums;
  Eigen::MatrixXd mass;
  Eigen::VectorXd bias;  ///< external actions and passive efforts included
};

LagrangeEquations lagrange_equations(const Model& model, const VectorRef& q, const VectorRef& v,
                                     ExternalWrenches wrenches);

}  // namespace ulna
