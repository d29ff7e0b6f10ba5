#include "platforms.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <stdexcept>

#include "platform_peer.hpp"
#include "ulna/dynamics/internal/coordinate_transfer.hpp"
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

template <class Array>
Array plain(const auto& from) {
  Array to;
  for (std::size_t k = 0; k < to.size(); ++k) to[k] = from(static_cast<Eigen::Index>(k));
  return to;
}
Matrix3 by_rows(const ulna::Matrix3<double>& m) {
  return {m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2), m(2, 0), m(2, 1), m(2, 2)};
}

/// The robot as plain numbers: bodies by the joints of the tree, balls where legs meet the
/// platform.
PlatformSpec spec_of(const Model& model, const std::vector<int>& legs) {
  PlatformSpec spec;
  spec.gravity = plain<Vector3>(model.robot().gravity);
  spec.coordinates = model.coordinates();
  spec.speeds = model.speeds();
  spec.legs = legs;
  std::map<std::string, int> index = {{world_name, -1}};
  const auto joint_data = [&](const std::string& name) -> const JointData& {
    return *std::ranges::find(model.robot().joints, name, &JointData::name);
  };
  for (const Joint& joint : model.joints()) {
    const JointData& data = joint_data(joint.name);
    const BodyData& body = *std::ranges::find(model.robot().bodies, data.child, &BodyData::name);
    if (!data.X_MC.position.isZero() || !data.X_MC.rotation.isIdentity())
      throw std::runtime_error("joint frames away from those of the bodies");
    PlatformSpec::Body b;
    b.parent = index.at(data.parent);
    b.kind = joint.type == JointType::free       ? PlatformSpec::Kind::free
             : joint.type == JointType::revolute ? PlatformSpec::Kind::hinge
                                                 : PlatformSpec::Kind::slide;
    b.R_PJ = by_rows(data.X_PF.rotation);
    b.p_PJ = plain<Vector3>(data.X_PF.position);
    b.axis = plain<Vector3>(data.axis);
    b.mass = body.inertial.mass;
    b.p_BBcm = plain<Vector3>(body.inertial.centre);
    b.I_BBcm = by_rows(body.inertial.inertia);
    b.q = joint.q;
    b.v = joint.v;
    index[data.child] = static_cast<int>(spec.bodies.size());
    spec.bodies.push_back(b);
  }
  for (const Loop& loop : model.loops()) {
    const JointData& data = joint_data(loop.joint);
    if (data.type != JointType::spherical) throw std::runtime_error("loops not closed by balls");
    spec.balls.push_back({index.at(data.parent), index.at(data.child),
                          plain<Vector3>(data.X_PF.position),
                          plain<Vector3>(data.X_MC.inverse().position)});
  }
  return spec;
}

