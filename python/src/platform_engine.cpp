#include "platform_engine.hpp"

#include <fmt/format.h>

#include "ulna/dynamics/parallel_dynamics.hpp"
#include "ulna/kinematics/parallel_direct.hpp"
#include "ulna/kinematics/parallel_quality.hpp"
#include "ulna/kinematics/parallel_workspace.hpp"
#include "ulna/kinematics/platform_direct.hpp"

namespace ulna::python {
namespace {

std::vector<ExternalWrench> all_loads(int body, const PlatformLoads& loads) {
  std::vector<ExternalWrench> all = loads.others;
  all.push_back(
      {.body = body, .force = loads.on_platform.force, .moment = loads.on_platform.moment});
  return all;
}

Eigen::VectorXd efforts_by_loops(const ParallelRobot& robot, const Eigen::VectorXd& q,
                                 const Twist<double>& twist, const Twist<double>& acceleration,
                                 const PlatformLoads& loads) {
  return ParallelDynamics(robot).inverse(q, robot.motion(q, twist, acceleration),
                                         all_loads(robot.body(), loads));
}

Twist<double> acceleration_by_loops(const ParallelRobot& robot, const Eigen::VectorXd& q,
                                    const Twist<double>& twist, const Eigen::VectorXd& efforts,
                                    const PlatformLoads& loads) {
  const Eigen::VectorXd v = robot.motion(q, twist, Twist<double>{}).v;
  return ParallelDynamics(robot).forward(q, v, efforts, all_loads(robot.body(), loads)).platform;
}

// ---- legs in closed form ------------------------------------------------------------------------

class ClosedForm final : public PlatformEngine {
 public:
  ClosedForm(const Model& robot, const PlatformData& data)
      : PlatformEngine(robot), platform_(data) {}

  bool closed_form() const override { return true; }
  std::vector<std::string> legs() const override {
    std::vector<std::string> names;
    for (const PlatformLeg& leg : platform_.data().legs) names.push_back(leg.name);
    return names;
  }
  std::vector<std::string> kinds() const override {
    std::vector<std::string> kinds;
    for (const PlatformLeg& leg : platform_.data().legs) kinds.emplace_back(name_of(leg.kind));
    return kinds;
  }
  std::vector<std::string> actuated() const override {
    std::vector<std::string> names;
    for (const int k : drive_speeds(model, platform_)) names.push_back(model.speed_names()[k]);
    return names;
  }
  std::string body() const override { return platform_.data().platform_body; }
  Pose<double> home() const override { return platform_.data().home; }
  TwistBasis home_basis() const override { return platform_.basis(); }
  double radius() const override { return platform_.radius(); }

  DriveMotion inverse(const Pose<double>& pose, const Twist<double>& twist,
                      const Twist<double>& acceleration) const override {
    PlatformMotion motion(platform_);
    platform_.inverse(pose, twist, acceleration, motion);
    return {motion.q(), motion.rates(), motion.accelerations()};
  }
  Eigen::VectorXd drives_at(const Pose<double>& pose) const override {
    PlatformMotion motion(platform_);
    platform_.inverse(pose, motion);
    return motion.q();
  }
  PlatformRows rows(const Pose<double>& pose) const override {
    PlatformMotion motion(platform_);
    platform_.inverse(pose, motion);
    return {platform_.jacobian(motion), platform_.basis()};
  }
  PlatformSingularity held(const Pose<double>& pose) const override {
    PlatformMotion motion(platform_);
    platform_.inverse(pose, motion);
    return singularity(platform_, motion, pose);
  }
  Matrix6<double> stiffness(const Pose<double>& pose,
                            const Eigen::VectorXd& of_drives) const override {
    PlatformMotion motion(platform_);
    platform_.inverse(pose, motion);
    return ulna::stiffness(platform_, motion, of_drives);
  }
  PlatformSingularity held_at(const Eigen::VectorXd& q) const override { return held(pose(q)); }
  std::vector<NearestSingularity> nearest_along(
      const std::vector<Eigen::VectorXd>& q) const override {
    std::vector<Pose<double>> path;
    for (const Eigen::VectorXd& at : q) path.push_back(pose(at));
    return nearest_singularities(platform_, path);
  }
  NearestSingularity nearest(const Pose<double>& pose) const override {
    return nearest_singularity(platform_, pose);
  }
  WorkingModes modes(const Pose<double>& pose) const override {
    return working_modes(platform_, pose);
  }

