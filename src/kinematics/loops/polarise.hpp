#pragma once
// The matrices of a quadratic function, from its values: docs/theory/influence-coefficients.md, eq.
// 7.

#include <Eigen/Core>
#include <functional>
#include <vector>

namespace ulna {

/// `out` symmetric in x in matrices, from the values of the function on in (in + 1) / 2 vectors.
std::vector<Eigen::MatrixXd> polarised(
    Eigen::Index out, Eigen::Index in,
    const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& quadratic);

}  // namespace ulna
