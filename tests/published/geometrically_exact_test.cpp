// Geometrically exact beams against the literature: the elastica of a cantilever under a force
// (Mattiasson 1981, by elliptic integrals, here integrated) and a moment (a circle), the
// frequencies of rotating beams (Wright et al. 1982), and facts of mechanics.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>

#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/internal/deflection.hpp"
#include "ulna/dynamics/internal/elastic_modes.hpp"
#include "ulna/dynamics/internal/exact_level.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/elastic/geometrically_exact.hpp"
#include "ulna/elastic/modal_body.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/kernels/exact_beam.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

struct ExactBeam {
  double length = 1;
  int elements = 8;
  BeamProperties properties = {};
  FlexibleData flexible;
};

/// EI = 1 and mass 1 per length, bending along y only, neither shear nor stretching.
ExactBeam plane_beam(int elements = 8) {
  ExactBeam beam;
  beam.elements = elements;
  beam.properties.EIz = 1, beam.properties.mass = 1;
  beam.flexible.bending_y = 2, beam.flexible.bending_z = 0;
  beam.flexible.family = ModeFamily::geometrically_exact;
  return beam;
}

/// With every strain; round enough in its numbers.
ExactBeam spatial_beam(int elements = 3) {
  ExactBeam beam = plane_beam(elements);
  BeamProperties& p = beam.properties;
  p.EIy = 2, p.GJ = 1.5, p.EA = 300, p.kGAy = 200, p.kGAz = 150;
  p.polar_inertia = 0.02, p.rotatory_inertia_y = 0.012, p.rotatory_inertia_z = 0.008;
  beam.flexible.bending_z = beam.flexible.torsion = 2;
  beam.flexible.axial = 2;
  return beam;
}

Model held_beam(const ExactBeam& beam, JointType type = JointType::revolute) {
  Robot robot;
  robot.name = "beam";
  robot.gravity.setZero();
  BodyData body;
  body.name = "beam";
  BeamData data;
  data.to = {beam.length, 0, 0};
  data.products = beam.properties;
  data.elements = beam.elements;
  data.flexible = beam.flexible;
  body.beams = {data};
  robot.bodies = {body};
  JointData joint;
  joint.name = "hinge";
  joint.type = type;
  joint.axis = Vector3<double>::UnitZ();
  joint.child = "beam";
  robot.joints = {joint};
  make_flexible(robot);
  return Model(std::move(robot));
}

/// Newton's method on the efforts of the elements, with a force and a moment at the end in world
/// axes; the load rises in steps.
Eigen::VectorXd loaded_beam(const Model& model, const Vector3<double>& force,
                            const Vector3<double>& moment, int steps = 10) {
  Workspace work(model);
  Eigen::VectorXd q = model.neutral();
  const int n = model.modes(), first = model.joint_speeds();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
  for (int s = 1; s <= steps; ++s)
    for (int k = 0; k < 30; ++k) {
      ExternalWrench end;
      end.body = model.body("beam");
      end.point = {model.flexible_links()[0].modal->length, 0, 0};
      end.force = force * s / steps, end.moment = moment * s / steps;
      const auto missing = [&](const Eigen::VectorXd& at) {
        return Eigen::VectorXd(inverse_dynamics(model, work, at, zero, zero, {&end, 1}).tail(n));
      };
      Eigen::MatrixXd K(n, n);
      for (int j = 0; j < n; ++j) {
        Eigen::VectorXd up = q, down = q;
        up(first + j) += 1e-6, down(first + j) -= 1e-6;
        K.col(j) = (missing(up) - missing(down)) / 2e-6;
      }
      const Eigen::VectorXd left = missing(q);
      q.tail(n) -= dense::Lu(K).solve(left);
      if (left.norm() < 1e-9) break;
    }
  return q;
}