  Pose<double> direct(const Eigen::VectorXd& drives, const Pose<double>* start,
                      bool continuation) const override {
    const Pose<double> from = start ? *start : home();
    return (continuation ? direct_by_continuation(platform_, drives, from)
                         : ulna::direct(platform_, drives, from))
        .pose;
  }
  std::vector<Pose<double>> direct_all(const Eigen::VectorXd& drives, int starts,
                                       unsigned seed) const override {
    std::vector<Pose<double>> poses;
    for (const DirectPose& one :
         ulna::direct_all(platform_, drives, {.starts = starts, .seed = seed}).poses)
      poses.push_back(one.pose);
    return poses;
  }
  EveryPose every_pose(const Eigen::VectorXd& drives, std::optional<int> starts,
                       std::optional<unsigned> seed) const override {
    EveryPose found;
    if (starts || seed) {
      found.method = "random-starts";
      DirectSearch search;
      search.starts = starts.value_or(search.starts);
      search.seed = seed.value_or(search.seed);
      for (const DirectPose& one : ulna::direct_all(platform_, drives, search).poses)
        found.poses.push_back({one.pose, false, 0, 0, one.gap});
    } else {
      found.method = "homotopy";
      PlatformPoses all = platform_poses(platform_, drives);
      found.poses = std::move(all.poses);
      found.count = std::move(all);
    }
    found.assemblies = static_cast<int>(found.poses.size());
    PoseChecker checker(platform_);
    for (const ProvenPose& one : found.poses)
      found.within_limits.push_back(checker.text(checker.check(one.pose), one.pose).empty());
    return found;
  }
  Twist<double> twist(const Pose<double>& pose, const Eigen::VectorXd& rates) const override {
    return direct_twist(platform_, pose, rates);
  }
  Twist<double> acceleration(const Pose<double>& pose, const Twist<double>& twist,
                             const Eigen::VectorXd& accelerations) const override {
    return direct_acceleration(platform_, pose, twist, accelerations);
  }

  Eigen::VectorXd efforts(const Pose<double>& pose, const Twist<double>& twist,
                          const Twist<double>& acceleration,
                          const PlatformLoads& loads) const override {
    if (!loads.others.empty())
      return efforts_by_loops(loops(), posture(pose), twist, acceleration, loads);
    return PlatformDynamics(platform_, model).inverse(pose, twist, acceleration, loads.on_platform);
  }
  Twist<double> under(const Pose<double>& pose, const Twist<double>& twist,
                      const Eigen::VectorXd& efforts, const PlatformLoads& loads) const override {
    if (!loads.others.empty())
      return acceleration_by_loops(loops(), posture(pose), twist, efforts, loads);
    return PlatformDynamics(platform_, model).forward(pose, twist, efforts, loads.on_platform);
  }

  Eigen::VectorXd posture(const Pose<double>& pose) const override {
    return platform_posture(model, platform_, pose);
  }
  PlatformRates posture_rates(const Eigen::VectorXd& q, const Twist<double>& twist,
                              const Twist<double>& acceleration) const override {
    return platform_rates(model, platform_, q, twist, acceleration);
  }
  Pose<double> pose(const Eigen::VectorXd& q) const override {
    return platform_pose(model, platform_, q);
  }

  std::string check(const Pose<double>& pose, const PlatformLimits& limits) const override {
    PoseChecker checker(platform_, limits);
    return checker.text(checker.check(pose), pose);
  }
  WorkspaceSlice slice(const Pose<double>& middle, const std::array<SliceRange, 2>& ranges,
                       const PlatformLimits& limits) const override {
    return workspace_slice(platform_, middle, ranges, limits);
  }
  std::vector<LocusPiece> loci(const WorkspaceSlice& slice) const override {
    return singular_loci(platform_, slice);
  }

  Eigen::VectorXd speed_limits() const override {
    return of_drives([](const auto& drive) { return drive.velocity_limit; });
  }
  Eigen::VectorXd effort_limits() const override {
    return of_drives([](const auto& drive) { return drive.effort_limit; });
  }

