#pragma once
// The torque regressor of a model with named columns. docs/theory/regressor.md.
//
//   ulna::TorqueRegressor regressor(model);
//   tau = regressor(work, q, v, a) * regressor.parameters();
//
// Parameters are those of the user's bodies in the user's frames: mass, first moment and inertia
// matrix about the origin of the body's frame, payloads included. Then, where asked for, what acts
// along each speed.

#include <string>
#include <vector>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/kernels/regressor.hpp"

namespace ulna {

/// Columns besides the ten of each body, one per speed; rotors and springs only for joints with
/// axes.
struct RegressorTerms {
  bool rotors = false;    ///< rotor inertia felt by the speed: a
  bool damping = false;   ///< viscous friction: v
  bool friction = false;  ///< Coulomb friction: sign(v)
  /// Springs that are linear, stiffness: q, and preload: 1. Those with hardening or play, whose
  /// rest and play count as known, stiffness: y, and hardening: y^3 (y as in spring.hpp).
  bool springs = false;

  static RegressorTerms all() { return {true, true, true, true}; }
};

/// What a column after those of the bodies stands for.
struct RegressorTerm {
  enum class Kind { rotor, damping, friction, stiffness, preload, hardening };
  Kind kind;
  int speed;
  int coordinate;                       ///< -1 for spherical and free joints
  const DegreeTerms* spring = nullptr;  ///< one with hardening or play: stiffness and hardening
};

class ULNA_API TorqueRegressor {
 public:
  /// The model must outlive it, and have no loops.
  explicit TorqueRegressor(const Model& model, RegressorTerms terms = {});

  int columns() const { return static_cast<int>(names_.size()); }
  /// "m(link1)", "mx(link1)", ..., "Izz(link1)", ..., "rotor(joint1)", "damping(joint1)", ...
  const std::vector<std::string>& names() const { return names_; }
  /// The values of the model itself: inverse_dynamics = Y parameters, but for terms left out.
  const Eigen::VectorXd& parameters() const { return parameters_; }
  const Model& model() const { return model_; }
  /// Where the bodies are on their nodes: what the kernel takes.
  const std::vector<BodyPlace>& places() const { return places_; }
  /// The columns after 10 per body.
  const std::vector<RegressorTerm>& terms() const { return terms_; }

  /// Y(q, v, a), speeds x columns. Left here until the next call; allocates nothing.
  const Eigen::MatrixXd& operator()(Workspace& work, const VectorRef& q, const VectorRef& v,
                                    const VectorRef& a);
  /// Kinetic and potential energy of the bodies (first and second row) by their parameters, 2 x 10
  /// bodies. Rotors and springs are not included.
  const Eigen::MatrixXd& energy(Workspace& work, const VectorRef& q, const VectorRef& v);

 private:
  void add_bodies();
  void add_terms(RegressorTerms terms);
  void add_curved_springs(std::vector<double>& values);

  const Model& model_;
  std::vector<BodyPlace> places_;
  std::vector<RegressorTerm> terms_;
  std::vector<std::string> names_;
  Eigen::VectorXd parameters_;
  Eigen::MatrixXd Y_, energy_;
  Eigen::VectorXd kinetic_, potential_;
};

/// The ten parameters of a body: m, m c and the inertia matrix about the frame's origin.
ULNA_API Eigen::Matrix<double, 10, 1> parameters_of(const Inertia<double>& inertia);
/// The reverse.
ULNA_API Inertia<double> inertia_of_parameters(const Eigen::Matrix<double, 10, 1>& parameters);

}  // namespace ulna
