// Packs of four and eight: the kernels give on each lane what they give on doubles.

#include <gtest/gtest.h>

#include "branched_tree.hpp"
#include "support/near.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/kernels/articulated_body.hpp"
#include "ulna/dynamics/kernels/composite_body.hpp"
#include "ulna/dynamics/kernels/newton_euler.hpp"
#include "ulna/model/other_scalars.hpp"
#include "ulna/scalar/kernels/pack.hpp"

namespace ulna {
namespace {

using testing::branched_tree;
using testing::expect_near;
using testing::Generator;
using testing::random_entries;

template <int N>
void check_packs(const Model& model, unsigned seed) {
  using P = Pack<N>;
  Generator g(seed);
  const int n = model.speeds(), nq = model.coordinates();
  std::vector<P> q(nq), v(n), a(n), tau(n), M(n * n), back(n);
  std::vector<Eigen::VectorXd> qs, vs, as;
  for (int lane = 0; lane < N; ++lane) {
    qs.push_back(model.random(g));
    vs.push_back(random_entries(g, n));
    as.push_back(random_entries(g, n));
    for (int k = 0; k < nq; ++k) q[k].set(lane, qs[lane](k));
    for (int k = 0; k < n; ++k) v[k].set(lane, vs[lane](k)), a[k].set(lane, as[lane](k));
  }
  Scratch<P> scratch(model.topology());
  const TreeView<P> tree = view<P>(model.topology(), model.parameters());
  newton_euler<P>(tree, scratch.view(), q.data(), v.data(), a.data(), nullptr, tau.data());
  composite_body<P>(tree, scratch.view(), q.data(), M.data());
  articulated_body<P>(tree, scratch.view(), q.data(), v.data(), tau.data(), nullptr, back.data());
  Workspace work(model);
  for (int lane = 0; lane < N; ++lane) {
    Eigen::VectorXd t(n), b(n);
    Eigen::MatrixXd m(n, n);
    for (int k = 0; k < n; ++k) t(k) = tau[k][lane], b(k) = back[k][lane];
    for (int k = 0; k < n * n; ++k) m.data()[k] = M[k][lane];
    expect_near(t, inverse_dynamics(model, work, qs[lane], vs[lane], as[lane]), 1e-13);
    expect_near(m, mass_matrix(model, work, qs[lane]), 1e-13);
    expect_near(b, as[lane], 1e-9);
  }
}

TEST(Pack, EveryLaneIsARobotOfItsOwn) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    check_packs<4>(branched_tree(seed), seed);
    check_packs<8>(branched_tree(seed), seed);
  }
}

}  // namespace
}  // namespace ulna
