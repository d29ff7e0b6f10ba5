#pragma once
// Conditions rows x = 0 solved for some of the unknowns: x = Z y, where y are the others. The
// unknown eliminated by each row is its largest entry after the rows before it; rows that follow
// from others vanish and are passed over.

#include <Eigen/Core>
#include <vector>

#include "ulna/elastic/parts/system_matrices.hpp"

namespace ulna::elastic {

ULNA_API SparseMatrix null_space(const std::vector<Eigen::VectorXd>& rows);

/// The unknowns that stay, in order: the columns of Z.
ULNA_API std::vector<int> free_columns(const std::vector<Eigen::VectorXd>& rows);

}  // namespace ulna::elastic
