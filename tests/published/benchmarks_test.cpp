// The benchmark library (examples/benchmarks): the problems of the IFToMM technical committee for
// multibody dynamics (M. Gonzalez, D. Dopico, U. Lugris, J. Cuadrado, Multibody System Dynamics 16,
// 2006) against their references, and overconstrained linkages of the literature by their mobility,
// the published relations between their angles, and their energy. tests/data/benchmarks.json says
// where its numbers come from.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "../support/json_data.hpp"
#include "../support/places.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/kinematics/mobility.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::Json;
using testing::read_data;

/// One experiment of the library with its recorded channels.
struct Benchmark {
  explicit Benchmark(const std::string& name)
      : experiment(
            read_experiment(testing::example_file("benchmarks/" + name + ".yaml")).experiment),
        run(simulate(experiment)) {}

  double at(double t, const std::string& channel) const {
    const Eigen::VectorXd values = run.column(channel);
    for (std::size_t row = 0; row < run.t.size(); ++row)
      if (std::abs(run.t[row] - t) < 1e-9) return values(static_cast<Eigen::Index>(row));
    throw std::runtime_error("no record");
  }
  /// Largest distance of a channel from a list of values at its times.
  double distance(const Json& times, const Json& values, const std::string& channel) const {
    double worst = 0;
    for (std::size_t k = 0; k < times.size(); ++k)
      worst = std::max(worst, std::abs(at(times[k], channel) - values[k].get<double>()));
    return worst;
  }
  void expect_kept(double energy_bound) const {
    EXPECT_TRUE(run.summary.complete) << run.summary.reason;
    EXPECT_LT(run.summary.energy_balance, energy_bound);
    EXPECT_LT(run.summary.closure, 1e-12);
  }

  Experiment experiment;
  Run run;
};

TEST(Benchmarks, SimplePendulum) {
  const Benchmark b("simple-pendulum");
  const Json data = read_data("benchmarks.json")["simple-pendulum"];
  EXPECT_LT(b.distance(data["t"], data["hinge"], "q.hinge"), 1e-8);
  b.expect_kept(1e-8);
}

/// Cranks turn clockwise from upright.
void expect_four_bar(const std::string& name, double bound) {
  const Benchmark b(name);
  const Json data = read_data("benchmarks.json")[name];
  Json minus = Json::array();
  for (const double angle : data["angle"]) minus.push_back(-angle);
  EXPECT_LT(b.distance(data["t"], minus, "q.foot0"), bound);
  b.expect_kept(1e-4);
}

TEST(Benchmarks, TwoFourBarsPassTheFlatPostures) { expect_four_bar("two-four-bar", 1e-5); }

TEST(Benchmarks, FortyFourBarsToo) { expect_four_bar("forty-four-bar", 1e-5); }

/// Short steps come close to the flat posture, where a loop that is open by rounding decides on the
/// accelerations. The bound is ten times what was seen.
TEST(Benchmarks, TwoFourBarsPassTheFlatPosturesAtTightTolerancesToo) {
  const Json data = read_data("benchmarks.json")["two-four-bar"];
  Experiment experiment =
      read_experiment(testing::example_file("benchmarks/two-four-bar.yaml")).experiment;
  experiment.integrator.method = IntegratorMethod::dop853;
  for (const double rtol : {1e-10, 1e-11, 3e-12, 1e-12}) {
    experiment.integrator.tolerances = {rtol, 1e-2 * rtol};
    const ulna::Run run = simulate(experiment);
    ASSERT_TRUE(run.summary.complete) << rtol << ": " << run.summary.reason;
    const Eigen::VectorXd angle = run.column("q.foot0");
    double worst = 0;
    for (std::size_t k = 0; k < data["t"].size(); ++k) {
      const auto row = static_cast<Eigen::Index>(std::lround(data["t"][k].get<double>()));
      worst = std::max(worst, std::abs(angle(row) + data["angle"][k].get<double>()));
    }
    EXPECT_LT(worst, std::max(2e3 * rtol, 2e-9)) << rtol;
  }
}

TEST(Benchmarks, AndrewsSqueezerHasThePublishedSolution) {
  const Benchmark b("andrews-squeezer");
  const Json data = read_data("benchmarks.json")["andrews-squeezer"];
  for (const auto& [angle, value] : data.items())
    EXPECT_NEAR(b.at(0.03, "q." + angle), value.get<double>(),
                2e-8 * (1 + std::abs(value.get<double>())))
        << angle;
  b.expect_kept(1e-8);
}

TEST(Benchmarks, BricardMovesAsItsEnergySays) {
  const Benchmark b("bricard");
  const Json data = read_data("benchmarks.json")["bricard"];
  for (std::size_t k = 0; k < data["t"].size(); ++k)
    for (int axis = 0; axis < 3; ++axis) {
      const char* const names[] = {"frame.P3.x", "frame.P3.y", "frame.P3.z"};
      EXPECT_NEAR(b.at(data["t"][k], names[axis]), data["P3"][k][axis].get<double>(), 1e-6)
          << names[axis] << " at " << data["t"][k];
    }
  b.expect_kept(1e-6);
}

