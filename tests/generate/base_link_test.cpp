// Nie (1988, section 2.2): how many operations the angular velocities of a 3R chain take, by the
// link whose angular velocity serves as generalized speeds. Axes: the first vertical, the second
// across it, the third along the third axis of link 2 (his figure 2.2). His formulas, with three
// misprints put right: in w2 of the first choice s_1 is s_2; with the second link as base w1 is
// u_1 / s_2 and the third component of w2 is u_1 t_2. His t_2 is the cotangent.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "ulna/generate/traced_function.hpp"
#include "ulna/symbolic/expression.hpp"

namespace ulna {
namespace {

/// Nine components: w1, w2 and w3, each in the axes of its link.
template <class T>
using Velocities = std::array<T, 9>;

template <class T>
struct ChainState {
  T u1, u2, u3, s2, c2, t2, s3, c3;
};

template <class T>
Velocities<T> first_link_as_base(const ChainState<T>& x) {
  const auto& [u1, u2, u3, s2, c2, t2, s3, c3] = x;
  const T zero(0.0);
  return {zero,
          zero,
          u1,
          u1 * s2,
          -u2,
          u1 * c2,
          u1 * s2 * c3 - u2 * s3,
          -(u1 * s2 * s3 + u2 * c3),
          u1 * c2 + u3};
}

template <class T>
Velocities<T> second_link_as_base(const ChainState<T>& x) {
  const auto& [u1, u2, u3, s2, c2, t2, s3, c3] = x;
  const T zero(0.0);
  return {zero, zero, u1 / s2, u1, u2, u1 * t2, u1 * c3 + u2 * s3, u2 * c3 - u1 * s3, u1 * t2 + u3};
}

template <class T>
Velocities<T> third_link_as_base(const ChainState<T>& x) {
  const auto& [u1, u2, u3, s2, c2, t2, s3, c3] = x;
  const T zero(0.0);
  return {zero,
          zero,
          u1 * c3 / s2 - u2 * s3 / s2,
          u1 * c3 - u2 * s3,
          u1 * s3 + u2 * c3,
          (u1 * c3 - u2 * s3) * t2,
          u1,
          u2,
          u3};
}

/// Counts every operator as it stands; a division is a multiplication, as Nie has it.
struct Counted {
  double x;
  explicit Counted(double value) : x(value) {}
  inline static int multiplications = 0, additions = 0;
  friend Counted operator*(Counted a, Counted b) { return ++multiplications, Counted(a.x * b.x); }
  friend Counted operator/(Counted a, Counted b) { return ++multiplications, Counted(a.x / b.x); }
  friend Counted operator+(Counted a, Counted b) { return ++additions, Counted(a.x + b.x); }
  friend Counted operator-(Counted a, Counted b) { return ++additions, Counted(a.x - b.x); }
  Counted operator-() const { return Counted(-x); }
};

template <class T, class Make>
ChainState<T> state(Make make) {
  return {make("u1"), make("u2"), make("u3"), make("s2"),
          make("c2"), make("t2"), make("s3"), make("c3")};
}

template <class Formulas>
void expect_counts(Formulas formulas, int multiplications, int additions,
                   int shared_multiplications, int shared_additions) {
  Counted::multiplications = Counted::additions = 0;
  formulas(state<Counted>([](const char*) { return Counted(0.5); }));
  EXPECT_EQ(Counted::multiplications, multiplications);
  EXPECT_EQ(Counted::additions, additions);
  Graph graph;
  const Graph::Scope scope(graph);
  const auto w = formulas(state<Expression>([&](const char* name) { return graph.input(name); }));
  const OperationCount shared = count_operations(w);
  EXPECT_EQ(shared.multiplications + shared.divisions, shared_multiplications);
  EXPECT_EQ(shared.additions, shared_additions);
}

const auto first = [](const auto& x) { return first_link_as_base(x); };
const auto second = [](const auto& x) { return second_link_as_base(x); };
const auto third = [](const auto& x) { return third_link_as_base(x); };

// As counted by hand 11 + 4, 9 + 3 and 7 + 3; computed once each, what the second link saves is
// gone: joint rates (the first link) take as few.
TEST(BaseLink, NiesCountsAreReproduced) {
  expect_counts(third, 11, 4, 7, 3);
  expect_counts(first, 9, 3, 6, 3);
  expect_counts(second, 7, 3, 6, 3);
}

Model chain() {
  Robot robot;
  robot.name = "figure";
  const Vector3<double> axes[] = {{0, 0, 1}, {0, -1, 0}, {0, 0, 1}};
  for (int k = 0; k < 3; ++k) {
    BodyData body;
    body.name = std::string(1, static_cast<char>('A' + k));
    body.inertial = {1, Vector3<double>::Zero(), Matrix3<double>::Identity()};
    JointData joint;
    joint.name = "j" + std::to_string(k);
    joint.parent = k == 0 ? world_name : robot.bodies.back().name;
    joint.child = body.name;
    joint.type = JointType::revolute;
    joint.axis = axes[k];
    robot.bodies.push_back(body);
    robot.joints.push_back(joint);
  }
  return Model(robot);
}

// All three are the angular velocities that the generated partial velocities give.
TEST(BaseLink, TheFormulasAreTheAngularVelocitiesOfTheChain) {
  const std::vector<double> q = {0.4, 0.7, -1.1};
  const double rates[] = {0.3, -0.8, 1.7};
  const TracedFunction f = trace(chain(), "partial-velocities");
  const std::vector<double> partial = Program(f.expressions, *f.graph).evaluate(q);
  Velocities<double> expected{};
  for (int row = 0; row < 9; ++row)
    for (int r = 0; r < 3; ++r) expected[row] += partial[3 * row + r] * rates[r];
  ChainState<double> x{rates[0],       rates[1],           rates[2],       std::sin(q[1]),
                       std::cos(q[1]), 1 / std::tan(q[1]), std::sin(q[2]), std::cos(q[2])};
  const auto expect = [&](const Velocities<double>& w) {
    for (int row = 0; row < 9; ++row) EXPECT_NEAR(w[row], expected[row], 1e-14) << row;
  };
  expect(first_link_as_base(x));
  x.u1 = expected[3], x.u2 = expected[4];  // two components of link 2, and the third joint's rate
  expect(second_link_as_base(x));
  x.u1 = expected[6], x.u2 = expected[7], x.u3 = expected[8];
  expect(third_link_as_base(x));
}

}  // namespace
}  // namespace ulna
