// The torques of the Intelledex 605 along the motion of Nie's thesis (1988): a cycloidal swing of
// all six joints in two seconds. Prints a table and writes every 0.02 s to a file.
//
//   intelledex_torques torques.csv

#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <ulna/dynamics/inverse_dynamics.hpp>
#include <ulna/formats/read_robot.hpp>

namespace {

struct State {
  Eigen::VectorXd q = Eigen::VectorXd(6), v = Eigen::VectorXd(6), a = Eigen::VectorXd(6);
};

/// Joint 2 swings from 90 to 60 degrees, all others from 0 to 60, along s = t/T - sin(2 pi t/T)/(2
/// pi).
State motion(double t) {
  constexpr double T = 2, third = M_PI / 3, turn = 2 * M_PI / T;
  State state;
  state.q.setConstant(third * (t / T - std::sin(turn * t) / (2 * M_PI)));
  state.v.setConstant(third / T * (1 - std::cos(turn * t)));
  state.a.setConstant(third / T * turn * std::sin(turn * t));
  state.q(1) = M_PI / 2 - state.q(1) / 2;
  state.v(1) /= -2;
  state.a(1) /= -2;
  return state;
}

}  // namespace

int main(int argc, char** argv) {
  const ulna::Model model(ulna::read_robot("intelledex605").robot);
  ulna::Workspace work(model);
  std::ofstream file;
  if (argc > 1) file.open(argv[1]);
  if (argc > 1 && !file) {
    std::cerr << "cannot write " << argv[1] << "\n";
    return 2;
  }
  file << "t [s],tau1 [N m],tau2 [N m],tau3 [N m],tau4 [N m],tau5 [N m],tau6 [N m]\n"
       << std::setprecision(17);
  std::cout << "Torques of the Intelledex 605 along its motion, N m\n"
            << "   t [s]        tau1        tau2        tau3        tau4        tau5        tau6\n"
            << std::fixed;
  for (int k = 0; k <= 100; ++k) {
    const State s = motion(0.02 * k);
    const Eigen::VectorXd& tau = ulna::inverse_dynamics(model, work, s.q, s.v, s.a);
    file << 0.02 * k;
    for (double x : tau) file << "," << x;
    file << "\n";
    if (k % 10 != 0) continue;
    std::cout << std::setprecision(2) << std::setw(8) << 0.02 * k << std::setprecision(6);
    for (double x : tau) std::cout << std::setw(12) << x;
    std::cout << "\n";
  }
  file.close();
  if (argc > 1) std::cout << "wrote " << argv[1] << "\n";
  return file ? 0 : 1;
}
