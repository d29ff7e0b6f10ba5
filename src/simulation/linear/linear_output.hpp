#pragma once
// The outputs of a linear system by name, as rows over the tangent of the whole robot.

#include "ulna/simulation/linearize.hpp"

namespace ulna {

struct OutputRows {
  Eigen::MatrixXd by_q, by_v;  ///< y = by_q dq + by_v dv, dq and dv of all speeds
  std::vector<std::string> names;
};
/// Of `output.outputs`, or of what `output.frame` says. InputError for names that are none.
OutputRows output_rows(const Model& model, const VectorRef& q, const LinearOutput& output,
                       const std::vector<int>& speeds);

/// u: `linear.inputs` and `linear.elements`, checked, and the efforts of each for one unit of it,
/// as columns over all speeds.
Eigen::MatrixXd choose_inputs(const Model& model, const VectorRef& q, const VectorRef& v,
                              const LinearOutput& output, LinearSystem& linear);

}  // namespace ulna
