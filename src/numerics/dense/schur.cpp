#include "schur_parts.hpp"

template class Eigen::RealSchur<Eigen::MatrixXd>;
template Eigen::RealSchur<Eigen::MatrixXd>& Eigen::RealSchur<Eigen::MatrixXd>::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&, bool);
