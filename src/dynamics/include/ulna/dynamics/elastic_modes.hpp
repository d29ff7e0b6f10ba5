#pragma once
// Small vibrations of a flexible robot about a state: any posture, deflection and steady motion,
// any joints locked. docs/theory/flexible.md, eq. 27-29.
//
//   M dd(x) + C d(x) + K x = 0,   C = d(tau)/dv,   K = d(tau)/dq at constant v and a
//
// At rest C is the damping alone and the modes are real; in a steady spin K holds the centrifugal
// stiffening and C the gyroscopic terms. With loops (eq. 30) the speeds that vibrate are those that
// the loops leave free; the posture is closed first.

#include "ulna/dynamics/elastic_level.hpp"

namespace ulna {

struct ModesQuery {
  Eigen::VectorXd q = {};          ///< posture and deflection; empty: neutral
  Eigen::VectorXd v = {}, a = {};  ///< of the motion about which; empty: at rest
  std::vector<int> locked = {};    ///< joints by index; their speeds do not vibrate
  bool all_locked = false;         ///< every joint
  std::vector<int> rigid = {};     ///< flexible links (index) whose modes are held
  ElasticLevel level = ElasticLevel::exact;
};

struct ElasticModes {
  Eigen::MatrixXd M, C, K;      ///< of the speeds that vibrate
  std::vector<int> speeds;      ///< which those are
  Eigen::VectorXd frequencies;  ///< undamped, without gyroscopic terms; rad/s, rising; negative:
                                ///< the rate at which it runs away
  Eigen::MatrixXd shapes;       ///< columns over `speeds`, largest entry 1
  Eigen::MatrixXd motion;       ///< all speeds by those that vibrate: loops make others follow
  Eigen::VectorXcd poles;       ///< with C, sorted by imaginary part; both of each pair
};
ULNA_API ElasticModes elastic_modes(const Model& model, const ModesQuery& query);

/// The lowest eigenvalue of the dynamic stiffness of the modes (joints moving as given) by the
/// modal masses, (rad/s)^2: negative where a body diverges.
ULNA_API double lowest_dynamic_stiffness(const Model& model, const VectorRef& q, const VectorRef& v,
                                         const VectorRef& a,
                                         ElasticLevel level = ElasticLevel::exact);

}  // namespace ulna
