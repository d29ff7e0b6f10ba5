#include "flexible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/elastic/modal_body.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/motion/spin_up.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna::bench {
namespace {

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

Experiment spin_up() {
  Robot robot = with_rigid_links(read_robot("flexible-two-link").robot, {"inboard"});
  Experiment e(std::make_shared<const Model>(with_bending_modes(std::move(robot), 2)));
  e.end = 15;
  e.drives = {{DriveKind::locked, {}, {}, {}},
              {DriveKind::motion, {std::make_shared<SpinUp>(6, 15)}, {}, {}}};
  e.integrator.tolerances = {1e-6, 1e-8};
  e.record.interval = 0.1;
  e.record.channels = {"deflection.outboard"};
  return e;
}

/// Links one after the other, two bending modes in each plane.
Robot chain(int links) {
  Robot robot;
  robot.name = "chain";
  for (int i = 0; i < links; ++i) {
    BodyData body;
    body.name = fmt::format("b{}", i);
    BeamData beam;
    beam.to = {0.5, 0, 0};
    BeamProperties p;
    p.EIy = p.EIz = 20;
    p.mass = 1;
    beam.products = p;
    beam.flexible = FlexibleData{};
    body.beams = {beam};
    JointData joint;
    joint.name = fmt::format("j{}", i);
    joint.type = JointType::revolute;
    joint.axis = i % 2 == 0 ? Vector3<double>::UnitZ() : Vector3<double>::UnitY();
    joint.parent = i == 0 ? world_name : fmt::format("b{}", i - 1);
    joint.child = body.name;
    if (i > 0) joint.X_PF.position = {0.5, 0, 0};
    robot.bodies.push_back(body);
    robot.joints.push_back(joint);
  }
  make_flexible(robot);
  return robot;
}

double forward_ns(int links) {
  const Model model(chain(links));
  Workspace work(model);
  Eigen::VectorXd q = Eigen::VectorXd::Constant(model.coordinates(), 0.01);
  const Eigen::VectorXd v = Eigen::VectorXd::Constant(model.speeds(), 0.1), tau = v;
  const int calls = 20000 / links;
  double least = 1e9;
  for (int round = 0; round < 20; ++round) {
    const double begin = now();
    for (int k = 0; k < calls; ++k) q(0) += 1e-12 * forward_dynamics(model, work, q, v, tau)(0);
    least = std::min(least, (now() - begin) / calls);
  }
  return 1e9 * least;
}

}  // namespace

FlexibleFindings measure_flexible() {
  FlexibleFindings findings;
  const Experiment e = spin_up();
  findings.spin_up = {"spin-up of a flexible link", e.end, 1e9, 0};
  for (int round = 0; round < 10; ++round) {
    const RunSummary summary = simulate(e, RunOptions{});
    findings.spin_up.seconds = std::min(findings.spin_up.seconds, summary.wall_seconds);
    findings.spin_up.evaluations = summary.statistics.evaluations;
  }
  for (const int links : {1, 2, 4, 8, 16, 32})
    findings.links_ns.emplace_back(links, forward_ns(links));
  return findings;
}

void print_flexible(const FlexibleFindings& findings) {
  const SimulatedRun& run = findings.spin_up;
  fmt::print("\nFlexible links, one core\n");
  fmt::print("  {:<28}{:>9.3f} ms {:>10.0f} times real time {:>8} evaluations\n", run.name,
             1e3 * run.seconds, run.times_real_time(), run.evaluations);
  for (std::size_t k = 0; k < findings.links_ns.size(); ++k) {
    const auto [links, ns] = findings.links_ns[k];
    fmt::print("  forward dynamics of {:>3} links{:>11.0f} ns{}\n", links, ns,
               k == 0 ? ""
                      : fmt::format(", {:.2f} times that of half as many",
                                    ns / findings.links_ns[k - 1].second));
  }
}

}  // namespace ulna::bench