/// The elastica EI theta'' = - F cos(theta) of a cantilever with a force F across its axis, by
/// shooting with Runge-Kutta: its end.
Vector3<double> elastica_end(double F) {
  const auto end = [&](double curvature) {
    Eigen::Vector4d y(0, curvature, 0, 0);
    const auto f = [&](const Eigen::Vector4d& s) {
      return Eigen::Vector4d(s(1), -F * std::cos(s(0)), std::cos(s(0)), std::sin(s(0)));
    };
    const int n = 4000;
    const double h = 1.0 / n;
    for (int k = 0; k < n; ++k) {
      const Eigen::Vector4d a = f(y), b = f(y + 0.5 * h * a), c = f(y + 0.5 * h * b),
                            d = f(y + h * c);
      y += h / 6 * (a + 2 * b + 2 * c + d);
    }
    return y;
  };
  double low = 0, high = F;  // the moment at the root is below F l
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (end(middle)(1) > 0 ? high : low) = middle;
  }
  const Eigen::Vector4d y = end(low);
  return {y(2) - 1, y(3), y(0)};
}

TEST(GeometricallyExact, ElasticaUnderAForce) {
  // Mattiasson, F l^2 / EI = 10: horizontal 0.55500, vertical 0.81061, slope 1.43029.
  const Vector3<double> known = elastica_end(10);
  EXPECT_NEAR(known(0), -0.55500, 6e-6);
  EXPECT_NEAR(known(1), 0.81061, 6e-6);
  EXPECT_NEAR(known(2), 1.43029, 6e-6);
  for (const double F : {1.0, 4.0, 10.0}) {
    const Vector3<double> at = elastica_end(F);
    double before = 0;
    for (const int n : {2, 4, 8, 16}) {
      const Model model = held_beam(plane_beam(n));
      const Vector6<double> end =
          end_deflection(model, 0, loaded_beam(model, {0, F, 0}, Vector3<double>::Zero()));
      const double off = std::hypot(end(0) - at(0), end(1) - at(1));
      // The table of docs/theory/geometrically-exact.md.
      std::printf("F %g, %2d elements: %.2e of the deflection\n", F, n, off / at(1));
      if (n >= 4) {
        EXPECT_LT(off, (n == 4 ? 1e-3 : 1e-4) * at(1)) << F;
      }
      if (before > 1e-7) {
        EXPECT_LT(off, before / 8) << "fourth order, F " << F << ", n " << n;
      }
      before = off;
    }
  }
}

TEST(GeometricallyExact, AMomentBendsItToACircle) {
  // M l / EI = 2 pi closes it; each of eight elements turns by 45 degrees, without any error.
  const Model model = held_beam(plane_beam(8));
  const Eigen::VectorXd q = loaded_beam(model, Vector3<double>::Zero(), {0, 0, 2 * M_PI});
  const Vector6<double> end = end_deflection(model, 0, q);
  EXPECT_NEAR(end(0), -1, 1e-9);
  EXPECT_NEAR(end(1), 0, 1e-9);
  for (const double x : {0.0, 0.3, 1.0})
    EXPECT_NEAR(section_moment(model, 0, q, x)(2), 2 * M_PI, 1e-8);
  const Pose<double> half = section_pose(model, 0, q, 0.5);
  EXPECT_NEAR(half.position.y(), 1 / M_PI, 1e-9);  // the diameter
}

TEST(GeometricallyExact, ShearAndStretchOfAShortBeam) {
  // Small loads: v = F l^3 / 3 EI + F l / kGA, u = F l / EA.
  ExactBeam beam = spatial_beam(4);
  const Model model = held_beam(beam);
  const double F = 1e-4;
  const Vector6<double> across =
      end_deflection(model, 0, loaded_beam(model, {0, F, 0}, Vector3<double>::Zero(), 1));
  EXPECT_NEAR(across(1), F / 3 + F / 200, 1e-7 * F);
  const Vector6<double> along =
      end_deflection(model, 0, loaded_beam(model, {F, 0, 0}, Vector3<double>::Zero(), 1));
  EXPECT_NEAR(along(0), F / 300, 1e-7 * F);
  const Vector6<double> twisted =
      end_deflection(model, 0, loaded_beam(model, Vector3<double>::Zero(), {F, 0, 0}, 1));
  EXPECT_NEAR(twisted(5), F / 1.5, 1e-7 * F);
}

