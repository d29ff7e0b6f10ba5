#include "platform/platform_route.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common.hpp"
#include "ulna/dynamics/platform_dynamics.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/kinematics/platform_posture.hpp"

namespace ulna {
namespace {

/// Force elements join as the wrench at the platform that does their work (element_load).
PlatformData without_elements(PlatformData data) {
  data.element.clear();
  return data;
}

class PlatformRoute : public WholeRoute {
 public:
  explicit PlatformRoute(const Model& model)
      : model_(model),
        platform_(without_elements(platform_of(model))),
        dynamics_(platform_),
        motion_(platform_),
        drives_(drive_speeds(model, platform_)),
        body_(model.body(platform_.data().platform_body)),
        closing_(std::ssize(closing_degrees(model))) {}

  void inverse(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
               ExternalWrenches wrenches, LoopEfforts& result) override {
    update_motions(model_, work, q, v, a);
    require_known_legs(work, q);
    const Eigen::VectorXd& efforts =
        dynamics_.inverse(frame_pose(model_, work, body_), frame_velocity(model_, work, body_),
                          frame_acceleration(model_, work, body_), load(work, q, v, wrenches));
    result.tau.setZero(model_.speeds());
    for (std::size_t k = 0; k < drives_.size(); ++k)
      result.tau(drives_[k]) = efforts(static_cast<Eigen::Index>(k));
    result.closing.setZero(closing_);
    result.lambda.resize(0);
    result.dof = platform_.dof();
    result.actuated = drives_;
    result.redundant_actuation = platform_.legs() > platform_.dof();
  }

  void forward(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& tau,
               ExternalWrenches wrenches, Eigen::VectorXd& a) override {
    Eigen::VectorXd others = tau;
    others(drives_).setZero();
    for (int k = 0; k < model_.speeds(); ++k)
      if (others(k) != 0)
        throw InputError(Problem{{},
                                 "tau",
                                 fmt::format("an effort along '{}', and 'platform' takes those of "
                                             "the drives only",
                                             model_.speed_names()[k]),
                                 "zero there",
                                 "another formulation takes efforts of all joints"});
    update_motions(model_, work, q, v, work.zero());
    require_known_legs(work, q);
    const Twist<double> twist = frame_velocity(model_, work, body_);
    const Twist<double> acceleration = dynamics_.forward(frame_pose(model_, work, body_), twist,
                                                         tau(drives_), load(work, q, v, wrenches));
    a = platform_rates(model_, platform_, q, twist, acceleration).a;
  }

  const std::vector<int>& actuated() const override { return drives_; }

 private:
  /// A crank reaches the platform in two ways, of which the closed form knows one.
  void require_known_legs(const Workspace& work, const VectorRef& q) {
    platform_.inverse(frame_pose(model_, work, body_), motion_);
    for (int k = 0; k < platform_.legs(); ++k) {
      const PlatformLeg& leg = platform_.data().legs[k];
      const double off = motion_.legs[k].q - q(model_.joints()[model_.joint(leg.name)].q);
      const double apart = leg.drive_slides() ? off : 2 * std::sin(0.5 * off);
      if (std::abs(apart) > 1e-6 * (1 + std::abs(motion_.legs[k].q)))
        throw ComputationError(
            fmt::format("leg '{}' of platform '{}' is at {:.6g}, but the closed form has it at "
                        "{:.6g}, because it covers only one of the ways in which a leg reaches the "
                        "platform; use another formulation",
                        leg.name, model_.name(), motion_.legs[k].q - off, motion_.legs[k].q),
            std::abs(apart));
    }
  }
  /// All wrenches as one at the platform's origin, in world axes. `work` must hold the poses.
  Wrench<double> load(const Workspace& work, const VectorRef& q, const VectorRef& v,
                      ExternalWrenches wrenches) const {
    Wrench<double> sum = element_load(model_, platform_, q, v);
    for (const ExternalWrench& w : wrenches) {
      check_wrench(model_, w);
      if (w.body == 0) continue;  // the world bears it
      if (w.body != body_)
        throw InputError(
            Problem{{},
                    "wrenches",
                    fmt::format("one acts on body '{}', and 'platform' takes those on "
                                "body '{}' only",
                                model_.bodies()[w.body].name, model_.bodies()[body_].name),
                    "wrenches on the platform",
                    "another formulation takes wrenches on all bodies"});
      const Matrix3<double> R_WE = frame_pose(model_, work, w.expressed_in).rotation;
      const Vector3<double> arm = frame_pose(model_, work, body_).rotation * w.point;
      const Vector3<double> force = R_WE * w.force;
      sum.force += force;
      sum.moment += R_WE * w.moment + arm.cross(force);
    }
    return sum;
  }

  const Model& model_;
  Platform platform_;
  PlatformDynamics dynamics_;
  PlatformMotion motion_;
  std::vector<int> drives_;
  int body_;
  Eigen::Index closing_;  ///< degrees of the closing joints, which have no motor here
};

/// The closed form has rotors, dampers, friction and springs at the drives only.
std::string acts_elsewhere(const Model& model, const std::vector<int>& drives) {
  const auto drive = [&](int speed) { return std::ranges::find(drives, speed) != drives.end(); };
  const auto sentence = [](const std::string& joint) {
    return fmt::format(
        "joint '{}' has a rotor, damping, friction or a spring, which 'platform' has at the drives "
        "only",
        joint);
  };
  for (const DegreeTerms& t : model.degree_terms())
    if (!drive(t.v) && (t.damping != 0 || t.friction != 0 || t.has_spring()))
      return sentence(model.speed_names()[t.v]);
  for (int k = 0; k < model.speeds(); ++k)
    if (!drive(k) && model.parameters().armature[k] != 0) return sentence(model.speed_names()[k]);
  for (const Loop& loop : model.loops())
    for (const DegreeData& d : loop.degrees)
      if (d.damping != 0 || d.friction != 0 || d.has_spring()) return sentence(loop.joint);
  return {};
}

}  // namespace

std::string is_not_a_platform(const Model& model) {
  try {
    const Platform platform(without_elements(platform_of(model)));
    PlatformDynamics dynamics(platform);  // asks whether its rods suit
    if (platform.legs() < platform.dof())
      return fmt::format("platform '{}' has {} drives for its {} degrees of freedom", model.name(),
                         platform.legs(), platform.dof());
    if (const auto spins = idle_spins(model.robot()); !spins.empty())
      return fmt::format("rod '{}' may spin about its line, which 'platform' leaves out",
                         spins.front());
    return acts_elsewhere(model, drive_speeds(model, platform));
  } catch (const InputError& error) {
    const Problem& why = error.problems().front();
    const std::string reason = why.element.empty() ? why.message : why.element + " " + why.message;
    if (reason.find("'" + model.name() + "' is not a platform") != std::string::npos)
      return fmt::format("{} (expected {})", reason, why.expectation);
    return fmt::format("'platform' does not apply to robot '{}': {}", model.name(), reason);
  }
}

std::unique_ptr<WholeRoute> make_platform_route(const Model& model) {
  return std::make_unique<PlatformRoute>(model);
}

}  // namespace ulna
