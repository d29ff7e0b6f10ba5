// Functions of robots with flexible bodies, traced and evaluated, are the general algorithms.

#include <gtest/gtest.h>

#include "support/flexible_robot.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/generate/traced_function.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/symbolic/program.hpp"

namespace ulna {
namespace {

std::vector<double> run(const TracedFunction& f, std::initializer_list<Eigen::VectorXd> inputs) {
  std::vector<double> values;
  for (const Eigen::VectorXd& x : inputs) values.insert(values.end(), x.begin(), x.end());
  values.resize(f.graph->input_names().size());
  return Program(f.expressions, *f.graph).evaluate(values);
}

void expect_same(const std::vector<double>& found, const Eigen::VectorXd& expected, double bound) {
  ASSERT_EQ(static_cast<long>(found.size()), expected.size());
  const Eigen::Map<const Eigen::VectorXd> x(found.data(), expected.size());
  EXPECT_LT((x - expected).norm(), bound * (1 + expected.norm()));
}

TEST(TraceFlexible, DynamicsOfTheTwoLinkArmAndOfAnArmInSpace) {
  for (const char* name : {"flexible-two-link", "flexible-3r"}) {
    SCOPED_TRACE(name);
    const Model model(with_bending_modes(read_robot(name).robot, 1));
    Workspace work(model);
    testing::Generator g(4);
    const Eigen::VectorXd q = model.random(g), v = testing::random_entries(g, model.speeds()),
                          a = testing::random_entries(g, model.speeds());
    expect_same(run(trace(model, "inverse"), {q, v, a}), inverse_dynamics(model, work, q, v, a),
                1e-12);
    const Eigen::MatrixXd M = mass_matrix(model, work, q);
    expect_same(run(trace(model, "mass"), {q}), M.reshaped(), 1e-12);
    const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a);
    const Eigen::VectorXd s = dense::singular_values(M);
    expect_same(run(trace(model, "forward"), {q, v, tau}), a, 1e-14 * s(0) / s(s.size() - 1));
    const Energy e = energy(model, work, q, v);
    expect_same(run(trace(model, "energy"), {q, v}), Eigen::Vector2d(e.kinetic, e.potential),
                1e-12);
  }
}

TEST(TraceFlexible, WhatNeedsRigidBodiesIsRefused) {
  const Model model(read_robot("flexible-single-link").robot);
  EXPECT_THROW(trace(model, "regressor"), InputError);
  TraceOptions symbolic;
  symbolic.symbolic_inertias = true;
  EXPECT_THROW(trace(model, "inverse", symbolic), InputError);
}

}  // namespace
}  // namespace ulna
