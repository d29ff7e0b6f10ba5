// The T3R3 arm cuts a square plate: its tip goes round 0.5 m x 0.5 m in the plane x = 2 m at 1.27
// m/s (50 inches per second), in 40 points. Angles by the closed form, rates and accelerations by
// the general route (Jacobian) and by the exact 3x3 equations of the arm, which agree to rounding.
//
//   t3r3_plate            prints one line per point: place, angles (deg), rates, accelerations

#include <Eigen/LU>
#include <cmath>
#include <iomanip>
#include <iostream>

#include "plate.hpp"

int main() {
  const ulna::Model model(ulna::read_robot("t3r3").robot);
  double worst_rate = 0, worst_acceleration = 0;
  std::cout << "point      y      z   theta1   theta2   theta3 deg      rates 1/s                  "
               "accelerations 1/s^2\n"
            << std::fixed;
  for (const plate::Point& point : plate::cut(model)) {
    std::cout << std::setw(5) << point.number << std::setprecision(3) << std::setw(7)
              << point.position.y() << std::setw(7) << point.position.z() << std::setprecision(3);
    for (const double angle : point.q) std::cout << std::setw(9) << angle * 180 / M_PI;
    std::cout << std::setprecision(5) << "    ";
    for (const double rate : point.v) std::cout << std::setw(10) << rate;
    for (const double acceleration : point.a) std::cout << std::setw(10) << acceleration;
    std::cout << "\n";
    worst_rate = std::max(worst_rate, (point.v - point.exact_v).cwiseAbs().maxCoeff());
    worst_acceleration =
        std::max(worst_acceleration, (point.a - point.exact_a).cwiseAbs().maxCoeff());
  }
  std::cout << std::scientific << std::setprecision(1)
            << "\ngeneral and exact route differ by at most " << worst_rate << " in rates and "
            << worst_acceleration << " in accelerations\n";
  return worst_rate < 1e-12 && worst_acceleration < 1e-11 ? 0 : 1;
}
