// Runs one algorithm a number of times on a general arm of six joints: fodder for callgrind.
//
//   kernel_instructions TASK COUNT

#include <cstdlib>
#include <iostream>
#include <map>

#include "../support/random_robot.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/kinematics/kinematics.hpp"

int main(int argc, char** argv) {
  using namespace ulna;
  testing::Generator g(1);
  const Model model(testing::general_chain(g, 6));
  Workspace work(model);
  DerivativeWorkspace derivatives(model);
  Kane kane(model);
  Dynamics dynamics(model);
  const Eigen::VectorXd q = model.random(g), v = testing::random_entries(g, 6),
                        u = testing::random_entries(g, 6);
  const std::map<std::string, std::function<void()>> tasks = {
      {"forward_kinematics", [&] { update_poses(model, work, q); }},
      {"tip_jacobian", [&] { jacobian(model, work, q, {model.tip_frame()}); }},
      {"inverse_dynamics", [&] { inverse_dynamics(model, work, q, v, u); }},
      {"kane", [&] { kane.inverse(work, q, v, u); }},
      {"mass_matrix", [&] { mass_matrix(model, work, q); }},
      {"forward_dynamics", [&] { forward_dynamics(model, work, q, v, u); }},
      {"dynamics_inverse", [&] { dynamics.inverse(q, v, u); }},
      {"dynamics_mass", [&] { dynamics.mass_matrix(q); }},
      {"dynamics_forward", [&] { dynamics.forward(q, v, u); }},
      {"inverse_derivatives",
       [&] { inverse_dynamics_derivatives(model, work, derivatives, q, v, u); }},
      {"forward_derivatives",
       [&] { forward_dynamics_derivatives(model, work, derivatives, q, v, u); }},
  };
  const auto task = argc == 3 ? tasks.find(argv[1]) : tasks.end();
  if (task == tasks.end()) {
    std::cerr << "usage: kernel_instructions TASK COUNT\n";
    return 2;
  }
  for (int k = std::atoi(argv[2]); k > 0; --k) task->second();
}
