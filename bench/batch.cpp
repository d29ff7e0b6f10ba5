#include "batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "ulna/dynamics/batch.hpp"
#include "ulna/generate/compile.hpp"
#include "ulna/model/parts/placement.hpp"
#include "ulna/numerics/internal/instruction_set.hpp"

namespace ulna::bench {
namespace {

/// A chain of general links, first axis along base z.
Model seven_joints() {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> length(0.1, 0.4), twist(0.3, 1.2);
  Robot robot;
  robot.name = "chain7";
  for (int i = 0; i < 7; ++i) {
    BodyData body;
    body.name = "b" + std::to_string(i);
    body.inertial = {2,
                     {length(generator), length(generator), length(generator)},
                     Eigen::Vector3d(0.03, 0.04, 0.05).asDiagonal()};
    JointData joint;
    joint.name = "j" + std::to_string(i);
    joint.type = JointType::revolute;
    joint.parent = i == 0 ? world_name : robot.bodies.back().name;
    joint.child = body.name;
    if (i > 0)
      joint.X_PF = modified_dh(0, length(generator), length(generator), twist(generator)).X_PF;
    robot.bodies.push_back(body);
    robot.joints.push_back(joint);
  }
  return Model(robot);
}

template <class Work>
double seconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

BatchFindings measure_batch(long states) {
  const Model model = seven_joints();
  Workspace work(model);
  const StateRows q = StateRows::Random(states, 7), v = StateRows::Random(states, 7),
                  a = StateRows::Random(states, 7);
  StateRows tau(states, 7);
  const auto plain = [&] {
    Eigen::VectorXd qi(7), vi(7), ai(7);
    for (long i = 0; i < states; ++i) {
      qi = q.row(i);
      vi = v.row(i);
      ai = a.row(i);
      tau.row(i) = inverse_dynamics(model, work, qi, vi, ai);
    }
  };
  BatchFindings least{states, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, name_of(instruction_set())};
  CompileOptions options;
  options.pack = 8;
  const CompiledFunction compiled = compile(model, "inverse", options);
  const double* in[] = {q.data(), v.data(), a.data()};
  double* out[] = {tau.data()};
  using Pack = void (*)(const double*, const double*, const double*, double*);
  const auto pack = reinterpret_cast<Pack>(compiled.pack_address());
  const auto one_by_one = [&] {
    for (long i = 0; i < states; ++i) {
      const double* from[] = {in[0] + 7 * i, in[1] + 7 * i, in[2] + 7 * i};
      double* to[] = {out[0] + 7 * i};
      compiled(from, to);
    }
  };
  const auto packs_alone = [&] {  // rows taken for packs: the numbers are as random
    for (long i = 0; i + 8 <= states; i += 8)
      pack(in[0] + 7 * i, in[1] + 7 * i, in[2] + 7 * i, out[0] + 7 * i);
  };
  const double to_ns = 1e9 / static_cast<double>(states);
  for (int round = 0; round < 7; ++round) {
    least.plain = std::min(least.plain, to_ns * seconds(plain));
    least.packs = std::min(
        least.packs, to_ns * seconds([&] { inverse_dynamics_batch(model, q, v, a, tau, 1); }));
    least.packs_two_threads =
        std::min(least.packs_two_threads,
                 to_ns * seconds([&] { inverse_dynamics_batch(model, q, v, a, tau, 2); }));
    const auto note = [&](double& time, const auto& job) {
      time = std::min(time, to_ns * seconds(job));
    };
    if (!compiled.compiled()) continue;
    note(least.compiled, one_by_one);
    note(least.compiled_pack, packs_alone);
    note(least.compiled_batch, [&] { compiled.batch(states, in, out, 1); });
    note(least.compiled_two_threads, [&] { compiled.batch(states, in, out, 2); });
  }
  return least;
}

void print_batch(const BatchFindings& f) {
  fmt::print("\nInverse dynamics of {} states, 7 joints, kernels {}\n", f.states,
             f.instruction_set);
  const auto row = [&](const char* name, double ns) {
    fmt::print("  {:<26}{:>10.1f} ns per state {:>12.3g} states per second {:>8.2f}x\n", name, ns,
               1e9 / ns, f.plain / ns);
  };
  row("one by one, one thread", f.plain);
  row("packs, one thread", f.packs);
  row("packs, two threads", f.packs_two_threads);
  row("compiled, one by one", f.compiled);
  row("compiled, pack of 8 alone", f.compiled_pack);
  row("compiled, packs", f.compiled_batch);
  row("compiled, two threads", f.compiled_two_threads);
}

}  // namespace ulna::bench
