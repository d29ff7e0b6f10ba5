// The efforts that hold a Puma 560 still in its zero posture, computed by an installed Ulna.
#include <iostream>
#include <ulna/dynamics/inverse_dynamics.hpp>
#include <ulna/formats/read_robot.hpp>
#include <ulna/model/model.hpp>

int main() {
  const ulna::Model model(ulna::read_robot("puma560").robot);
  ulna::Workspace work(model);

  const Eigen::VectorXd q = model.neutral();
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(6);
  const Eigen::VectorXd a = Eigen::VectorXd::Zero(6);
  const Eigen::VectorXd tau = ulna::inverse_dynamics(model, work, q, v, a);

  std::cout << "tau = " << tau.transpose() << " N m\n";
  return tau.size() == 6 && tau.allFinite() && tau.norm() > 1 ? 0 : 1;
}
