#include "ulna/study/verify.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "ulna/dynamics/centroidal.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/dynamics/lagrange_4x4.hpp"
#include "ulna/dynamics/newton_euler_4x4.hpp"
#include "ulna/dynamics/reactions.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

double size_of(const Matrix& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }

/// Collects the comparisons of all states; each keeps the worst.
class Ledger {
 public:
  /// Difference of x and y relative to their size (or to `scale`, where that is larger).
  void compare(const char* a, const char* b, const char* quantity, const Matrix& x, const Matrix& y,
               double bound, double scale = 0) {
    const double size = std::max({size_of(x), size_of(y), scale, 1e-300});
    note(a, b, quantity, size_of(x - y) / size, bound);
  }
  void note(const char* a, const char* b, const char* quantity, double difference, double bound) {
    VerifyPair& pair = find(a, b, quantity);
    if (std::isnan(difference)) difference = INFINITY;
    if (pair.bound != 0 && difference * pair.bound <= pair.max_difference * bound) return;
    pair.max_difference = difference;
    pair.bound = bound;
  }
  std::vector<VerifyPair> take() { return std::move(pairs_); }

 private:
  VerifyPair& find(const char* a, const char* b, const char* quantity) {
    for (VerifyPair& pair : pairs_)
      if (pair.a == a && pair.b == b && pair.quantity == quantity) return pair;
    return pairs_.emplace_back(VerifyPair{a, b, quantity});
  }
  std::vector<VerifyPair> pairs_;
};

class Verifier {
 public:
  Verifier(const Model& model, unsigned seed)
      : model_(model),
        work_(model),
        derivatives_(model),
        kane_(model),
        reactions_(model),
        generator_(seed) {}

  void one_state() {
    q = model_.random(generator_);
    v = entries();
    a = entries();
    tau = inverse_dynamics(model_, work_, q, v, a);
    M = mass_matrix(model_, work_, q);
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(M, Eigen::EigenvaluesOnly);
    condition = eigen.eigenvalues()(0) > 0 ? eigen.eigenvalues().tail(1)(0) / eigen.eigenvalues()(0)
                                           : INFINITY;
    ledger.note("mass matrix", "positive", "smallest eigenvalue > 0",
                eigen.eigenvalues()(0) > 0 ? 0 : 1, 0.5);
    inverse_routes();
    forward_routes();
    identities();
    reactions();
    derivatives();
  }

  Ledger ledger;

 private:
  Vector entries() {
    std::uniform_real_distribution<double> one(-1, 1);
    Vector x(model_.speeds());
    for (double& e : x) e = one(generator_);
    return x;
  }

  void inverse_routes() {
    constexpr double bound = 1e-11;
    const auto against = [&](const char* name, const Vector& other) {
      ledger.compare("newton-euler", name, "inverse dynamics", tau, other, bound);
    };
    against("kane", kane_.inverse(work_, q, v, a));
    against("newton-euler-4x4", inverse_dynamics_newton_euler_4x4(model_, q, v, a));
    against("lagrange-4x4", inverse_dynamics_lagrange_4x4(model_, q, v, a));
    const Vector bias = bias_efforts(model_, work_, q, v);
    against("M a + bias", M * a + bias);
    const int middle = middle_body(model_);
    if (middle < 0) return;
    try {
      const SpeedMap map = body_speeds(model_, q, v, middle);
      // Speeds near their singularity lose what their condition costs.
      const double lost = inverse_of(map).norm() * map.Y.norm();
      ledger.compare("newton-euler", "kane, middle body", "inverse dynamics", tau,
                     kane_.inverse(work_, q, v, a, map), bound + 1e-14 * lost * lost);
    } catch (const std::runtime_error&) {
      // Singular at this posture, or not enough turns: joint rates serve.
    }
  }

  void forward_routes() {
    // Accelerations carry the condition of the mass matrix.
    const double bound = 1e-12 + 1e-15 * condition;
    const auto back = [&](const char* name, const Vector& other) {
      ledger.compare(name, "inverse dynamics undone", "forward dynamics", other, a, 10 * bound);
    };
    back("articulated-body", forward_dynamics(model_, work_, q, v, tau));
    back("composite-body",
         forward_dynamics(model_, work_, q, v, tau, {}, ForwardMethod::composite_body));
    back("kane", kane_.forward(work_, q, v, tau, joint_rate_speeds(model_)));
    back("lagrange-4x4", forward_dynamics_lagrange_4x4(model_, q, v, tau));
  }

