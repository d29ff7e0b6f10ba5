#include "svd_parts.hpp"

template class Eigen::JacobiSVD<Eigen::MatrixXd>;