TEST(Benchmarks, FlyballGovernorFollowsTheReducedEquations) {
  const Benchmark b("flyball-governor");
  const Json data = read_data("benchmarks.json")["flyball-governor"];
  EXPECT_LT(b.distance(data["t"], data["s"], "q.s"), 1e-7);
  EXPECT_LT(b.distance(data["t"], data["left"], "q.left"), 1e-7);
  EXPECT_LT(b.distance(data["t"], data["left"], "q.right"), 1e-7);
}

// ---- linkages of the literature
// ------------------------------------------------------------------

struct Linkage {
  explicit Linkage(const std::string& name) : model(read_robot(name).robot) {
    AssemblyOptions options;
    options.tolerance = 1e-12;
    home = assembled(model, options);
  }
  int coordinate(const std::string& name) const {
    for (int k = 0; k < model.coordinates(); ++k)
      if (model.coordinate_names()[static_cast<std::size_t>(k)] == name) return k;
    throw std::runtime_error("no coordinate " + name);
  }
  /// Calls see(q) along a turn of one coordinate by `angle`, in steps that stay on one branch.
  template <class See>
  Eigen::VectorXd lead(const std::string& name, double angle, int steps, See&& see) {
    const int k = coordinate(name);
    AssemblyOptions options;
    options.held = {k};
    options.restarts = 0;
    options.tolerance = 1e-11;
    Eigen::VectorXd q = home, before = home;
    for (int i = 1; i <= steps; ++i) {
      options.start = 2 * q - before;
      options.start(k) = home(k) + angle * i / steps;
      before = q;
      q = assembled(model, options);
      see(q);
    }
    return q;
  }
  Model model;
  Eigen::VectorXd home;
};

/// Bennett: tan(x / 2) tan(y / 2) of the angles at both ends of a link with twist `first`, where
/// the next one has twist `second`.
double bennett_ratio(double first, double second) {
  return std::sin((first + second) / 2) / std::sin((second - first) / 2);
}
void expect_half_tangents(double x, double y, double ratio) {
  EXPECT_NEAR(std::sin(x / 2) * std::sin(y / 2), ratio * std::cos(x / 2) * std::cos(y / 2),
              1e-8 * (1 + std::abs(ratio)));
}
/// The angles of a linkage in the sense of Denavit and Hartenberg: q + theta.
Eigen::VectorXd dh_angles(const Eigen::VectorXd& q, std::initializer_list<double> theta) {
  return q + Eigen::Map<const Eigen::VectorXd>(theta.begin(), q.size());
}

double turned(double angle) { return std::remainder(angle, 2 * M_PI); }

TEST(Benchmarks, LinkagesMoveThoughCountingSaysNot) {
  // Gruebler's count of each: what its joints allow in space, or of rods between points.
  for (const char* name :
       {"bennett", "goldberg", "wohlhart", "schatz", "sarrus", "dixon", "bricard"}) {
    const Linkage linkage(name);
    const Mobility m = mobility(linkage.model, linkage.home);
    EXPECT_EQ(m.dof, 1) << name;
    // Of Dixon's framework second order leaves it open; that it moves is shown below.
    const bool open = !m.determined && name == std::string("dixon");
    EXPECT_EQ(m.full_cycle_dof, open ? 0 : 1) << name;
    EXPECT_LT(m.gruebler, 1) << name;
  }
  const Linkage kempe("kempe");
  EXPECT_EQ(mobility(kempe.model, kempe.home).full_cycle_dof, 1);
}

TEST(Benchmarks, BennettTurnsByHisRelation) {
  Linkage bennett("bennett");
  const double ratio = bennett_ratio(0.6, 0.40633970379305656);
  const int q1 = bennett.coordinate("joint1"), q2 = bennett.coordinate("joint2"),
            q3 = bennett.coordinate("joint3");
  const Eigen::VectorXd end = bennett.lead("joint1", 2 * M_PI, 120, [&](const Eigen::VectorXd& q) {
    expect_half_tangents(q(q1), q(q2), ratio);
    EXPECT_NEAR(turned(q(q1) + q(q3)), 0, 1e-8) << "opposite angles are alike";
  });
  for (int k = 0; k < end.size(); ++k) EXPECT_NEAR(turned(end(k) - bennett.home(k)), 0, 1e-8);
}

