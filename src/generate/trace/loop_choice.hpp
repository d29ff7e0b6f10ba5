#pragma once
// What must be decided on numbers before the equations of loops are traced: which rows of the
// closure are kept and which joints have motors. Code without comparisons cannot change its mind,
// so both are taken as what serves best at the worst of a few closed postures.

#include <random>

#include "ulna/generate/traced_function.hpp"

namespace ulna::generate {

struct LoopChoice {
  std::vector<int> rows;      ///< of LoopClosure, as many as are independent
  std::vector<int> actuated;  ///< speeds, as many as degrees of freedom
  double row_quality = 0;     ///< smallest over largest singular value of the rows, at the worst
};

/// ComputationError where the robot cannot be assembled, InputError where the motors are too few or
/// too many.
LoopChoice choose_for_loops(const Model& model, const TraceOptions& options);

/// A closed posture, near to the neutral one or anywhere; empty where none was found.
Eigen::VectorXd closed_posture(const Model& model, std::mt19937_64& generator);

/// Smallest over largest singular value of these rows of A, in pure numbers.
double row_quality_at(const Model& model, const Eigen::VectorXd& q, const std::vector<int>& rows);

/// Makes a random state fit the loops: q closed, v and a as near as they can be.
void close_state(const Model& model, std::mt19937_64& generator, Eigen::VectorXd& q,
                 Eigen::VectorXd* v, Eigen::VectorXd* a);

}  // namespace ulna::generate
