// ulna-bench-ik ROBOT[:FRAME]...: inverse kinematics of reachable random poses, in time and in how
// many are reached, beside Orocos KDL (Levenberg-Marquardt with as many random restarts) where it
// is installed. The start is the neutral posture, the poses those of postures within the limits.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/inverse_kinematics.hpp"

#ifdef BENCH_WITH_KDL
#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#endif

namespace ulna::bench {
namespace {

constexpr int poses = 10'000;
constexpr int restarts = 50;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Outcome {
  int reached = 0;
  std::vector<double> times;
  void print(const std::string& name) {
    std::sort(times.begin(), times.end());
    const auto at = [&](double share) {
      return 1e6 * times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
    };
    fmt::print("  {:<22} {:>6} of {}   median {:8.1f} us   90 % {:8.1f} us   99 % {:8.1f} us\n",
               name, reached, times.size(), at(0.5), at(0.9), at(0.99));
  }
};

struct Problem {
  const Model& model;
  int frame;
  std::vector<Pose<double>> targets;
};

Problem reachable_poses(const Model& model, int frame) {
  Problem problem{model, frame, {}};
  std::mt19937_64 generator(11);
  Workspace work(model);
  for (int k = 0; k < poses; ++k) {
    update_poses(model, work, model.random(generator));
    problem.targets.push_back(frame_pose(model, work, frame));
  }
  return problem;
}

/// Reached: 1e-10 m and rad together.
Outcome by_ulna(const Problem& problem, bool all) {
  Outcome outcome;
  InverseKinematicsOptions options;
  options.restarts = restarts;
  options.all = all;
  for (const Pose<double>& X : problem.targets) {
    const double begin = seconds();
    const InverseKinematicsResult found =
        inverse_kinematics(problem.model, {problem.frame, X.position, X.rotation}, options);
    outcome.times.push_back(seconds() - begin);
    outcome.reached += !found.solutions.empty();
  }
  return outcome;
}

#ifdef BENCH_WITH_KDL
KDL::Vector to_kdl(const Vector3<double>& v) { return {v.x(), v.y(), v.z()}; }
KDL::Frame to_kdl(const Pose<double>& X) {
  const Matrix3<double>& R = X.rotation;
  return {{R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)},
          to_kdl(X.position)};
}

/// The axes in the world at zero, one segment each; of the joints that carry the frame.
KDL::Chain chain_of(const Problem& problem, std::vector<int>& coordinates) {
  const Model& model = problem.model;
  Workspace work(model);
  const Jacobian J = jacobian(model, work, Eigen::VectorXd::Zero(model.speeds()), {problem.frame});
  const Pose<double> tip = frame_pose(model, work, problem.frame);
  KDL::Chain chain;
  for (int k = 0; k < model.speeds(); ++k) {
    const Vector3<double> d = J.col(k).head<3>(), v = J.col(k).tail<3>();
    if (d.norm() < 0.5) continue;
    chain.addSegment(KDL::Segment(KDL::Joint("", to_kdl(Vector3<double>(tip.position + d.cross(v))),
                                             to_kdl(d), KDL::Joint::RotAxis)));
    coordinates.push_back(k);
  }
  chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::None), to_kdl(tip)));
  return chain;
}

/// KDL's solver knows no limits: a posture beyond them does not count, and the next start follows.
Outcome by_kdl(const Problem& problem) {
  const Model& model = problem.model;
  std::vector<int> coordinates;
  const KDL::Chain chain = chain_of(problem, coordinates);
  KDL::ChainIkSolverPos_LMA solver(chain, 1e-10, 200, 1e-15);
  const auto n = static_cast<unsigned>(coordinates.size());
  KDL::JntArray start(n), q(n);
  Outcome outcome;
  for (const Pose<double>& X : problem.targets) {
    std::mt19937_64 generator(1);
    const KDL::Frame goal = to_kdl(X);
    Eigen::VectorXd from = model.neutral();
    const double begin = seconds();
    for (int trial = 0; trial <= restarts; ++trial) {
      for (unsigned k = 0; k < n; ++k) start(k) = from(coordinates[k]);
      bool good = solver.CartToJnt(start, goal, q) == 0;
      for (unsigned k = 0; k < n && good; ++k) {
        const int c = coordinates[k];
        double angle = std::remainder(q(k), 2 * M_PI);
        if (angle < model.lower()(c)) angle += 2 * M_PI;
        if (angle > model.upper()(c)) angle -= 2 * M_PI;
        good = angle >= model.lower()(c) && angle <= model.upper()(c);
      }
      if (good) {
        ++outcome.reached;
        break;
      }
      from = model.random(generator);
    }
    outcome.times.push_back(seconds() - begin);
  }
  return outcome;
}
#endif

void measure(const std::string& argument) {
  const std::size_t colon = argument.rfind(':');
  const Model model(read_robot(argument.substr(0, colon)).robot);
  const int frame =
      colon == std::string::npos ? model.tip_frame() : model.frame(argument.substr(colon + 1));
  const Problem problem = reachable_poses(model, frame);
  fmt::print("{}, frame '{}', {} coordinates\n", model.name(), model.frames()[frame].name,
             model.coordinates());
  by_ulna(problem, false).print("ulna");
  if (model.coordinates() == 6) by_ulna(problem, true).print("ulna, all postures");
#ifdef BENCH_WITH_KDL
  by_kdl(problem).print("KDL LMA, restarts");
#endif
}

}  // namespace
}  // namespace ulna::bench

int main(int count, char** words) {
  try {
    for (int k = 1; k < count; ++k) ulna::bench::measure(words[k]);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "ulna-bench-ik: {}\n", error.what());
    return 1;
  }
}