TEST(Benchmarks, GoldbergHoldsTwoLinkagesOfBennett) {
  Linkage goldberg("goldberg");
  const Eigen::VectorXd end = goldberg.lead("joint1", 2 * M_PI, 120, [&](const Eigen::VectorXd& q) {
    const Eigen::VectorXd angle =
        dh_angles(q, {1.0, -2.989828352021005, -0.9531161851126874, -0.15176430156878834});
    expect_half_tangents(angle(0), angle(1), bennett_ratio(0.9, 0.7));
    EXPECT_NEAR(std::abs(turned(angle(1) + angle(3))), M_PI, 1e-7);
  });
  for (int k = 0; k < end.size(); ++k) EXPECT_NEAR(turned(end(k) - goldberg.home(k)), 0, 1e-7);
}

TEST(Benchmarks, WohlhartAndSchatzTurnFully) {
  Linkage wohlhart("wohlhart");
  // At both ends of its long links the angles of Goldberg's linkage.
  const double first = bennett_ratio(0.9, 0.7) * bennett_ratio(0.9, 0.5),
               second = bennett_ratio(0.6, 0.7) * bennett_ratio(0.6, 0.5);
  Eigen::VectorXd end = wohlhart.lead("joint1", 2 * M_PI, 240, [&](const Eigen::VectorXd& q) {
    const Eigen::VectorXd angle = dh_angles(
        q, {1.0, 3.0947088387024815, -0.2494370961346743, -0.945043526628017, 3.1335199951051242});
    expect_half_tangents(angle(0), angle(1), first);
    expect_half_tangents(angle(3), angle(4), second);
  });
  for (int k = 0; k < end.size(); ++k) EXPECT_NEAR(turned(end(k) - wohlhart.home(k)), 0, 1e-7);
  Linkage schatz("schatz");
  end = schatz.lead("joint1", 2 * M_PI, 240, [&](const Eigen::VectorXd&) {});
  for (int k = 0; k < end.size(); ++k) EXPECT_NEAR(turned(end(k) - schatz.home(k)), 0, 1e-7);
}

TEST(Benchmarks, SarrusLeadsItsPlatformAlongALine) {
  Linkage sarrus("sarrus");
  Workspace work(sarrus.model);
  const int platform = sarrus.model.frame("platform");
  sarrus.lead("foot1", -0.6, 30, [&](const Eigen::VectorXd& q) {
    update_poses(sarrus.model, work, q);
    const Pose<double> X = frame_pose(sarrus.model, work, platform);
    EXPECT_LT(X.position.head<2>().norm(), 1e-9);
    EXPECT_NEAR(X.position.z(), std::sin(M_PI / 4 + q(sarrus.coordinate("foot1"))), 1e-9);
    EXPECT_LT((X.rotation - Matrix3<double>::Identity()).norm(), 1e-9);
  });
}

TEST(Benchmarks, DixonKeepsHisRelation) {
  // With A_i at sqrt(a_i^2 + t) and B_j at sqrt(b_j^2 - t) on two lines, distances along each line
  // follow from t alone.
  Linkage dixon("dixon");
  Workspace work(dixon.model);
  const double a[] = {0.4, 0.9, 1.5}, b[] = {0.5, 1.0, 1.4};
  const Vector3<double> A1(0.4, 0, 0), B1(0, 0.5, 0);
  dixon.lead("A2.x", -0.05, 10, [&](const Eigen::VectorXd& q) {
    update_poses(dixon.model, work, q);
    const auto at = [&](const char* name) {
      return frame_pose(dixon.model, work, dixon.model.frame(name)).position;
    };
    // t from |A1 A2|, by the difference of squares.
    const double d = (at("A2") - A1).norm(), sum = (a[1] * a[1] - a[0] * a[0]) / d;
    const double t = std::pow((sum - d) / 2, 2) - a[0] * a[0];
    const auto apart = [](double x, double y, double s) {
      return std::sqrt(y * y + s) - std::sqrt(x * x + s);
    };
    EXPECT_NEAR((at("A3") - A1).norm(), apart(a[0], a[2], t), 1e-8);
    EXPECT_NEAR((at("B2") - B1).norm(), apart(b[0], b[1], -t), 1e-8);
    EXPECT_NEAR((at("B3") - B1).norm(), apart(b[0], b[2], -t), 1e-8);
  });
}

TEST(Benchmarks, KempeDoublesTheAngle) {
  Linkage kempe("kempe");
  kempe.lead("O1", 0.5, 25, [&](const Eigen::VectorXd& q) {
    EXPECT_NEAR(turned(q(kempe.coordinate("O2")) - 2 * q(kempe.coordinate("O1"))), 0, 1e-9);
  });
}

TEST(Benchmarks, LinkagesKeepTheirEnergy) {
  for (const char* name :
       {"bennett", "goldberg", "wohlhart", "schatz", "sarrus", "dixon", "kempe"}) {
    SCOPED_TRACE(name);
    const Benchmark b(name);
    EXPECT_TRUE(b.run.summary.complete) << b.run.summary.reason;
    EXPECT_LT(b.run.summary.energy_balance, 1e-6 * (1 + b.run.summary.largest_energy));
    EXPECT_LT(b.run.summary.closure, 1e-11);
  }
}

}  // namespace
}  // namespace ulna
