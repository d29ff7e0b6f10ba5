#include <Eigen/Geometry>
#include <numbers>

#include "random_numbers.hpp"
#include "robots.hpp"

namespace ulna::bench {
namespace {

using Matrix3RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Matrix3 row_major(const Eigen::Matrix3d& m) {
  Matrix3 out;
  Eigen::Map<Matrix3RowMajor>(out.data()) = m;
  return out;
}

Eigen::Matrix3d random_rotation(RandomNumbers& random) {
  constexpr double pi = std::numbers::pi;
  return (Eigen::AngleAxisd(random.within(pi), Eigen::Vector3d::UnitZ()) *
          Eigen::AngleAxisd(random.within(pi / 2), Eigen::Vector3d::UnitY()) *
          Eigen::AngleAxisd(random.within(pi), Eigen::Vector3d::UnitX()))
      .toRotationMatrix();
}

// The inertia of a box of random sides, turned at random: always that of a possible body.
Eigen::Matrix3d random_inertia(double mass, RandomNumbers& random) {
  Eigen::Vector3d squares;
  for (double& square : squares) square = std::pow(random.between(0.1, 0.4), 2);
  const Eigen::Vector3d moments = mass / 12 * (squares.sum() - squares.array());
  const Eigen::Matrix3d R = random_rotation(random);
  return R * moments.asDiagonal() * R.transpose();
}

}  // namespace

ChainSpec random_chain(int links) {
  RandomNumbers random(static_cast<std::uint64_t>(links));
  ChainSpec spec{.name = "chain" + std::to_string(links)};
  for (int i = 0; i < links; ++i) {
    Link link{.parent = i - 1};
    link.R_PJ = row_major(i == 0 ? Eigen::Matrix3d::Identity() : random_rotation(random));
    for (double& x : link.p_PJ) x = random.within(0.3);
    link.mass = random.between(0.5, 3);
    for (double& x : link.p_BBcm) x = random.within(0.15);
    const Eigen::Matrix3d I = random_inertia(link.mass, random);
    link.I_BBcm = row_major((I + I.transpose()) / 2);
    spec.links.push_back(link);
  }
  return spec;
}

}  // namespace ulna::bench
