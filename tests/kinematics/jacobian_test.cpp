// Jacobians are the rates of poses, whatever they are of, relative to and expressed in.

#include "along_motion.hpp"

namespace ulna {
namespace {

using testing::expect_near;
using testing::random_vector;
using testing::rate;
using testing::unskew;

class Jacobians : public testing::RandomTree {
 protected:
  /// Columns by differences of the pose of the frame seen from `relative_to`.
  Jacobian differences(const JacobianQuery& query) {
    Jacobian J(6, model.speeds());
    const Matrix3<double> R_WR = pose_at(query.relative_to, 0, v).rotation;
    const Matrix3<double> R_WE = pose_at(query.expressed_in, 0, v).rotation;
    const Matrix3<double> R_ER = R_WE.transpose() * R_WR;
    for (int k = 0; k < model.speeds(); ++k) {
      const Eigen::VectorXd unit = Eigen::VectorXd::Unit(model.speeds(), k);
      const auto X_RF = [&](double t) {
        return pose_at(query.relative_to, t, unit).inverse() * pose_at(query.frame, t, unit);
      };
      const Matrix3<double> dR =
          rate([&](double t) -> Matrix3<double> { return X_RF(t).rotation; });
      const Vector3<double> dp =
          rate([&](double t) -> Vector3<double> { return X_RF(t) * query.point; });
      J.col(k) << R_ER * unskew(dR * X_RF(0).rotation.transpose()), R_ER * dp;
    }
    return J;
  }
};

// A few 1e-12 for rounding, magnified by the size of the tree.
constexpr double by_differences = 1e-10;

TEST_P(Jacobians, AreTheRatesOfAFrame) {
  for (std::size_t f = 0; f < model.frames().size(); ++f) {
    const JacobianQuery query{static_cast<int>(f)};
    expect_near(jacobian(model, work, q, query), differences(query), by_differences);
  }
}

TEST_P(Jacobians, AreTheRatesOfAPoint) {
  const JacobianQuery query{any_frame(), random_vector(g)};
  expect_near(jacobian(model, work, q, query), differences(query), by_differences);
}

TEST_P(Jacobians, AreTheRatesSeenFromAnotherBody) {
  const JacobianQuery query{any_frame(), random_vector(g), any_frame()};
  expect_near(jacobian(model, work, q, query), differences(query), by_differences);
}

TEST_P(Jacobians, AreExpressedInTheAxesOfAnyFrame) {
  const JacobianQuery query{any_frame(), Vector3<double>::Zero(), 0, any_frame()};
  expect_near(jacobian(model, work, q, query), differences(query), by_differences);
}

TEST_P(Jacobians, TakePointReferenceAndAxesTogether) {
  const JacobianQuery query{any_frame(), random_vector(g), any_frame(), any_frame()};
  expect_near(jacobian(model, work, q, query), differences(query), by_differences);
}

TEST_P(Jacobians, OfAFrameSeenFromItsOwnBodyAreZero) {
  for (std::size_t f = 0; f < model.frames().size(); ++f) {
    const int body = model.frames()[f].body;  // bodies are the first frames
    const JacobianQuery query{static_cast<int>(f), random_vector(g), body};
    EXPECT_LT(jacobian(model, work, q, query).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST_P(Jacobians, ChangeAsTheirDerivativeSays) {
  for (const JacobianQuery& query :
       {JacobianQuery{any_frame()}, JacobianQuery{any_frame(), random_vector(g)},
        JacobianQuery{any_frame(), random_vector(g), any_frame()},
        JacobianQuery{any_frame(), random_vector(g), 0, any_frame()},
        JacobianQuery{any_frame(), random_vector(g), any_frame(), any_frame()}}) {
    const auto J = [&](double t) -> Jacobian {
      return jacobian(model, work, model.integrate(q, t * v), query);
    };
    expect_near(jacobian_derivative(model, q, v, query), rate(J), by_differences);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Jacobians, ::testing::Range(0, 40));

TEST(JacobianQueries, OfFramesThatDoNotExistAreRefused) {
  testing::Generator g(1);
  const Model model(testing::random_robot(g, {}));
  Workspace work(model);
  const Eigen::VectorXd q = model.neutral();
  const int frames = static_cast<int>(model.frames().size());
  for (int bad : {-1, frames})
    for (const JacobianQuery& query :
         {JacobianQuery{bad}, JacobianQuery{1, Vector3<double>::Zero(), bad},
          JacobianQuery{1, Vector3<double>::Zero(), 0, bad}}) {
      EXPECT_THROW(jacobian(model, work, q, query), InputError);
      EXPECT_THROW(jacobian_derivative(model, q, q, query), InputError);
    }
  EXPECT_THROW(jacobian(model, work, Eigen::VectorXd::Zero(5), {1}), InputError);
}

}  // namespace
}  // namespace ulna
