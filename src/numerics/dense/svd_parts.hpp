#pragma once
// Eigen's divide-and-conquer SVD takes more than half a minute to compile. Its largest members are
// instantiated in files of their own (jacobi_svd.cpp, bidiagonalize.cpp, divide_svd.cpp), which
// compile side by side.

#include <Eigen/SVD>

extern template class Eigen::JacobiSVD<Eigen::MatrixXd>;
extern template class Eigen::internal::UpperBidiagonalization<Eigen::MatrixXd>;
extern template void Eigen::BDCSVD<Eigen::MatrixXd>::divide(Eigen::Index, Eigen::Index,
                                                            Eigen::Index, Eigen::Index,
                                                            Eigen::Index);