TEST(GeometricallyExact, FrequenciesOfACantileverAndOfARotatingBeam) {
  const Model model = held_beam(plane_beam(8));
  ModesQuery query;
  query.all_locked = true;
  const Eigen::VectorXd still = elastic_modes(model, query).frequencies;
  const double roots[] = {3.5160152685, 22.034491565, 61.697214413};
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(still(k), roots[k], 1e-3 * roots[k]) << k;
  // Flapping, out of the plane of rotation, at Omega = 10 (units of sqrt(EI / m l^4)); no hub.
  ExactBeam flapping = plane_beam(12);
  flapping.properties.EIy = 1;
  flapping.flexible.bending_y = 0, flapping.flexible.bending_z = 2;
  const Model rotor = held_beam(flapping);
  query.v = Eigen::VectorXd::Zero(rotor.speeds());
  query.v(0) = 10;
  const Eigen::VectorXd fast = elastic_modes(rotor, query).frequencies;
  const double published[] = {11.2023, 33.6404, 74.6493};  // Wright et al.
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(fast(k), published[k], 1e-3 * published[k]) << k;
}

/// A rod under a dead force at its end by its differential equations, r' = R (e1 + C^-1 R'F) and
/// R' = R [K^-1 R' (r(l) - r) x F], with r(l) found by Newton's method.
Vector3<double> end_of_rod(const BeamProperties& p, double l, const Vector3<double>& F) {
  const Vector3<double> C(p.EA, p.kGAy, p.kGAz), K(p.GJ, p.EIy, p.EIz);
  struct State {
    Vector3<double> r;
    Matrix3<double> R;
  };
  const auto integrated = [&](const Vector3<double>& end) -> Vector3<double> {
    const auto f = [&](const State& s) {
      const Vector3<double> strain = (s.R.transpose() * F).cwiseQuotient(C),
                            bend = (s.R.transpose() * (end - s.r).cross(F)).cwiseQuotient(K);
      Matrix3<double> turn;
      turn << 0, -bend.z(), bend.y(), bend.z(), 0, -bend.x(), -bend.y(), bend.x(), 0;
      return State{s.R * (Vector3<double>::UnitX() + strain), s.R * turn};
    };
    State s{Vector3<double>::Zero(), Matrix3<double>::Identity()};
    const int n = 2000;
    const double h = l / n;
    const auto moved = [](const State& a, double t, const State& d) {
      return State{a.r + t * d.r, a.R + t * d.R};
    };
    for (int k = 0; k < n; ++k) {
      const State a = f(s), b = f(moved(s, 0.5 * h, a)), c = f(moved(s, 0.5 * h, b)),
                  d = f(moved(s, h, c));
      s.r += h / 6 * (a.r + 2 * b.r + 2 * c.r + d.r);
      s.R += h / 6 * (a.R + 2 * b.R + 2 * c.R + d.R);
    }
    return s.r;
  };
  Vector3<double> end(l, 0, 0);
  for (int k = 0; k < 50; ++k) {
    const Vector3<double> left = integrated(end) - end;
    Eigen::MatrixXd J(3, 3);
    for (int j = 0; j < 3; ++j) {
      const Vector3<double> d = 1e-6 * l * Vector3<double>::Unit(j);
      J.col(j) = (integrated(end + d) - integrated(end - d)) / (2e-6 * l);
      J(j, j) -= 1;
    }
    end -= Vector3<double>(dense::Lu(J).solve(left));
    if (left.norm() < 1e-12 * l) break;
  }
  return end;
}

TEST(GeometricallyExact, ThePrincetonBeamBendsInTwoPlanesAndTwists) {
  // Dowell, Traybar and Hodges 1977: 508 mm of aluminium, 12.77 x 3.2 mm, with a weight at its end
  // and its section turned by the pitch angle.
  ExactBeam beam = spatial_beam(8);
  beam.length = 0.508;
  const double E = 71.7e9, G = 27.4e9, b = 12.77e-3, t = 3.2024e-3, A = b * t;
  BeamProperties& p = beam.properties;
  p.EA = E * A, p.EIz = E * b * t * t * t / 12, p.EIy = E * t * b * b * b / 12;
  p.GJ = G * b * t * t * t * (1 - 0.63 * t / b) / 3;
  p.kGAy = p.kGAz = 5.0 / 6 * G * A;
  p.mass = 2700 * A;
  p.rotatory_inertia_y = 2700 * t * b * b * b / 12,
  p.rotatory_inertia_z = 2700 * b * t * t * t / 12;
  p.polar_inertia = p.rotatory_inertia_y + p.rotatory_inertia_z;
  const Model model = held_beam(beam);
  for (const double load : {4.448, 8.896, 13.345})
    for (const double degrees : {15.0, 45.0, 75.0}) {
      const double pitch = degrees * M_PI / 180;
      const Vector3<double> F(0, load * std::sin(pitch), load * std::cos(pitch));
      const Vector3<double> known = end_of_rod(p, beam.length, F);
      const Vector6<double> end =
          end_deflection(model, 0, loaded_beam(model, F, Vector3<double>::Zero(), 4));
      const Vector3<double> off = end.head<3>() + Vector3<double>(beam.length, 0, 0) - known;
      EXPECT_LT(off.norm(), 1e-4 * std::hypot(known.y(), known.z())) << load << " " << degrees;
      // Bending in both planes twists the beam by degrees.
      if (load > 13 && degrees == 45.0) {
        EXPECT_GT(std::abs(end(5)), 0.02);
      }
    }
}

