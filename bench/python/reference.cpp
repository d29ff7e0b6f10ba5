// What the calls of bench/python/bench.py cost in C++: the same robot, the same states, arrays in
// and arrays out. One line of JSON with least times in nanoseconds.
//
//   ulna-python-reference ROBOT [STATES]

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "ulna/dynamics/batch.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace {

using Clock = std::chrono::steady_clock;

/// Least time of one call over `rounds` rounds of `calls`.
template <class Call>
double least(int rounds, long calls, const Call& call) {
  double best = 1e30;
  for (int round = 0; round < rounds; ++round) {
    const auto begin = Clock::now();
    for (long k = 0; k < calls; ++k) call();
    const std::chrono::duration<double, std::nano> spent = Clock::now() - begin;
    best = std::min(best, spent.count() / static_cast<double>(calls));
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ulna;
  if (argc < 2) return 2;
  const Model model(read_robot(argv[1]).robot);
  const long states = argc > 2 ? std::atol(argv[2]) : 100'000;
  Workspace work(model);
  const int n = model.speeds();
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(n, 0.1, 0.9), v = q, a = q;
  Eigen::VectorXd out(n);
  Eigen::MatrixXd M(n, n);
  // Rounds are short, so that some of them pass undisturbed also on a busy machine.
  constexpr int rounds = 1000;
  constexpr long calls = 100;
  const double inverse =
      least(rounds, calls, [&] { out = inverse_dynamics(model, work, q, v, a); });
  const double forward =
      least(rounds, calls, [&] { out = forward_dynamics(model, work, q, v, a); });
  const double gravity = least(rounds, calls, [&] { out = gravity_efforts(model, work, q); });
  const double mass = least(rounds, calls, [&] { M = mass_matrix(model, work, q); });
  Jacobian J(6, n);
  const double jac =
      least(rounds, calls, [&] { J = jacobian(model, work, q, {model.tip_frame()}); });
  Pose<double> X;
  const double fk = least(rounds, calls, [&] {
    update_poses(model, work, q);
    X = frame_pose(model, work, model.tip_frame());
  });
  const StateRows Q = StateRows::Random(states, n), V = StateRows::Random(states, n),
                  A = StateRows::Random(states, n);
  const double batch = least(60, 1, [&] {
    StateRows tau(states, n);  // Python's call makes its result, too
    inverse_dynamics_batch(model, Q, V, A, tau);
  });
  std::printf(
      "{\"inverse_dynamics\": %.1f, \"forward_dynamics\": %.1f, \"gravity\": %.1f, "
      "\"mass_matrix\": %.1f, \"jacobian\": %.1f, \"fk\": %.1f, \"batch\": %.1f}\n",
      inverse, forward, gravity, mass, jac, fk, batch);
  return J.allFinite() && M.allFinite() && out.allFinite() && X.position.allFinite() ? 0 : 1;
}
