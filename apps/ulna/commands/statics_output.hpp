#pragma once
// How far a frame of an elastic structure moves, and what its members carry, as `ulna modes
// --statics` and `ulna deflection` tell it.

#include "output/json_output.hpp"
#include "ulna/structure/statics.hpp"

namespace ulna::cli {

struct FrameDeflection {
  int frame = 0;
  StaticDeflection bent;
  Vector6<double> motion;  ///< translation and rotation of the frame
  Matrix6<double> compliance;
};

FrameDeflection frame_deflection(const RobotStructure& structure, const Eigen::VectorXd& q,
                                 int frame, const StaticLoad& load);

Json deflection_json(const Model& model, const FrameDeflection& found);
void print_deflection(const Model& model, const FrameDeflection& found);
void print_members(const StaticDeflection& bent);

}  // namespace ulna::cli
