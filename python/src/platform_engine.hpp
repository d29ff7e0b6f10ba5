#pragma once
// What ulna.Platform asks of a parallel robot, by two routes: the closed form, where its legs have
// one, and the equations of its loops for all others. One object serves several threads.

#include <memory>
#include <mutex>
#include <optional>

#include "robot_handle.hpp"
#include "ulna/dynamics/platform_dynamics.hpp"
#include "ulna/kinematics/parallel_quality.hpp"
#include "ulna/kinematics/parallel_robot.hpp"
#include "ulna/kinematics/platform_poses.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/kinematics/platform_quality.hpp"

namespace ulna::python {

using TwistBasis = Eigen::Matrix<double, 6, Eigen::Dynamic>;

struct DriveMotion {
  Eigen::VectorXd q, v, a;
};

/// At one pose: rates of the drives by the platform's freedoms, and these as twists.
struct PlatformRows {
  Eigen::MatrixXd J;
  TwistBasis basis;
};

/// Loads: one on the platform at its origin in world axes, and any others.
struct PlatformLoads {
  Wrench<double> on_platform;
  std::vector<ExternalWrench> others;
};

/// Every pose for given drives.
struct EveryPose {
  std::vector<ProvenPose> poses;
  std::vector<bool> within_limits;
  std::string method;
  std::optional<PlatformPoses> count;  ///< without its poses
  int assemblies = 0;
};

class PlatformEngine {
 public:
  explicit PlatformEngine(const Model& robot) : model(robot) {}
  virtual ~PlatformEngine() = default;
  const Model& model;

  virtual bool closed_form() const = 0;
  virtual std::vector<std::string> legs() const = 0;
  virtual std::vector<std::string> kinds() const = 0;
  virtual std::vector<std::string> actuated() const = 0;  ///< speeds that are the drives
  virtual std::string body() const = 0;
  virtual Pose<double> home() const = 0;
  virtual TwistBasis home_basis() const = 0;
  virtual double radius() const = 0;

  virtual DriveMotion inverse(const Pose<double>& pose, const Twist<double>& twist,
                              const Twist<double>& acceleration) const = 0;
  virtual Eigen::VectorXd drives_at(const Pose<double>& pose) const = 0;
  virtual PlatformRows rows(const Pose<double>& pose) const = 0;
  virtual PlatformSingularity held(const Pose<double>& pose) const = 0;
  virtual Matrix6<double> stiffness(const Pose<double>& pose,
                                    const Eigen::VectorXd& of_drives) const = 0;
  virtual PlatformSingularity held_at(const Eigen::VectorXd& q) const = 0;
  /// From the postures of a path to the nearest singular poses.
  virtual std::vector<NearestSingularity> nearest_along(
      const std::vector<Eigen::VectorXd>& q) const = 0;
  virtual NearestSingularity nearest(const Pose<double>& pose) const = 0;
  virtual WorkingModes modes(const Pose<double>& pose) const = 0;
  virtual Pose<double> direct(const Eigen::VectorXd& drives, const Pose<double>* start,
                              bool continuation) const = 0;
  virtual std::vector<Pose<double>> direct_all(const Eigen::VectorXd& drives, int starts,
                                               unsigned seed) const = 0;
  virtual EveryPose every_pose(const Eigen::VectorXd& drives, std::optional<int> starts,
                               std::optional<unsigned> seed) const = 0;
  virtual Twist<double> twist(const Pose<double>& pose, const Eigen::VectorXd& rates) const = 0;
  virtual Twist<double> acceleration(const Pose<double>& pose, const Twist<double>& twist,
                                     const Eigen::VectorXd& accelerations) const = 0;

  virtual Eigen::VectorXd efforts(const Pose<double>& pose, const Twist<double>& twist,
                                  const Twist<double>& acceleration,
                                  const PlatformLoads& loads) const = 0;
  virtual Twist<double> under(const Pose<double>& pose, const Twist<double>& twist,
                              const Eigen::VectorXd& efforts, const PlatformLoads& loads) const = 0;

  virtual Eigen::VectorXd posture(const Pose<double>& pose) const = 0;
  virtual PlatformRates posture_rates(const Eigen::VectorXd& q, const Twist<double>& twist,
                                      const Twist<double>& acceleration) const = 0;
  virtual Pose<double> pose(const Eigen::VectorXd& q) const = 0;

  virtual std::string check(const Pose<double>& pose, const PlatformLimits& limits) const = 0;
  virtual WorkspaceSlice slice(const Pose<double>& middle, const std::array<SliceRange, 2>& ranges,
                               const PlatformLimits& limits) const = 0;
  virtual std::vector<LocusPiece> loci(const WorkspaceSlice& slice) const = 0;

  /// Largest rates and efforts of the drives; infinite where the robot has no limit.
  virtual Eigen::VectorXd speed_limits() const = 0;
  virtual Eigen::VectorXd effort_limits() const = 0;

  /// By the loops, whatever else there is.
  virtual const ParallelRobot& loops() const = 0;
  /// What only platforms with closed form have; InputError for others.
  virtual const Platform& closed(const char* what) const = 0;

  int drives() const { return static_cast<int>(legs().size()); }
};

/// The closed form where the robot has one and nothing else is asked for. InputError where the
/// robot is no platform.
std::unique_ptr<PlatformEngine> platform_engine(const Model& model,
                                                const ParallelRobotOptions& options);

}  // namespace ulna::python