  const ParallelRobot& loops() const override {
    std::call_once(made_, [&] {
      loops_.emplace(model, ParallelRobotOptions{drive_speeds(model, platform_),
                                                 model.body(platform_.data().platform_body)});
    });
    return *loops_;
  }
  const Platform& closed(const char*) const override { return platform_; }

 private:
  template <class Get>
  Eigen::VectorXd of_drives(const Get& get) const {
    Eigen::VectorXd values(platform_.legs());
    for (int k = 0; k < platform_.legs(); ++k) values(k) = get(platform_.data().legs[k].drive);
    return values;
  }
  Platform platform_;
  mutable std::once_flag made_;
  mutable std::optional<ParallelRobot> loops_;
};

// ---- any other parallel robot -------------------------------------------------------------------

class ByLoops final : public PlatformEngine {
 public:
  ByLoops(const Model& robot, const ParallelRobotOptions& options)
      : PlatformEngine(robot), robot_(robot, options) {}

  bool closed_form() const override { return false; }
  std::vector<std::string> legs() const override { return robot_.drive_names(); }
  std::vector<std::string> kinds() const override {
    return std::vector<std::string>(robot_.drives().size(), "general");
  }
  std::vector<std::string> actuated() const override { return robot_.drive_names(); }
  std::string body() const override { return model.bodies()[robot_.body()].name; }
  Pose<double> home() const override { return robot_.home().pose; }
  TwistBasis home_basis() const override { return robot_.rates(robot_.home().q).basis; }
  double radius() const override { return robot_.radius(); }

  DriveMotion inverse(const Pose<double>& pose, const Twist<double>& twist,
                      const Twist<double>& acceleration) const override {
    const Eigen::VectorXd q = posture(pose);
    const ParallelRobot::Motion motion = robot_.motion(q, twist, acceleration);
    return {robot_.drive_values(q), motion.drive_rates, motion.drive_accelerations};
  }
  Eigen::VectorXd drives_at(const Pose<double>& pose) const override {
    return robot_.drive_values(posture(pose));
  }
  PlatformRows rows(const Pose<double>& pose) const override {
    const ParallelRates rates = robot_.rates(posture(pose));
    return {rates.J, rates.basis};
  }
  PlatformSingularity held(const Pose<double>& pose) const override {
    return held_at(posture(pose));
  }
  Matrix6<double> stiffness(const Pose<double>& pose,
                            const Eigen::VectorXd& of_drives) const override {
    return robot_.stiffness(robot_.rates(posture(pose)), of_drives);
  }
  PlatformSingularity held_at(const Eigen::VectorXd& q) const override {
    return robot_.singularity(robot_.rates(q), robot_.pose(q));
  }
  std::vector<NearestSingularity> nearest_along(
      const std::vector<Eigen::VectorXd>& q) const override {
    return nearest_singularities(robot_, q);
  }
  NearestSingularity nearest(const Pose<double>& pose) const override {
    return nearest_singularity(robot_, posture(pose));
  }
  WorkingModes modes(const Pose<double>& pose) const override {
    return working_modes(robot_, posture(pose));
  }

  Pose<double> direct(const Eigen::VectorXd& drives, const Pose<double>* start,
                      bool) const override {
    if (start)
      throw InputError(Problem{{},
                               "start",
                               "given for a robot without closed form",
                               "none: the search begins at home",
                               {}});
    return robot_.at_drives(drives).pose;
  }
  std::vector<Pose<double>> direct_all(const Eigen::VectorXd& drives, int starts,
                                       unsigned seed) const override {
    std::vector<Pose<double>> poses;
    for (const ParallelPosture& one : robot_.all_at_drives(drives, starts, seed).poses)
      poses.push_back(one.pose);
    return poses;
  }
  EveryPose every_pose(const Eigen::VectorXd& drives, std::optional<int> starts,
                       std::optional<unsigned> seed) const override {
    EveryPose found;
    std::optional<PlatformPoses> proven;
    if (!starts && !seed) proven = parallel_poses(robot_, drives);
    if (proven) {
      found.method = "homotopy";
      found.poses = std::move(proven->poses);
      found.count = std::move(*proven);
      found.assemblies = static_cast<int>(found.poses.size());
      for (const ProvenPose& one : found.poses)
        found.within_limits.push_back(check_pose(robot_, one.pose).fault == PoseFault::none);
      return found;
    }
    const ParallelRobot::All all =
        robot_.all_at_drives(drives, starts.value_or(200), seed.value_or(1));
    found.method = "loops";
    found.assemblies = all.postures;
    for (const ParallelPosture& one : all.poses) {
      const double gap = (robot_.drive_values(one.q) - drives).cwiseAbs().maxCoeff();
      found.poses.push_back({one.pose, false, 0, 0, gap});
      found.within_limits.push_back(check_posture(robot_, one).fault == PoseFault::none);
    }
    return found;
  }
  Twist<double> twist(const Pose<double>& pose, const Eigen::VectorXd& rates) const override {
    return direct_twist(robot_, posture(pose), rates);
  }
  Twist<double> acceleration(const Pose<double>& pose, const Twist<double>& twist,
                             const Eigen::VectorXd& accelerations) const override {
    return direct_acceleration(robot_, posture(pose), twist, accelerations);
  }

