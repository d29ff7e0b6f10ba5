// Verify for robots with flexible bodies: the two routes of forward dynamics, the mass matrix from
// unit accelerations and from the energy, the balance of power, Jacobians against motions.

#include <limits>

#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/internal/energy_rate.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/numerics/dense.hpp"
#include "verify/ledger.hpp"

namespace ulna {
namespace {

/// Some thousand operations on numbers of size one; forward dynamics by the condition of M.
constexpr double rounding = 1e-11;

class FlexibleVerifier {
 public:
  FlexibleVerifier(const Model& model, unsigned seed)
      : model_(model), work_(model), generator_(seed) {}

  void one_state() {
    const Eigen::VectorXd q = model_.random(generator_), v = entries(), a = entries();
    const Eigen::VectorXd tau = inverse_dynamics(model_, work_, q, v, a);
    const Eigen::MatrixXd M = mass_matrix(model_, work_, q);
    forward(q, v, a, tau, std::max(rounding, forward_bound(q, v, a, M)));
    columns(q, M);
    const Energy e = energy(model_, work_, q, v);
    ledger.compare("mass-matrix", "energy", "kinetic energy", scalar(0.5 * v.dot(M * v)),
                   scalar(e.kinetic), rounding);
    const EnergyRate rate = energy_rate(model_, work_, q, v, a);
    const double lost = dissipated_power(model_, q, v);
    ledger.compare("newton-euler", "energy", "power", scalar(tau.dot(v) - lost),
                   scalar(rate.kinetic + rate.potential), rounding,
                   std::abs(rate.kinetic) + std::abs(rate.potential) + tau.norm() * v.norm());
    motions(q, v, a);
  }
  Ledger ledger;

 private:
  static Eigen::MatrixXd scalar(double x) { return Eigen::MatrixXd::Constant(1, 1, x); }
  Eigen::VectorXd entries() {
    std::uniform_real_distribution<double> uniform(-1, 1);
    Eigen::VectorXd x(model_.speeds());
    for (double& e : x) e = uniform(generator_);
    return x;
  }

  /// The efforts M a + h carry the rounding of both parts, and of h the elastic forces K eta of
  /// stiff links are the largest; M^-1 hands it on: |da| <= c eps |M^-1| (|h| + |M| |a|), relative
  /// to |a|. c: some fifty operations behind each entry.
  double forward_bound(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                       const Eigen::MatrixXd& M) {
    constexpr double c_eps = 50 * std::numeric_limits<double>::epsilon();
    const Eigen::VectorXd h =
        inverse_dynamics(model_, work_, q, v, Eigen::VectorXd::Zero(model_.speeds()));
    const auto norm = [](const Eigen::MatrixXd& x) {
      return x.cwiseAbs().rowwise().sum().maxCoeff();
    };
    const Eigen::MatrixXd inverse =
        dense::Cholesky(M).solve(Eigen::MatrixXd::Identity(M.rows(), M.cols()));
    return c_eps * norm(inverse) * (size_of(h) / size_of(a) + norm(M));
  }

  void forward(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
               const Eigen::VectorXd& tau, double bound) {
    const Eigen::VectorXd composite =
        forward_dynamics(model_, work_, q, v, tau, {}, ForwardMethod::composite_body);
    ledger.compare("composite-body", "given", "acceleration", composite, a, bound);
    if (model_.topology().shared_speeds) return;
    const Eigen::VectorXd articulated =
        forward_dynamics(model_, work_, q, v, tau, {}, ForwardMethod::articulated_body);
    ledger.compare("articulated-body", "composite-body", "acceleration", articulated, composite,
                   bound);
  }

  void columns(const Eigen::VectorXd& q, const Eigen::MatrixXd& M) {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model_.speeds());
    const Eigen::VectorXd rest = inverse_dynamics(model_, work_, q, zero, zero);
    Eigen::MatrixXd found(M.rows(), M.cols());
    for (int k = 0; k < model_.speeds(); ++k)
      found.col(k) =
          inverse_dynamics(model_, work_, q, zero, Eigen::VectorXd::Unit(model_.speeds(), k)) -
          rest;
    ledger.compare("composite-body", "newton-euler", "mass matrix", M, found, rounding,
                   size_of(rest));
  }

  void motions(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a) {
    const int tip = model_.tip_frame();
    update_motions(model_, work_, q, v, a);
    const Vector6<double> V = frame_velocity(model_, work_, tip).vector(),
                          A = frame_acceleration(model_, work_, tip).vector();
    const Jacobian J = jacobian(model_, work_, q, {tip});
    ledger.compare("jacobian", "motion", "tip velocity", J * v, V, rounding);
    ledger.compare("jacobian", "motion", "tip acceleration",
                   J * a + jacobian_derivative(model_, q, v, {tip}) * v, A, rounding);
  }

  const Model& model_;
  Workspace work_;
  std::mt19937_64 generator_;
};

}  // namespace

VerifyResult verify_flexible(const Model& model, const VerifyOptions& options) {
  VerifyResult result;
  FlexibleVerifier verifier(model, options.seed);
  while (result.states < options.states) {
    verifier.one_state();
    ++result.states;
    if (options.progress && !options.progress(result.states)) break;
  }
  result.partial = result.states < options.states;
  result.pairs = verifier.ledger.take();
  return result;
}

}  // namespace ulna