/// The modules stand beside the program; those that were not built are left out.
std::unique_ptr<PlatformPeer> load_peer(const std::string& name, const PlatformSpec& spec,
                                        std::vector<std::string>& missing) {
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  void* module = dlopen((here / ("bench_platform-" + name + ".so")).c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto make =
      module ? reinterpret_cast<decltype(&make_platform_peer)>(dlsym(module, "make_platform_peer"))
             : nullptr;
  if (!make) {
    missing.push_back(name + " is not there");
    return nullptr;
  }
  try {
    return std::unique_ptr<PlatformPeer>(make(spec));
  } catch (const std::exception& error) {
    missing.push_back(fmt::format("{}: {}", name, error.what()));
    return nullptr;
  }
}

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

  // Others, with what the legs' efforts of the motion above give.
  std::vector<PlatformState> states;
  std::vector<Eigen::VectorXd> efforts;
  for (std::size_t k = 0; k < path.size(); ++k) {
    efforts.push_back(loops.inverse(work, path.q[k], path.v[k], path.a[k], legs).tau);
    states.push_back({{path.q[k].begin(), path.q[k].end()},
                      {path.v[k].begin(), path.v[k].end()},
                      {efforts[k].begin(), efforts[k].end()}});
  }
  // And at rest, where nothing depends on how fast the rows of the loops turn.
  std::vector<Eigen::VectorXd> at_rest;
  for (std::size_t k = 0; k < path.size(); ++k) {
    at_rest.push_back(loops.forward(work, path.q[k], work.zero(), efforts[k]));
    states.push_back({states[k].q, std::vector<double>(states[k].v.size(), 0.0), states[k].tau});
  }
  const auto stray = [&](PlatformPeer& peer, bool resting) {
    double off = 0, size = 0;
    for (std::size_t k = 0; k < path.size(); ++k) {
      peer.forward(resting ? path.size() + k : k);
      const std::vector<double> a = peer.leg_accelerations();
      for (std::size_t i = 0; i < a.size(); ++i) {
        const double known = (resting ? at_rest : path.a)[k](legs.actuated[i]);
        off = std::max(off, std::abs(a[i] - known));
        size = std::max(size, std::abs(known));
      }
    }
    return off / size;
  };
  std::vector<std::unique_ptr<PlatformPeer>> peers;
  const PlatformSpec spec = spec_of(model, legs.actuated);
  for (const char* name : {"mujoco", "pinocchio", "pinocchio-o3"}) {
    auto peer = load_peer(name, spec, findings.missing);
    if (!peer) continue;
    peer->set_states(states);
    const std::string title = peer->name() + (std::string(name).ends_with("o3") ? ", -O3" : "");
    findings.peers.push_back({title, stray(*peer, true), stray(*peer, false)});
    peers.push_back(std::move(peer));
  }

  const auto around = [&](auto&& once) {
    return [&path, once](long count) {
      for (long i = 0; i < count; ++i) once(static_cast<std::size_t>(i) % path.size());
    };
  };
  Twist<double> acceleration;
  LoopEfforts needed;
  std::vector<Runner> all = {
      {"inverse kinematics with rates", around([&](std::size_t k) {
         platform.inverse(path.poses[k], path.twists[k], path.accelerations[k], motion);
       })},
      {"direct kinematics", around([&](std::size_t k) {
         direct(platform, path.drives[k], path.poses[(k + 99) % 100]);
       })},
      {"inverse dynamics, Newton-Euler per body", around([&](std::size_t k) {
         dynamics.inverse(path.poses[k], path.twists[k], path.accelerations[k]);
       })},
      {"inverse dynamics, embedding of loops", around([&](std::size_t k) {
         loops.inverse(work, path.q[k], path.v[k], path.a[k], legs, {}, needed);
       })},
      {"inverse dynamics, influence coefficients", around([&](std::size_t k) {
         const CoordinateMap map = map_from_inputs(closure, work, path.q[k], legs.actuated);
         transfer(dynamic_model(model, work, path.q[k]), map);
       })},
      {"forward dynamics, Newton-Euler per body", around([&](std::size_t k) {
         acceleration = dynamics.forward(path.poses[k], path.twists[k], Eigen::VectorXd::Zero(6));
       })},
      {"forward dynamics, multipliers of loops",
       around([&](std::size_t k) { loops.forward(work, path.q[k], path.v[k], efforts[k]); })},
      {"forward dynamics, embedding of loops", around([&](std::size_t k) {
         loops.forward(work, path.q[k], path.v[k], efforts[k], {}, LoopMethod::embedding);
       })}};
  for (std::size_t i = 0; i < peers.size(); ++i)
    all.push_back({"forward dynamics, " + findings.peers[i].name,
                   around([peer = peers[i].get()](std::size_t k) { peer->forward(k); })});
  findings.timings = measure(all, rounds);
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
  for (const auto& [name, at_rest, moving] : findings.peers)
    fmt::print(
        "  accelerations of {} differ by {:.1e} of the largest from rest, {:.1e} in motion\n", name,
        at_rest, moving);
  for (const std::string& why : findings.missing) fmt::print("  left out: {}\n", why);
}

}  // namespace ulna::bench
