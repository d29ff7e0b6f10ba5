// The efforts that hold a Puma 560 still, and those that move a four-bar, computed by an installed
// Ulna.
#include <iostream>
#include <ulna/ulna.hpp>

int main() {
  const ulna::Model model(ulna::read_robot("puma560").robot);
  ulna::Dynamics dynamics(model);

  const Eigen::VectorXd q = model.neutral();
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(6);
  const Eigen::VectorXd a = Eigen::VectorXd::Zero(6);
  const Eigen::VectorXd tau = dynamics.inverse(q, v, a).tau;
  const Eigen::VectorXd back = dynamics.forward(q, v, tau);
  const ulna::Jacobian J = ulna::jacobian(model, dynamics.work(), q, {model.tip_frame()});
  std::cout << "tau = " << tau.transpose() << " N m\n" << J << "\n";

  const ulna::Model four_bar(ulna::read_robot("four-bar").robot);
  const Eigen::VectorXd closed = ulna::assembled(four_bar), still = Eigen::VectorXd::Zero(3);
  const Eigen::VectorXd held = ulna::Dynamics(four_bar, {"kane"}).inverse(closed, still, still).tau;
  std::cout << "tau = " << held.transpose() << " N m\n";
  return tau.size() == 6 && tau.allFinite() && tau.norm() > 1 && back.norm() < 1e-9 &&
                 held.allFinite()
             ? 0
             : 1;
}
