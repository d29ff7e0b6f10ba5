// The interface behind which every library takes part in the benchmark.
//
// A contestant is given a robot as plain numbers, computes one task per call, and afterwards shows
// its result in a layout that is the same for all, so that results can be compared before anything
// is timed. Each contestant is a shared module of its own that exports nothing but
// `make_contestant`: template code which several of them share (Eigen above all) is then never
// merged between modules that were compiled with different flags.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace ulna::bench {

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<double, 9>;  // row major

// One moving body and the hinge that carries it: the body's frame is X_PJ turned by q about its z.
struct Link {
  int parent = -1;  // index of the parent link, -1 for the base
  Matrix3 R_PJ{};   // orientation of the hinge frame in the parent's frame
  Vector3 p_PJ{};   // its origin in the parent's frame
  double mass = 0;
  Vector3 p_BBcm{};  // centre of mass, in the body's frame
  Matrix3 I_BBcm{};  // inertia about the centre of mass, axes of the body's frame
};

// A tree of hinged bodies, parents before children; the tip is the last body's frame.
struct ChainSpec {
  std::string name;
  Vector3 gravity{0, 0, -9.81};
  std::vector<Link> links = {};

  bool is_chain() const {
    for (std::size_t i = 0; i < links.size(); ++i)
      if (links[i].parent != static_cast<int>(i) - 1) return false;
    return true;
  }
};

enum class Task {
  forward_kinematics,   // the poses of all bodies in the base
  tip_jacobian,         // of the tip's origin, expressed in the base, from q alone
  inverse_dynamics,     // efforts from q, v, a
  mass_matrix,          // from q alone; one triangle is enough
  forward_dynamics,     // accelerations from q, v, tau
  inverse_derivatives,  // d tau / d(q, v, a) at q, v, a
  forward_derivatives,  // d a / d(q, v, tau) at q, v, tau
};

inline constexpr std::array all_tasks = {Task::forward_kinematics, Task::tip_jacobian,
                                         Task::inverse_dynamics,   Task::mass_matrix,
                                         Task::forward_dynamics,   Task::inverse_derivatives,
                                         Task::forward_derivatives};

constexpr const char* name_of(Task task) {
  constexpr std::array names = {"forward_kinematics", "tip_jacobian",     "inverse_dynamics",
                                "mass_matrix",        "forward_dynamics", "inverse_derivatives",
                                "forward_derivatives"};
  return names[static_cast<std::size_t>(task)];
}

class Contestant {
 public:
  virtual ~Contestant() = default;

  virtual std::string name() const = 0;
  // Version and flags, for the foot of the table.
  virtual std::string description() const = 0;
  // How far its results may stray from the others', relative to the largest entry.
  virtual double tolerance() const { return 1e-9; }

  virtual bool supports(Task task) const = 0;
  // Throws std::runtime_error with the reason when the robot cannot be taken.
  virtual void load(const ChainSpec& spec) = 0;

  // One evaluation; `u` holds accelerations or efforts, as the task asks. This call is timed.
  virtual void run(Task task, const double* q, const double* v, const double* u) = 0;

  // The last result of `task`, not timed, matrices row major:
  //   forward_kinematics   per body R (9) and p (3)
  //   tip_jacobian         6 x n, rotation rows first
  //   inverse_dynamics     tau (n)
  //   mass_matrix          M (n x n), both triangles
  //   forward_dynamics     a (n)
  //   inverse_derivatives  dtau/dq, dtau/dv, dtau/da (n x n each, both triangles of the last)
  //   forward_derivatives  da/dq, da/dv, da/dtau (n x n each)
  virtual std::vector<double> result(Task task) const = 0;
};

}  // namespace ulna::bench

// What a contestant's module exports; the caller owns the object.
extern "C" __attribute__((visibility("default"))) ulna::bench::Contestant* make_contestant();
