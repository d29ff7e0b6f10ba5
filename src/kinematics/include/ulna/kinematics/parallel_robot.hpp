#pragma once
// Any robot with loops as a platform and its drives: poses, rates and singularities from the
// closure equations, where no closed form exists (docs/theory/platforms.md, section 9). Legs may
// have any joints and any number of drives; drives may be redundant, joints without one are
// passive. Robots that platform_kinematics.hpp knows give the same numbers here.
//
//   ParallelRobot robot(model);                      // or with the drives named
//   ParallelPosture posture = robot.at_pose(pose);   // on the branch of the home pose
//   ParallelRates rates = robot.rates(posture.q);    // J: drives x freedoms
//
// The freedoms of the platform are a basis of its twists at a posture, which may change with it
// (3-RPS). Turns count by the platform's radius. Freedoms of the mechanism that do not move the
// platform (rods that spin) are idle, and at rest.

#include <optional>

#include "ulna/kinematics/kinematics.hpp"
#include "ulna/kinematics/parts/drive_coordinates.hpp"
#include "ulna/kinematics/platform_singularity.hpp"
#include "ulna/model/model.hpp"

namespace ulna {

struct ParallelRobotOptions {
  std::vector<int> drives = {};  ///< places in all_speed_names(); empty: chosen, see `drives`
  int body = -1;                 ///< the platform; negative: found, see `body`
};

struct ParallelPosture {
  Eigen::VectorXd q;
  Pose<double> pose;        ///< of the platform
  double off = 0;           ///< from the pose that was asked for: metres, and turns by the radius
  bool home_branch = true;  ///< reached from home without passing a singular posture
};

/// Some coordinates of the platform's pose: rows on its displacement from a pose, the rotation
/// vector times the platform's radius first, then the shift, world axes. Metres.
struct PoseCoordinates {
  Pose<double> from;
  Eigen::Matrix<double, Eigen::Dynamic, 6> held;  ///< orthonormal rows
  Eigen::VectorXd values;                         ///< of held times the displacement
};

/// First order at a posture.
struct ParallelRates {
  Eigen::Matrix<double, 6, Eigen::Dynamic> basis;  ///< twists of the platform by its freedoms
  Eigen::MatrixXd speeds;                          ///< all speeds of the tree by its freedoms
  Eigen::MatrixXd idle;                            ///< and by idle freedoms
  Eigen::MatrixXd J;       ///< rates of the drives by the platform's freedoms
  Eigen::MatrixXd J_idle;  ///< by idle freedoms: not zero where drives move without the platform
  int dof() const { return static_cast<int>(basis.cols()); }
};

class ULNA_API ParallelRobot {
 public:
  /// InputError for a robot without loops, and for drives that do not exist.
  explicit ParallelRobot(const Model& model, const ParallelRobotOptions& options = {});

  const Model& model() const { return model_; }
  /// The platform: the body that floats on the world where loops hold it, else the one with most
  /// joints, at least three; else the tip.
  int body() const { return body_; }
  /// Those given. Else joints with limits of effort or with rotors where these determine the
  /// platform; else slides, or hinges on the base where these alone determine it and slides alone
  /// do not; else slides, then the joints nearest to the base, as many as determine it.
  const std::vector<int>& drives() const { return drives_; }
  const std::vector<std::string>& drive_names() const { return drive_names_; }
  bool drives_were_chosen() const { return chosen_; }
  const ParallelPosture& home() const { return home_; }
  double radius() const { return radius_; }  ///< of the platform: turns count by it

  /// The posture that puts the platform to a pose, or as near as its freedoms allow, from home by
  /// continuity. ComputationError where the way is barred.
  ParallelPosture at_pose(const Pose<double>& pose) const;
  /// The posture that has some coordinates of its pose as wanted and the others as near to zero as
  /// its freedoms allow (`off`: how far they are), from a posture nearby. None where that fails.
  std::optional<ParallelPosture> at_coordinates(const Eigen::VectorXd& near,
                                                const PoseCoordinates& wanted) const;
  /// The posture for values of the drives, on the branch of home where it leads there.
  /// ComputationError where there is none.
  ParallelPosture at_drives(const Eigen::VectorXd& values) const;
  /// Every pose of the platform that random starts find, and how many postures these stand for.
  struct All {
    std::vector<ParallelPosture> poses;
    int postures = 0, starts = 0;
  };
  All all_at_drives(const Eigen::VectorXd& values, int starts = 200, unsigned seed = 1) const;

  /// Coordinates of the drives at a posture; of the turns of a ball the rotation vector.
  Eigen::VectorXd drive_values(const Eigen::VectorXd& q) const;
  Pose<double> pose(const Eigen::VectorXd& q) const;
  ParallelRates rates(const Eigen::VectorXd& q) const;
  /// The platform's freedoms for a twist. ComputationError for one it does not have.
  Eigen::VectorXd freedoms(const ParallelRates& rates, const Twist<double>& twist,
                           const char* what) const;
  /// Speeds and accelerations of the tree for a twist and an acceleration of the platform.
  struct Motion {
    Eigen::VectorXd v, a;
    Eigen::VectorXd drive_rates, drive_accelerations;
  };
  Motion motion(const Eigen::VectorXd& q, const Twist<double>& twist,
                const Twist<double>& acceleration) const;
  /// How well the drives hold the platform, as for platforms with closed form.
  PlatformSingularity singularity(const ParallelRates& rates, const Pose<double>& pose) const;
  /// The same from the stiffness of each drive; 6 x 6, on the platform's freedoms.
  Matrix6<double> stiffness(const ParallelRates& rates,
                            const Eigen::VectorXd& drive_stiffness) const;

 private:
  void find_body();
  void find_radius();
  void choose_drives();
  /// From home with all drives moving together; none where the branch ends on the way.
  std::optional<Eigen::VectorXd> led_from_home(const Eigen::VectorXd& values) const;
  bool determine(const Eigen::MatrixXd& speeds, const std::vector<int>& speeds_of_drives) const;
  ParallelPosture placed(Eigen::VectorXd q) const;
  /// Gauss and Newton on closure and pose from a posture nearby.
  bool move_to(Eigen::VectorXd& q, const Pose<double>& wanted) const;

  const Model& model_;
  int body_ = -1;
  std::vector<int> drives_;
  std::vector<std::string> drive_names_;
  bool chosen_ = false;
  double radius_ = 1;
  ParallelPosture home_;
  std::optional<DriveCoordinates> coordinates_;
};

}  // namespace ulna
