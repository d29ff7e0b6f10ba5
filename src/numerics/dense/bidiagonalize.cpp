#include "svd_parts.hpp"

template class Eigen::internal::UpperBidiagonalization<Eigen::MatrixXd>;
