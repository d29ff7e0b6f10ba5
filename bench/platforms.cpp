#include "platforms.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <random>
#include <stdexcept>

#include "ulna/dynamics/coordinate_transfer.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/dynamics/platform_dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/platform_direct.hpp"
#include "ulna/kinematics/platform_posture.hpp"

namespace ulna::bench {
namespace {

/// A smooth loop of poses well inside the workspace; neighbours are a hundredth of it apart.
struct Path {
  std::vector<Pose<double>> poses;
  std::vector<Twist<double>> twists, accelerations;
  std::vector<Eigen::VectorXd> drives, q, v, a;

  Path(const Model& model, const Platform& platform) {
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<double> unit(-1, 1);
    PlatformMotion motion(platform);
    for (int k = 0; k < 100; ++k) {
      const double s = 2 * M_PI * k / 100;
      Pose<double> pose = platform.data().home;
      pose.position += Eigen::Vector3d(0.5 + 0.3 * std::cos(s), 0.3 * std::sin(s), 0.2);
      pose.rotation =
          Eigen::AngleAxisd(-0.6 + 0.2 * std::sin(s), Eigen::Vector3d(1, 0.1, 0.2).normalized()) *
          pose.rotation;
      const auto random = [&] {
        return Twist<double>{{unit(generator), unit(generator), unit(generator)},
                             {unit(generator), unit(generator), unit(generator)}};
      };
      poses.push_back(pose);
      twists.push_back(random());
      accelerations.push_back(random());
      platform.inverse(pose, motion);
      drives.push_back(motion.q());
      q.push_back(platform_posture(model, platform, pose));
      const PlatformRates rates =
          platform_rates(model, platform, q.back(), twists.back(), accelerations.back());
      v.push_back(rates.v);
      a.push_back(rates.a);
    }
  }
  std::size_t size() const { return poses.size(); }
};

}  // namespace

PlatformFindings measure_platforms(int rounds) {
  const Robot robot = read_robot("ddts").robot;
  const Model model(robot);
  const Platform platform(platform_of(robot));
  const Path path(model, platform);
  PlatformMotion motion(platform);
  PlatformDynamics dynamics(platform);
  LoopDynamics loops(model);
  LoopClosure closure(model);
  Workspace work(model);
  LoopInverseOptions legs;
  legs.actuated = drive_speeds(model, platform);

  PlatformFindings findings;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const Eigen::VectorXd F =
        dynamics.inverse(path.poses[k], path.twists[k], path.accelerations[k]);
    const Eigen::VectorXd by_loops =
        loops.inverse(work, path.q[k], path.v[k], path.a[k], legs).tau(legs.actuated);
    const CoordinateMap map = map_from_inputs(closure, work, path.q[k], legs.actuated);
    const Eigen::VectorXd by_influence =
        transfer(dynamic_model(model, work, path.q[k]), map)
            .efforts(dynamics.motion().rates(), dynamics.motion().accelerations());
    const double size = F.cwiseAbs().maxCoeff();
    findings.disagreement =
        std::max({findings.disagreement, (by_loops - F).cwiseAbs().maxCoeff() / size,
                  (by_influence - F).cwiseAbs().maxCoeff() / size});
    const DirectPose found = direct(platform, path.drives[k], path.poses[(k + 99) % 100]);
    findings.iterations += found.iterations / 100.0;
    if ((found.pose.position - path.poses[k].position).norm() > 1e-11)
      throw std::runtime_error("direct kinematics of ddts does not return the pose");
  }
  if (!(findings.disagreement < 1e-9))
    throw std::runtime_error(
        fmt::format("the routes to the forces of ddts differ by {:.2g}", findings.disagreement));

  const auto around = [&](auto&& once) {
    return [&path, once](long count) {
      for (long i = 0; i < count; ++i) once(static_cast<std::size_t>(i) % path.size());
    };
  };
  Twist<double> acceleration;
  findings.timings = measure(
      {{"inverse kinematics with rates", around([&](std::size_t k) {
          platform.inverse(path.poses[k], path.twists[k], path.accelerations[k], motion);
        })},
       {"direct kinematics", around([&](std::size_t k) {
          direct(platform, path.drives[k], path.poses[(k + 99) % 100]);
        })},
       {"inverse dynamics, Newton-Euler per body", around([&](std::size_t k) {
          dynamics.inverse(path.poses[k], path.twists[k], path.accelerations[k]);
        })},
       {"inverse dynamics, embedding of loops",
        around([&](std::size_t k) { loops.inverse(work, path.q[k], path.v[k], path.a[k], legs); })},
       {"inverse dynamics, influence coefficients", around([&](std::size_t k) {
          const CoordinateMap map = map_from_inputs(closure, work, path.q[k], legs.actuated);
          transfer(dynamic_model(model, work, path.q[k]), map);
        })},
       {"forward dynamics, Newton-Euler per body", around([&](std::size_t k) {
          acceleration = dynamics.forward(path.poses[k], path.twists[k], Eigen::VectorXd::Zero(6));
        })},
       {"forward dynamics, multipliers of loops",
        around([&](std::size_t k) { loops.forward(work, path.q[k], path.v[k], work.zero()); })}},
      rounds);
  return findings;
}

void print_platforms(const PlatformFindings& findings) {
  fmt::print("\nddts, a platform on six legs with full dynamics; microseconds, least (median)\n");
  for (const auto& [name, time] : findings.timings)
    fmt::print("  {:<46} {:>9.3f} ({:.3f})\n", name, time.least_ns * 1e-3, time.median_ns * 1e-3);
  fmt::print(
      "  three routes agree to {:.1e} of the largest force; {:.1f} iterations of direct "
      "kinematics\n",
      findings.disagreement, findings.iterations);
}

}  // namespace ulna::bench
