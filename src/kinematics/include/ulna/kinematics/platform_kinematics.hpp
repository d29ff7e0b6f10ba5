#pragma once
// Kinematics of platforms in closed form: from the pose of the platform to its drives, their rates
// and accelerations (docs/theory/platforms.md, eq. 1-8). Six legs cost about 200 ns; nothing
// allocates once the PlatformMotion is made.
//
//   Platform platform(platform_of(robot));
//   PlatformMotion motion(platform);
//   platform.inverse(pose, twist, acceleration, motion);
//   motion.legs[0].q;  // a length or a crank angle
//
// Every leg is a line of constant or driven length from E, the base point, the tip of the crank or
// the carriage, to the platform's point P. Twists are of the platform's frame in the world:
// (angular velocity; velocity of its origin), world axes. What goes the other way is in
// platform_direct.hpp.

#include <cmath>
#include <vector>

#include "ulna/kinematics/coordinate_map.hpp"
#include "ulna/model/parts/platform.hpp"
#include "ulna/spatial/twist.hpp"

namespace ulna {

enum class PlatformFreedom { spatial, translation, planar };

struct LegMotion {
  double q = 0, rate = 0, acceleration = 0;  ///< of the drive
  Vector3<double> W;                         ///< platform's origin to P
  Vector3<double> E, P;                      ///< ends of the leg's line
  Vector3<double> n;                         ///< unit, from E to P
  double length = 0;                         ///< of the line
  Vector3<double> E_q;                       ///< crank: dE/dq, across it; carriage: the rail
  double c = 1;                              ///< n . E_q, or 1: drive force over leg force
  Vector3<double> dP, ddP;                   ///< velocity and acceleration of P
  Vector6<double> row;                       ///< rate = row . twist
};

class Platform;

struct PlatformMotion {
  ULNA_API explicit PlatformMotion(const Platform& platform);
  std::vector<LegMotion> legs;
  ULNA_API Eigen::VectorXd q() const;
  ULNA_API Eigen::VectorXd rates() const;
  ULNA_API Eigen::VectorXd accelerations() const;
};

class ULNA_API Platform {
 public:
  explicit Platform(PlatformData data);

  const PlatformData& data() const { return data_; }
  int legs() const { return static_cast<int>(legs_.size()); }
  PlatformFreedom freedom() const { return freedom_; }
  /// Directions of motion, columns of 6: twists of the platform from `dof` numbers.
  const Eigen::Matrix<double, 6, Eigen::Dynamic>& basis() const { return basis_; }
  int dof() const { return static_cast<int>(basis_.cols()); }
  /// Mean distance of the platform's points from its origin: turns count by it.
  double radius() const { return radius_; }

  /// ComputationError for a twist (or an acceleration: `what`) that the platform does not have,
  /// such as a turn of one that only shifts.
  void require_possible(const Twist<double>& V, const std::string& what) const;
  /// Drives at a pose, and the rows of their rates. ComputationError naming the leg that cannot
  /// reach and the pose, or for a pose outside the platform's freedom.
  void inverse(const Pose<double>& pose, PlatformMotion& motion) const;
  /// And rates and accelerations. ComputationError at a leg's own singularity: crank and rod in
  /// line.
  void inverse(const Pose<double>& pose, const Twist<double>& twist,
               const Twist<double>& acceleration, PlatformMotion& motion) const;

  /// Drives from the platform's freedoms: G (legs x dof) and H. eq. 5, 8
  CoordinateMap leg_map(const Pose<double>& pose) const;
  /// Rows of the drives on the platform's freedoms, legs x dof.
  Eigen::MatrixXd jacobian(const PlatformMotion& motion) const;

  /// Angles of a slider's two hinges.
  struct HingeAngles {
    double hinge, swing;
  };
  HingeAngles hinge_angles(int leg, const Vector3<double>& n) const;

  /// A leg as the formulas need it: unit vectors, across each other.
  struct Leg {
    LegKind kind;
    Vector3<double> base, platform, a, x, y;  ///< y = a x x
    double crank, rod;
    double bend;           ///< which of the two crank angles, or places on the rail
    Vector3<double> rail;  ///< unit, or zero for cranks
    bool on_rail;
    /// The inner end of the rod for a value of the drive.
    Vector3<double> end(double q) const {
      if (on_rail) return base + q * rail;
      return base + crank * (std::cos(q) * x + std::sin(q) * y);
    }
    /// E'' = E_q q'' - r q'^2 with this r: the tip of a crank is drawn to the hinge.
    Vector3<double> drawn(const Vector3<double>& E) const {
      return on_rail ? Vector3<double>::Zero() : Vector3<double>(E - base);
    }
  };
  const Leg& leg(int k) const { return legs_[k]; }

 private:
  void check_freedom(const Pose<double>& pose) const;
  void inverse_leg(int k, const Pose<double>& pose, LegMotion& motion) const;

  PlatformData data_;
  std::vector<Leg> legs_;
  PlatformFreedom freedom_ = PlatformFreedom::spatial;
  Eigen::Matrix<double, 6, Eigen::Dynamic> basis_;
  double radius_ = 1;
};

/// "position (3, 0, 0), rotation vector (0.52, 0, 0)", for messages.
ULNA_API std::string pose_text(const Pose<double>& pose);

}  // namespace ulna
