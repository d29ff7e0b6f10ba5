// Operation counts of small pieces of rigid-body code, against counts by hand.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <ulna/symbolic/internal/evaluate.hpp>
#include <ulna/symbolic/program.hpp>

namespace ulna {

void PrintTo(const OperationCount& n, std::ostream* out) {
  *out << n.multiplications << " mul " << n.additions << " add " << n.divisions << " div "
       << n.square_roots << " sqrt " << n.sincos_pairs << " sincos";
}

namespace {

using Vector = Eigen::Matrix<Expression, 3, 1>;
using Matrix = Eigen::Matrix<Expression, 3, 3>;

class ProgramTest : public ::testing::Test {
 protected:
  Graph graph;
  Graph::Scope scope{graph};
  Expression x = graph.input("x"), y = graph.input("y"), z = graph.input("z"), w = graph.input("w");
  Vector a{graph.input("a1"), graph.input("a2"), graph.input("a3")};
  Vector b{graph.input("b1"), graph.input("b2"), graph.input("b3")};

  static OperationCount count(std::initializer_list<Expression> outputs) {
    return count_operations({outputs.begin(), outputs.size()});
  }
  static OperationCount count(const Vector& v) { return count_operations({v.data(), 3}); }

  static Matrix rotation_z(const Expression& angle) {
    Expression s, c;
    sincos(angle, s, c);
    Matrix R;
    R << c, -s, 0, s, c, 0, 0, 0, 1;
    return R;
  }
};

OperationCount ops(int mul, int add, int div = 0, int root = 0, int sincos = 0) {
  return {mul, add, div, root, sincos};
}

TEST_F(ProgramTest, RotationAboutOneAxis) {
  EXPECT_EQ(count(rotation_z(x) * a), ops(4, 2, 0, 0, 1));
  EXPECT_EQ(count(rotation_z(x).transpose() * a), ops(4, 2, 0, 0, 1));
}

TEST_F(ProgramTest, CrossProducts) {
  EXPECT_EQ(count(a.cross(b)), ops(6, 3));
  EXPECT_EQ(count(Vector(a.cross(b) + b.cross(a))), ops(0, 0));
  EXPECT_EQ(count(a.cross(a)), ops(0, 0));
  EXPECT_EQ(count(a.cross(3.0 * a)), ops(0, 0));
}

TEST_F(ProgramTest, SharedWorkIsCountedOnce) {
  EXPECT_EQ(count({x * y + z, x * y - z, sqrt(x * y)}), ops(1, 2, 0, 1));
  EXPECT_EQ(count({x - y, y - x}), ops(0, 1));
  EXPECT_EQ(count({x, 2.0, -x}), ops(0, 0));
  EXPECT_EQ(count({}), ops(0, 0));
}

TEST_F(ProgramTest, UnusedWorkIsNotCounted) {
  const Expression unused = sqrt(x / y);
  EXPECT_EQ(count({x + y}), ops(0, 1));
  EXPECT_EQ(count({unused}), ops(0, 0, 1, 1));
}

TEST_F(ProgramTest, AMultipleIsOneMultiplicationWhateverItsSign) {
  EXPECT_EQ(count({6.0 * x, y - 6.0 * x, z + 6.0 * x}), ops(1, 2));
  EXPECT_EQ(count({x / 3.0}), ops(1, 0));
}

TEST_F(ProgramTest, SineAndCosineOfOneAngleAreAPair) {
  EXPECT_EQ(count({sin(x), cos(x), sin(-x)}), ops(0, 0, 0, 0, 1));
  EXPECT_EQ(count({sin(x), cos(y)}), ops(0, 0, 0, 0, 2));
  EXPECT_EQ(count({sin(x + y), cos(y + x), sin(x + y + z)}), ops(0, 2, 0, 0, 2));
  EXPECT_EQ(count({sin(0.5 * x), cos(-0.5 * x)}), ops(1, 0, 0, 0, 1));
}

TEST_F(ProgramTest, SelectionAndComparisonAreFree) {
  EXPECT_EQ(count({select(less(x * y, z), -x, 2.0 * y)}), ops(2, 0));
}

TEST_F(ProgramTest, EulersEquationsForPrincipalAxes) {
  // w x (I w) has three products w_i w_j, each times a difference of moments of inertia.
  const Eigen::Vector3d I(1.0, 2.5, 4.5);
  EXPECT_EQ(count(Vector(a.cross(Vector(I.cwiseProduct(a))))), ops(6, 0));
}

TEST_F(ProgramTest, AMassWaitsUntilAfterTheRotation) {
  // R (m a) = m (R a): the mass is multiplied in once per component.
  EXPECT_EQ(count(rotation_z(x) * Vector(2.5 * a)), ops(4 + 3, 2, 0, 0, 1));
}

TEST_F(ProgramTest, AFactorThatServesSeveralProductsIsMultipliedInOnce) {
  // Rz (2 a1, 3 a2, 0): 2 a1 and 3 a2 serve two products each.
  Vector v(2.0 * a[0], 3.0 * a[1], 0.0);
  EXPECT_EQ(count(rotation_z(x) * v), ops(2 + 4, 2, 0, 0, 1));
}

TEST_F(ProgramTest, AFactorOfASumOfMultiplesIsFree) {
  EXPECT_EQ(count({5.0 * (2.0 * x + 3.0 * y)}), ops(2, 1));
  EXPECT_EQ(count({5.0 * (2.0 * x + 3.0 * y), 2.0 * x, 3.0 * y}), ops(3, 1));
  EXPECT_EQ(count({5.0 * (x + y)}), ops(1, 1));
}

TEST_F(ProgramTest, ANumberOverAVariableIsOneDivision) {
  EXPECT_EQ(count({3.0 / x}), ops(0, 0, 1));
  EXPECT_EQ(count({3.0 / x, 1.0 / x}), ops(1, 0, 1));
  EXPECT_EQ(count({(3.0 / x) * y}), ops(1, 0, 1));
  EXPECT_EQ(count({2.0 * (x / y), x / y}), ops(1, 0, 1));
}

TEST_F(ProgramTest, TheInverseOfA3x3MatrixMultipliesBack) {
  Matrix A;
  A << x, 1.0, 0.5, 2.0, y, 1.0, 0.25, 0.5, z;
  const Matrix B = A.inverse();
  const std::vector<double> inputs = {3, 4, 5, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<double> values = evaluate({B.data(), 9}, inputs);
  Eigen::Matrix3d numbers;
  numbers << 3, 1, 0.5, 2, 4, 1, 0.25, 0.5, 5;
  const Eigen::Map<const Eigen::Matrix3d> inverse(values.data());
  EXPECT_LT((numbers * inverse - Eigen::Matrix3d::Identity()).norm(), 1e-15);
}

TEST_F(ProgramTest, EigenMixesNumbersAndExpressions) {
  const Eigen::Matrix3d R = Eigen::Matrix3d(Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitX()));
  const Vector v = R * a;
  EXPECT_EQ(count(v), ops(4, 2));
  EXPECT_EQ(count(Vector(2.0 * a + b * 2.0)), ops(3, 3));
  EXPECT_EQ(count(Vector(R.cast<Expression>() * a)), ops(4, 2));
  EXPECT_EQ(count({a.dot(b)}), ops(3, 2));
  EXPECT_EQ(count({a.norm()}), ops(3, 2, 0, 1));
  EXPECT_EQ(count({Vector(a + b).squaredNorm()}), ops(3, 5));
  EXPECT_EQ(count({Matrix(R.cast<Expression>()).determinant()}), ops(0, 0));

  const Expression packed[6] = {x, y, z, x, y, z};
  const Eigen::Map<const Vector> first(packed), second(packed + 3);
  EXPECT_EQ(count(Vector(first - second)), ops(0, 0));
}

TEST_F(ProgramTest, StatementsAreOneOperationOnSignedValues) {
  const Expression e = 5.0 * (2.0 * x - 3.0 * y) * z - select(less(x, y), 4.0 / x, sin(2.0 * y));
  const Program program({&e, 1});
  const auto statements = program.statements();
  EXPECT_EQ(statements[0].kind, Kind::one);
  for (std::size_t k = 0; k < graph.input_names().size(); ++k) {
    EXPECT_EQ(statements[1 + k].kind, Kind::input);
    EXPECT_EQ(statements[1 + k].link, k);
  }
  for (std::size_t i = 0; i < statements.size(); ++i) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(statements[i].kind)); ++k) {
      const Expression& operand = statements[i].operands[k];
      EXPECT_LT(operand.id(), i);
      EXPECT_TRUE(operand.is_constant() || std::abs(operand.factor()) == 1.0);
    }
  }
}

}  // namespace
}  // namespace ulna
