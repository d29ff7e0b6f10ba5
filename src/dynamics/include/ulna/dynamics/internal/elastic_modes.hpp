#pragma once
// Small vibrations of a flexible robot about a state: any posture, deflection and steady motion,
// any joints locked. docs/theory/flexible.md, eq. 27-29.
//
//   M dd(x) + C d(x) + K x = 0,   C = d(tau)/dv,   K = d(tau)/dq at constant v and a
//
// At rest C is the damping alone and the modes are real; in a steady spin K holds the centrifugal
// stiffening and C the gyroscopic terms, and frequencies and shapes come from the poles: what K
// alone would call a divergence may be held by C. With loops (eq. 30) the speeds that vibrate are
// those that the loops leave free; the posture is closed first.

#include "ulna/dynamics/elastic_level.hpp"

namespace ulna {

struct ModesQuery {
  Eigen::VectorXd q = {};          ///< posture and deflection; empty: neutral
  Eigen::VectorXd v = {}, a = {};  ///< of the motion about which; empty: at rest
  std::vector<int> locked = {};    ///< joints by index; their speeds do not vibrate
  bool all_locked = false;         ///< every joint
  std::vector<int> rigid = {};     ///< flexible links (index) whose modes are held
  ElasticLevel level = ElasticLevel::exact;
  bool damped = false;  ///< frequencies and shapes from the poles at rest too
};

struct ElasticModes {
  Eigen::MatrixXd M, C, K;      ///< of the speeds that vibrate
  std::vector<int> speeds;      ///< which those are
  Eigen::VectorXd frequencies;  ///< rad/s, rising: undamped from M and K, or the size of the pole;
                                ///< negative: the rate of a mode that grows without oscillating
  Eigen::VectorXd growth;       ///< real parts of the poles of the modes, 1/s, where `from_poles`;
                                ///< negative: the mode decays
  Eigen::MatrixXd shapes;       ///< columns over `speeds`, largest entry 1
  Eigen::MatrixXd quadrature;   ///< imaginary parts of the shapes: a quarter of a period ahead
  bool from_poles = false;      ///< frequencies, growth and shapes with C
  Eigen::MatrixXd motion;       ///< all speeds by those that vibrate: loops make others follow
  Eigen::VectorXcd poles;       ///< with C, sorted by imaginary part; both of each pair
};
ULNA_API ElasticModes elastic_modes(const Model& model, const ModesQuery& query);

/// The largest real part of the poles; zero where it is no more than rounding.
ULNA_API double growth_rate(const ElasticModes& modes);

/// How alike the shapes of two states are, 0 .. 1: |a* M b|^2 / (a* M a)(b* M b), a down, b across;
/// of b and its conjugate the one more alike.
ULNA_API Eigen::MatrixXd shape_assurance(const ElasticModes& a, const ElasticModes& b);

/// The lowest eigenvalue of the dynamic stiffness of the modes (joints moving as given) by the
/// modal masses, (rad/s)^2: the static stiffness left. Negative where a body diverges, unless
/// gyroscopic terms hold it.
ULNA_API double lowest_dynamic_stiffness(const Model& model, const VectorRef& q, const VectorRef& v,
                                         const VectorRef& a,
                                         ElasticLevel level = ElasticLevel::exact);

}  // namespace ulna
