// Responses by modes that dampers couple, against solutions in the freedoms themselves.

#include "ulna/elastic/internal/modal_superposition.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <unsupported/Eigen/MatrixFunctions>

#include "beams.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::elastic {
namespace {

// A cantilever with a damper at the tip and one between the root and its middle: not proportional.
SystemMatrices damped_beam() {
  BeamStructure frame = straight_beam(slender(), 4, Ends::clamped_free);
  StructureSpring tip, middle;
  tip.a = 4;
  tip.damping(1, 1) = 0.8;
  middle.a = 2;
  middle.damping(1, 1) = 0.5, middle.damping(5, 5) = 0.02, middle.stiffness(1, 1) = 30;
  frame.add_spring(tip);
  frame.add_spring(middle);
  return frame.assemble();
}

Eigen::VectorXd tip_of(const SystemMatrices& s) {
  return Eigen::VectorXd::Unit(s.size(), s.size() - 2);
}

// M x'' + C x' + K x = f (a + b t) from (x, v), by the exponential in the freedoms: x = xs + free
// motion, where xs = p + r t solves the equation.
struct Direct {
  Eigen::MatrixXd A, K, C;
  Eigen::VectorXd z;
  explicit Direct(const SystemMatrices& s) : K(s.K), C(s.C) {
    const int n = s.size();
    const Eigen::MatrixXd inverse = Eigen::MatrixXd(s.M).inverse();
    A.setZero(2 * n, 2 * n);
    A.topRightCorner(n, n).setIdentity();
    A.bottomLeftCorner(n, n) = -inverse * K;
    A.bottomRightCorner(n, n) = -inverse * C;
    z.setZero(2 * n);
  }
  void step(const Eigen::VectorXd& f, double a, double b, double h) {
    const Eigen::VectorXd r = K.ldlt().solve(f * b), p = K.ldlt().solve(f * a - C * r);
    Eigen::VectorXd particular(z.size()), later(z.size());
    particular << p, r;
    later << p + r * h, r;
    z = later + (A * h).exp() * (z - particular);
  }
};

TEST(ModalSuperposition, TransientIsThatOfTheWholeSystem) {
  const SystemMatrices s = damped_beam();
  const ModalSuperposition modes(s, 0);
  const Eigen::VectorXd force = tip_of(s);
  Eigen::VectorXd t(6), f(6);
  t << 0, 0.05, 0.2, 0.3, 0.7, 1.5;  // steps of many lengths
  f << 0, 3, -1, -1, 2, 0;
  const Eigen::MatrixXd all = Eigen::MatrixXd::Identity(s.size(), s.size());
  for (const double impulse : {0.0, 0.7}) {
    const Eigen::MatrixXd x = modes.transient(force, all, t, f, impulse);
    Direct direct(s);
    direct.z.tail(s.size()) = Eigen::MatrixXd(s.M).ldlt().solve(force * impulse);
    const double size = x.cwiseAbs().maxCoeff();
    for (int k = 1; k < t.size(); ++k) {
      const double h = t(k) - t(k - 1);
      direct.step(force, f(k - 1), (f(k) - f(k - 1)) / h, h);
      // The exponential of 1e5 h loses digits by its repeated squaring.
      EXPECT_LT((x.row(k).transpose() - direct.z.head(s.size())).cwiseAbs().maxCoeff(), 1e-8 * size)
          << "at " << t(k);
    }
  }
}

TEST(ModalSuperposition, ModesAloneAndCoupledAgreeWithoutDampers) {
  const SystemMatrices s = straight_beam(slender(), 4, Ends::clamped_free).assemble();
  SystemMatrices marked = s;  // a damper too small to matter takes the coupled route
  marked.C.resize(s.size(), s.size());
  marked.C.insert(0, 0) = 1e-14;
  const Eigen::VectorXd force = tip_of(s), t = Eigen::VectorXd::LinSpaced(50, 0, 2);
  const Eigen::VectorXd f = (3 * t).array().sin();
  const Eigen::MatrixXd a = ModalSuperposition(s, 0.03).transient(force, force, t, f, 0.1);
  const Eigen::MatrixXd b = ModalSuperposition(marked, 0.03).transient(force, force, t, f, 0.1);
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-9 * a.cwiseAbs().maxCoeff());
}

TEST(ModalSuperposition, FrequencyResponseIsThatOfTheWholeSystem) {
  const SystemMatrices s = damped_beam();
  const Eigen::VectorXd at = Eigen::VectorXd::LinSpaced(40, 0, 80), tip = tip_of(s);
  const Eigen::VectorXcd direct = frequency_response(s, tip, tip, at);
  const Eigen::VectorXcd modal = ModalSuperposition(s, 0).frequency_response(tip, tip, at);
  EXPECT_LT((direct - modal).cwiseAbs().maxCoeff(), 1e-9 * direct.cwiseAbs().maxCoeff());
}

TEST(ModalSuperposition, ModesLeftOutFollowStatically) {
  const SystemMatrices s = damped_beam();
  const Eigen::VectorXd tip = tip_of(s);
  const double bent = tip.dot(Eigen::MatrixXd(s.K).ldlt().solve(tip));
  const ModalSuperposition two(s, 0.3, 2);
  EXPECT_EQ(two.modes().count(), 2);
  EXPECT_NEAR(two.frequency_response(tip, tip, Eigen::VectorXd::Zero(1))(0).real(), bent,
              1e-10 * bent);
  const Eigen::VectorXd t = Eigen::VectorXd::LinSpaced(400, 0, 40);
  const Eigen::MatrixXd x = two.transient(tip, tip, t, Eigen::VectorXd::Ones(t.size()));
  EXPECT_NEAR(x(t.size() - 1, 0), bent, 1e-8 * bent);
}

// A blow gives a free body its momentum: one mass pushed by 1 N s moves at 1/m.
TEST(ModalSuperposition, ABlowOnAFreeBeamMovesItsCentre) {
  const SystemMatrices s = straight_beam(slender(), 4, Ends::free_free).assemble();
  const ModalSuperposition modes(s, 0);
  ASSERT_EQ(modes.modes().rigid_body_modes, 2);
  Eigen::VectorXd blow = Eigen::VectorXd::Zero(s.size()), even = blow;
  blow(4) = 1;  // at the middle
  for (int k = 0; k < s.size(); k += 2) even(k) = 1;
  const Eigen::VectorXd centre = s.M * even;  // the beam has mass 1
  const Eigen::VectorXd t = Eigen::VectorXd::LinSpaced(11, 0, 5);
  const Eigen::MatrixXd x = modes.transient(blow, centre, t, Eigen::VectorXd::Zero(11), 1);
  for (int k = 0; k < 11; ++k) EXPECT_NEAR(x(k, 0), t(k), 1e-9);
}

TEST(ModalSuperposition, RefusesBadInput) {
  const SystemMatrices s = damped_beam();
  EXPECT_THROW(ModalSuperposition(s, -0.1), InputError);
  const ModalSuperposition modes(s, 0);
  const Eigen::VectorXd tip = tip_of(s);
  EXPECT_THROW(modes.transient(tip, tip, Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 1)), InputError);
  EXPECT_THROW(modes.transient(tip, tip, Eigen::Vector2d(0, 1), Eigen::Vector3d(1, 1, 1)),
               InputError);
}

}  // namespace
}  // namespace ulna::elastic
