#pragma once
// How a frame F moves as seen from another frame R, in the axes of a third, E; names of quantities
// as in docs/conventions.md. All after update_motions (kinematics.hpp).
//
//   ulna::Twist<double> V_RF_E = ulna::frame_velocity(model, work, {tool, forearm, forearm});

#include "ulna/kinematics/kinematics.hpp"

namespace ulna {

struct FrameQuery {
  int frame;
  int relative_to = 0;   ///< R; 0 is the world
  int expressed_in = 0;  ///< E; 0 is the world
};
/// X_RF, but for its position p_RoFo_E in the axes of E.
ULNA_API Pose<double> frame_pose(const Model& model, const Workspace& work,
                                 const FrameQuery& query);
/// w_RF_E and v_RFo_E, as seen by who moves with R: J v with the Jacobian of the same query.
ULNA_API Twist<double> frame_velocity(const Model& model, const Workspace& work,
                                      const FrameQuery& query);
/// Their derivatives as seen from R: alpha_RF_E and a_RFo_E. Coriolis and centrifugal parts of R's
/// own motion are taken out.
ULNA_API Twist<double> frame_acceleration(const Model& model, const Workspace& work,
                                          const FrameQuery& query);

}  // namespace ulna