  Eigen::VectorXd efforts(const Pose<double>& pose, const Twist<double>& twist,
                          const Twist<double>& acceleration,
                          const PlatformLoads& loads) const override {
    return efforts_by_loops(robot_, posture(pose), twist, acceleration, loads);
  }
  Twist<double> under(const Pose<double>& pose, const Twist<double>& twist,
                      const Eigen::VectorXd& efforts, const PlatformLoads& loads) const override {
    return acceleration_by_loops(robot_, posture(pose), twist, efforts, loads);
  }

  Eigen::VectorXd posture(const Pose<double>& pose) const override {
    const ParallelPosture found = robot_.at_pose(pose);
    if (!(found.off <= 1e-6))
      throw ComputationError(
          fmt::format("the platform of '{}' has {} degrees of freedom and cannot take this pose: "
                      "the nearest one, at_pose(pose).pose, is {:.3g} m away (turns by its radius)",
                      model.name(), robot_.rates(found.q).dof(), found.off),
          found.off);
    return found.q;
  }
  PlatformRates posture_rates(const Eigen::VectorXd& q, const Twist<double>& twist,
                              const Twist<double>& acceleration) const override {
    const ParallelRobot::Motion motion = robot_.motion(q, twist, acceleration);
    return {motion.v, motion.a};
  }
  Pose<double> pose(const Eigen::VectorXd& q) const override { return robot_.pose(q); }

  std::string check(const Pose<double>& pose, const PlatformLimits& limits) const override {
    return check_text(robot_, check_pose(robot_, pose, limits), pose);
  }
  WorkspaceSlice slice(const Pose<double>& middle, const std::array<SliceRange, 2>& ranges,
                       const PlatformLimits& limits) const override {
    return workspace_slice(robot_, middle, ranges, limits);
  }
  std::vector<LocusPiece> loci(const WorkspaceSlice& slice) const override {
    return parallel_slice(robot_, slice.middle, slice.ranges).singular;
  }

  Eigen::VectorXd speed_limits() const override { return of_speeds(model.velocity_limit()); }
  Eigen::VectorXd effort_limits() const override { return of_speeds(model.effort_limit()); }

  const ParallelRobot& loops() const override { return robot_; }
  const Platform& closed(const char* what) const override {
    throw InputError(
        fmt::format("{}: the legs of robot '{}' have no closed form", what, model.name()),
        "a platform whose closed_form is True");
  }

 private:
  /// Closing joints have no limits.
  Eigen::VectorXd of_speeds(const Eigen::VectorXd& limits) const {
    Eigen::VectorXd values = Eigen::VectorXd::Constant(std::ssize(robot_.drives()), INFINITY);
    for (Eigen::Index k = 0; k < values.size(); ++k)
      if (const int place = robot_.drives()[static_cast<std::size_t>(k)]; place < limits.size())
        values(k) = limits(place);
    return values;
  }
  ParallelRobot robot_;
};

}  // namespace

std::unique_ptr<PlatformEngine> platform_engine(const Model& model,
                                                const ParallelRobotOptions& options) {
  const PlatformData* data = model.platform();
  const bool asked = !options.drives.empty() || options.body >= 0;
  if (data && !asked && Platform(*data).legs() >= Platform(*data).dof())
    return std::make_unique<ClosedForm>(model, *data);
  return std::make_unique<ByLoops>(model, options);
}

}  // namespace ulna::python