  void identities() {
    ledger.compare("composite-body", "kane", "mass matrix", M,
                   kane_.matrix(work_, q, joint_rate_speeds(model_)), 1e-12);
    ledger.compare("composite-body", "lagrange-4x4", "mass matrix", M,
                   mass_matrix_lagrange_4x4(model_, q), 1e-12);
    ledger.compare("M", "M'", "symmetry", M, M.transpose(), 1e-14);
    const double kinetic = energy(model_, work_, q, v).kinetic, form = 0.5 * v.dot(M * v);
    ledger.note("kinetic energy", "v' M v / 2", "energy",
                std::abs(kinetic - form) / std::max(std::abs(form), 1e-300), 1e-12);
    const Matrix C = coriolis_matrix(model_, q, v);
    const Vector passive = passive_efforts(model_, work_, q, v),
                 gravity = gravity_efforts(model_, work_, q),
                 bias = bias_efforts(model_, work_, q, v);
    ledger.compare("C v", "bias - gravity - friction", "Coriolis", C * v, bias - gravity - passive,
                   1e-11, size_of(bias) + size_of(passive));
    virtual_work();
  }

  void reactions() {
    const auto stacked = [&](const std::vector<Wrench<double>>& list) {
      Matrix rows(list.size(), 6);
      for (std::size_t j = 0; j < list.size(); ++j)
        rows.row(static_cast<Eigen::Index>(j)) = list[j].vector().transpose();
      return rows;
    };
    ledger.compare("newton-euler", "newton-euler-4x4", "joint reactions",
                   stacked(reactions_.compute(work_, q, v, a)),
                   stacked(joint_reactions_newton_euler_4x4(model_, q, v, a)), 1e-11);
    if (!has_moving_mass(model_)) return;
    ledger.compare("A_G v", "sum over the bodies", "centroidal momentum",
                   centroidal_momentum_matrix(model_, work_, q) * v,
                   centroidal_momentum(model_, work_, q, v), 1e-11);
  }

  void virtual_work() {
    const int body = model_.frames()[model_.tip_frame()].body;
    ExternalWrench wrench;
    wrench.body = body;
    wrench.force = {1, 2, 3};
    wrench.moment = {-1, 1, 2};
    Vector6<double> w;
    w << wrench.moment, wrench.force;
    const Vector with = inverse_dynamics(model_, work_, q, v, a, {&wrench, 1});
    const Matrix J = jacobian(model_, work_, q, {body});
    ledger.compare("J' w", "change of efforts", "virtual work", J.transpose() * w, tau - with,
                   1e-11, size_of(tau));
  }

  void derivatives() {
    const InverseDerivatives& d =
        inverse_dynamics_derivatives(model_, work_, derivatives_, q, v, a);
    // Central differences in one direction: error of the difference about 1e-9 of the largest term.
    const Vector direction = entries();
    const double h = 1e-6;
    const Vector q_plus = model_.integrate(q, h * direction),
                 q_minus = model_.integrate(q, -h * direction);
    const Vector up = inverse_dynamics(model_, work_, q_plus, v, a);
    const Vector down = inverse_dynamics(model_, work_, q_minus, v, a);
    ledger.compare("closed form", "differences", "d tau / d q", d.dtau_dq * direction,
                   (up - down) / (2 * h), 1e-6, size_of(tau));
    ledger.compare("derivatives", "composite-body", "mass matrix", d.mass_matrix, M, 1e-12);
  }

  const Model& model_;
  Workspace work_;
  DerivativeWorkspace derivatives_;
  Kane kane_;
  JointReactions reactions_;
  std::mt19937_64 generator_;
  Vector q, v, a, tau;
  Matrix M;
  double condition = 1;
};

}  // namespace

bool VerifyResult::ok() const {
  for (const VerifyPair& pair : pairs)
    if (!pair.ok()) return false;
  return true;
}

VerifyResult verify(const Model& model, const VerifyOptions& options) {
  if (options.states < 1) throw InputError("states is less than one", "a positive number");
  VerifyResult result;
  if (model.speeds() == 0) return result;
  if (!model.loops().empty()) return verify_loops(model, options);
  Verifier verifier(model, options.seed);
  for (; result.states < options.states; ++result.states) {
    verifier.one_state();
    if (options.progress && !options.progress(result.states + 1)) break;
  }
  result.pairs = verifier.ledger.take();
  return result;
}

}  // namespace ulna
