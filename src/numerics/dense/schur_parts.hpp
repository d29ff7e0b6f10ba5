#pragma once
// Most of what Eigen's eigenvalues of general matrices take to compile is the real Schur form,
// which is instantiated in a file of its own (schur.cpp); its first step is in general_eigen.cpp.

#include <Eigen/Eigenvalues>

extern template class Eigen::HessenbergDecomposition<Eigen::MatrixXd>;
extern template class Eigen::RealSchur<Eigen::MatrixXd>;
extern template Eigen::RealSchur<Eigen::MatrixXd>& Eigen::RealSchur<Eigen::MatrixXd>::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&, bool);
