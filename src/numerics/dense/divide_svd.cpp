#include "svd_parts.hpp"

template void Eigen::BDCSVD<Eigen::MatrixXd>::divide(Eigen::Index, Eigen::Index, Eigen::Index,
                                                     Eigen::Index, Eigen::Index);
