#pragma once
// Sparse matrices in Matrix Market files, as finite-element programs export them: "coordinate" or
// "array", real or integer, general or symmetric.

#include <Eigen/SparseCore>
#include <string>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

/// Throws InputError naming file and line.
ULNA_API Eigen::SparseMatrix<double> read_matrix_market(const std::string& file);
ULNA_API Eigen::SparseMatrix<double> read_matrix_market_text(const std::string& text,
                                                             const std::string& file);

/// "coordinate real symmetric", the lower half; reads back to the same bits.
ULNA_API std::string write_matrix_market(const Eigen::SparseMatrix<double>& A,
                                         const std::string& comment = {});

}  // namespace ulna
