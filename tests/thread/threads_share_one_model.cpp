// Threads share one model, each with its own workspace: compiled with the thread sanitizer, which
// ends the program when two of them touch the same memory and one writes. With --one-workspace they
// do.

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "support/random_robot.hpp"
#include "ulna/dynamics/batch.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {
namespace {

using testing::Generator;
using testing::random_entries;

Model any_robot() {
  Generator g(4);
  testing::RobotRecipe recipe;
  recipe.bodies = 10;
  recipe.types = testing::all_moving_types;
  recipe.branches = true;
  recipe.friction = true;
  return Model(testing::random_robot(g, recipe));
}

struct State {
  Eigen::VectorXd q, v, a;
};

State any_state(const Model& model) {
  Generator g(4);
  return {model.random(g), random_entries(g, model.speeds()), random_entries(g, model.speeds())};
}

// The answers of one thread; equal for all, as they compute the same.
Eigen::VectorXd everything(const Model& model, const State& s) {
  Workspace work(model);
  DerivativeWorkspace derivatives(model);
  Eigen::VectorXd tau, back;
  for (int k = 0; k < 20; ++k) {
    update_motions(model, work, s.q, s.v, s.a);
    frame_pose(model, work, model.tip_frame());
    jacobian(model, work, s.q, {model.tip_frame()});
    mass_matrix(model, work, s.q);
    energy(model, work, s.q, s.v);
    tau = inverse_dynamics(model, work, s.q, s.v, s.a);
    back = forward_dynamics(model, work, s.q, s.v, tau);
    inverse_dynamics_derivatives(model, work, derivatives, s.q, s.v, s.a);
    forward_dynamics_derivatives(model, work, derivatives, s.q, s.v, tau);
  }
  Eigen::VectorXd answers(tau.size() + back.size());
  answers << tau, back;
  return answers;
}

// A batch that starts threads of its own (it does for some thousand states each).
Eigen::VectorXd batch(const Model& model, const State& s) {
  const int states = 8192;
  const StateRows q = s.q.transpose().replicate(states, 1),
                  v = s.v.transpose().replicate(states, 1),
                  a = s.a.transpose().replicate(states, 1);
  StateRows tau(states, model.speeds());
  inverse_dynamics_batch(model, q, v, a, tau, 3);
  return tau.row(states - 1);
}

int share_model(int threads) {
  const Model model = any_robot();
  const State state = any_state(model);
  std::vector<Eigen::VectorXd> answers(threads), batches(threads);
  std::vector<std::thread> crew;
  // Nothing has run yet: what is made on first use is made by all of them at once.
  for (int i = 0; i < threads; ++i)
    crew.emplace_back([&, i] {
      answers[i] = everything(model, state);
      batches[i] = batch(model, state);
    });
  for (std::thread& thread : crew) thread.join();
  int wrong = 0;
  for (int i = 1; i < threads; ++i) wrong += answers[i] != answers[0] || batches[i] != batches[0];
  if (wrong > 0) std::fprintf(stderr, "%d of %d threads got another answer\n", wrong, threads);
  return wrong > 0;
}

int share_workspace() {
  const Model model = any_robot();
  const State state = any_state(model);
  Workspace work(model);
  const auto run = [&] {
    for (int k = 0; k < 200; ++k) inverse_dynamics(model, work, state.q, state.v, state.a);
  };
  std::thread one(run), two(run);
  one.join();
  two.join();
  return 0;
}

}  // namespace
}  // namespace ulna

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--one-workspace") return ulna::share_workspace();
  return ulna::share_model(3);
}