TEST(GeometricallyExact, ForwardAndInverseAgreeAtLargeStrains) {
  std::mt19937_64 generator(7);
  const Model model = held_beam(spatial_beam(3), JointType::free);
  Workspace work(model);
  for (int trial = 0; trial < 5; ++trial) {
    Eigen::VectorXd q = model.random(generator);
    q.tail(model.modes()) *= 6;  // turns of half a radian in each element
    const Eigen::VectorXd v = Eigen::VectorXd::Random(model.speeds()),
                          a = Eigen::VectorXd::Random(model.speeds());
    const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a);
    const Eigen::VectorXd back = forward_dynamics(model, work, q, v, tau);
    EXPECT_LT((back - a).norm(), 1e-7 * a.norm());
    const Eigen::MatrixXd M = mass_matrix(model, work, q);
    const Eigen::VectorXd rest = inverse_dynamics(model, work, q, v, 0 * a);
    EXPECT_LT((M * a + rest - tau).norm(), 1e-11 * tau.norm());
    // The inertia of the whole is that of the rod: its mass.
    EXPECT_NEAR(model.mass(), 1, 1e-12);
  }
}

TEST(GeometricallyExact, EnergyChangesByTheWorkOfTheEfforts) {
  const Model model = held_beam(spatial_beam(3), JointType::free);
  Workspace work(model);
  std::mt19937_64 generator(3);
  Eigen::VectorXd q = model.random(generator);
  q.tail(model.modes()) *= 6;
  const Eigen::VectorXd v = Eigen::VectorXd::Random(model.speeds()),
                        tau = Eigen::VectorXd::Random(model.speeds());
  const Eigen::VectorXd a = forward_dynamics(model, work, q, v, tau);
  const auto energy_at = [&](double t) {
    const Eigen::VectorXd qt = model.integrate(q, t * v), vt = v + t * a;
    const Energy e = energy(model, work, qt, vt);
    return e.kinetic + e.potential;
  };
  const double h = 1e-6;
  EXPECT_NEAR((energy_at(h) - energy_at(-h)) / (2 * h), tau.dot(v),
              1e-6 * std::abs(tau.dot(v)) + 1e-6);
}

TEST(GeometricallyExact, LinksOfARobotAreCutIntoElements) {
  ExactBeam beam = plane_beam(2);
  beam.flexible.family = ModeFamily::clamped_free;
  const Model modal = held_beam(beam);
  const Model exact(with_geometrically_exact_links(modal.robot(), {5, false}));
  EXPECT_EQ(exact.modes(), 10);
  EXPECT_EQ(exact.flexible_links().size(), 1u);
  EXPECT_EQ(exact.coordinate_names()[1], "beam.tz1");
  EXPECT_NEAR(exact.mass(), modal.mass(), 1e-12);
  EXPECT_TRUE(has_exact_links(exact));
  EXPECT_THROW(ElasticEquations(modal, ElasticLevel::geometrically_exact), InputError);
  EXPECT_THROW(ElasticEquations(exact, ElasticLevel::consistent), InputError);
  // Extension needs EA.
  EXPECT_THROW(with_geometrically_exact_links(modal.robot(), {5, true}), InputError);
}

}  // namespace
}  // namespace ulna
