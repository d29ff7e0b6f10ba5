#include "structures.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <memory>
#include <numbers>
#include <string>

#include "ulna/elastic/beam_structure.hpp"
#include "ulna/elastic/natural_modes.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/structure/sweep.hpp"

namespace ulna::bench {
namespace {

using Vec = Vector3<double>;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double cpu_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// n x n x n nodes, joined along the three axes by members of `per_member` elements; the floor is
/// clamped. Steel bars of 20 mm, cells of 0.5 m.
elastic::BeamStructure lattice(int n, int per_member) {
  BeamData bar;
  bar.to = Vec(1, 0, 0);
  bar.material = material_named("steel");
  Section round;
  round.shape = Section::Shape::round;
  round.height = 0.02;
  bar.sections = {round};
  const BeamProperties p = properties_of(bar);
  const double cell = 0.5;
  elastic::BeamStructure frame;
  const auto at = [n](int i, int j, int k) { return (k * n + j) * n + i; };
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const Vec position = cell * Vec(i, j, k);
        if (k == 0)
          frame.add_clamped_node("floor", position);
        else
          frame.add_node("node", position);
      }
  const auto member = [&](int a, int b) {
    const Vec from = frame.nodes()[a].position, to = frame.nodes()[b].position;
    BeamData line = bar;
    line.from = from, line.to = to;
    const Matrix3<double> axes = section_axes(line);
    int last = a;
    for (int e = 1; e <= per_member; ++e) {
      const int next =
          e == per_member ? b : frame.add_node("middle", from + (to - from) * e / per_member);
      frame.add_element({"bar", last, next, axes, cell / per_member, p});
      last = next;
    }
  };
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        if (i + 1 < n) member(at(i, j, k), at(i + 1, j, k));
        if (j + 1 < n) member(at(i, j, k), at(i, j + 1, k));
        if (k + 1 < n) member(at(i, j, k), at(i, j, k + 1));
      }
  return frame;
}

// Linux counts the peak anew after this; what was measured before shall not show in it.
void forget_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

double peak_memory_mb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

LatticeRow measure_lattice(int n) {
  forget_peak_memory();
  const auto start = Clock::now();
  const std::clock_t cpu = std::clock();
  const elastic::SystemMatrices system = lattice(n, 5).assemble();
  elastic::EigenOptions options;
  options.count = 10;
  const elastic::NaturalModes modes = elastic::natural_modes(system, options);
  return {n,
          system.size(),
          since(start),
          cpu_since(cpu),
          peak_memory_mb(),
          modes.omega(0) / (2 * std::numbers::pi),
          modes.residual.maxCoeff()};
}

}  // namespace

StructureFindings measure_structures(bool quick) {
  StructureFindings found;
  for (const int n : {6, 8, 11})
    if (!quick || n < 11) found.lattices.push_back(measure_lattice(n));
  const auto model = std::make_shared<const Model>(read_robot("t3r3-frame").robot);
  std::vector<StructureVariant> postures;
  for (int k = 0; k < 1000; ++k)
    postures.push_back({"", double(k), model, Eigen::Vector3d(0.1, 0.002 * k, -1.2 + 0.001 * k)});
  SweepOptions options;
  options.structure.joints = JointHold::locked;
  options.count = 6;
  options.threads = 2;
  const auto start = Clock::now();
  const std::clock_t cpu = std::clock();
  sweep_modes(postures, options);
  found.sweep_seconds = since(start);
  found.sweep_cpu_seconds = cpu_since(cpu);
  found.postures = static_cast<int>(postures.size());
  return found;
}

void print_structures(const StructureFindings& findings) {
  fmt::print("\nTen modes of a clamped lattice of beams, five elements a member\n");
  fmt::print("{:>8} {:>10} {:>8} {:>8} {:>8} {:>10} {:>10}\n", "nodes", "freedoms", "s", "cpu s",
             "MB", "first Hz", "residual");
  for (const LatticeRow& row : findings.lattices)
    fmt::print("{:>6}^3 {:>10} {:>8.2f} {:>8.2f} {:>8.0f} {:>10.4f} {:>10.1e}\n", row.cells,
               row.freedoms, row.seconds, row.cpu_seconds, row.memory_mb, row.first_hertz,
               row.residual);
  fmt::print("{} postures of an arm of 66 freedoms, two threads: {:.2f} s ({:.2f} s of cpu)\n",
             findings.postures, findings.sweep_seconds, findings.sweep_cpu_seconds);
}

}  // namespace ulna::bench
