#include "ulna/dynamics/torque_regressor.hpp"

#include <cmath>

#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/model/kernels/spring.hpp"

namespace ulna {
namespace {

constexpr const char* symbols[parameters_per_body] = {"m",   "mx",  "my",  "mz",  "Ixx",
                                                      "Ixy", "Ixz", "Iyy", "Iyz", "Izz"};

BodyPlace place_of(const Body& body) {
  const Matrix3<double>& R = body.X_NB.rotation;
  const Vector3<double>& p = body.X_NB.position;
  return {body.node,
          {R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)},
          {p.x(), p.y(), p.z()}};
}

Inertia<double> inertia_of(const Inertial& inertial) {
  return Inertia<double>::from_centre(inertial.mass, inertial.centre, inertial.inertia);
}

/// Not linear in its stretch.
bool is_curved(const DegreeTerms& t) {
  return t.has_spring() && (t.hardening != 0 || t.backlash != 0);
}

}  // namespace

Eigen::Matrix<double, 10, 1> parameters_of(const Inertia<double>& inertia) {
  const Matrix3<double>& I = inertia.about_origin;
  Eigen::Matrix<double, 10, 1> p;
  p << inertia.mass, inertia.first_moment, I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2);
  return p;
}

Inertia<double> inertia_of_parameters(const Eigen::Matrix<double, 10, 1>& p) {
  Inertia<double> out;
  out.mass = p(0);
  out.first_moment = p.segment<3>(1);
  out.about_origin << p(4), p(5), p(6), p(5), p(7), p(8), p(6), p(8), p(9);
  return out;
}

TorqueRegressor::TorqueRegressor(const Model& model, RegressorTerms terms) : model_(model) {
  model.require_tree("the torque regressor");
  model.require_rigid("the torque regressor");
  add_bodies();
  add_terms(terms);
  Y_.setZero(model.speeds(), columns());
  const int body_columns = parameters_per_body * static_cast<int>(places_.size());
  energy_.setZero(2, body_columns);
  kinetic_.setZero(body_columns);
  potential_.setZero(body_columns);
}

void TorqueRegressor::add_bodies() {
  const Robot& robot = model_.robot();
  std::vector<Inertia<double>> inertias;
  for (const BodyData& data : robot.bodies) inertias.push_back(inertia_of(inertial_of(data)));
  for (const PayloadData& load : robot.payloads)
    inertias[model_.body(load.body) - 1] += transform(load.X_BL, inertia_of(load.inertial));
  parameters_.resize(parameters_per_body * static_cast<int>(inertias.size()));
  for (std::size_t b = 0; b < inertias.size(); ++b) {
    const Body& body = model_.bodies()[b + 1];
    places_.push_back(place_of(body));
    parameters_.segment<parameters_per_body>(parameters_per_body * static_cast<int>(b)) =
        parameters_of(inertias[b]);
    for (const char* symbol : symbols)
      names_.push_back(std::string(symbol) + "(" + body.name + ")");
  }
}

void TorqueRegressor::add_terms(RegressorTerms terms) {
  const int n = model_.speeds();
  // With x = multiplier q + offset, several joints may act on one speed.
  Eigen::MatrixXd values = Eigen::MatrixXd::Zero(n, 5);
  std::vector<bool> curved(static_cast<std::size_t>(n), false);
  for (const DegreeTerms& t : model_.degree_terms()) {
    const double m = t.multiplier, linear = is_curved(t) ? 0 : t.stiffness;
    values.row(t.v) +=
        Eigen::RowVectorXd{{m * m * t.rotor, m * m * t.damping, std::abs(m) * t.friction,
                            m * m * linear, m * linear * (t.offset - t.rest)}};
    curved[t.v] = curved[t.v] || is_curved(t);
  }
  constexpr const char* words[] = {"rotor", "damping", "friction", "stiffness", "preload"};
  const bool wanted[] = {terms.rotors, terms.damping, terms.friction, terms.springs, terms.springs};
  const std::span<const int> coordinate = model_.coordinate_of_speed();
  std::vector<double> added;
  for (int kind = 0; kind < 5; ++kind)
    for (int k = 0; wanted[kind] && k < n; ++k) {
      const bool friction = kind == 1 || kind == 2;
      if (!friction && coordinate[k] < 0) continue;
      const bool spring = kind >= 3;  // one with hardening or play has columns of its own
      if (spring && curved[k] && values(k, 3) == 0) continue;
      terms_.push_back({static_cast<RegressorTerm::Kind>(kind), k, coordinate[k]});
      names_.push_back(std::string(words[kind]) + "(" + model_.speed_names()[k] + ")");
      added.push_back(values(k, kind));
    }
  if (terms.springs) add_curved_springs(added);
  const Eigen::Index bodies = parameters_.size();
  parameters_.conservativeResize(bodies + static_cast<Eigen::Index>(added.size()));
  for (std::size_t k = 0; k < added.size(); ++k)
    parameters_(bodies + static_cast<Eigen::Index>(k)) = added[k];
}

/// Two columns for each spring with hardening or play: which springs share a speed matters then.
void TorqueRegressor::add_curved_springs(std::vector<double>& values) {
  std::vector<int> on_speed(static_cast<std::size_t>(model_.speeds()), 0);
  for (const DegreeTerms& t : model_.degree_terms()) {
    if (!t.has_spring()) continue;
    const int number = ++on_speed[t.v];
    if (!is_curved(t)) continue;
    const std::string name =
        model_.speed_names()[t.v] + (number > 1 ? " " + std::to_string(number) : "") + ")";
    terms_.push_back({RegressorTerm::Kind::stiffness, t.v, t.q, &t});
    names_.push_back("stiffness(" + name);
    values.push_back(t.stiffness);
    if (t.hardening == 0) continue;
    terms_.push_back({RegressorTerm::Kind::hardening, t.v, t.q, &t});
    names_.push_back("hardening(" + name);
    values.push_back(t.hardening);
  }
}

const Eigen::MatrixXd& TorqueRegressor::operator()(Workspace& work, const VectorRef& q,
                                                   const VectorRef& v, const VectorRef& a) {
  update_motions(model_, work, q, v, a);
  torque_regressor(view<double>(model_.topology(), model_.parameters()), work.view(),
                   places_.data(), static_cast<int>(places_.size()), work.jacobian.data(),
                   Y_.data());
  Eigen::Index column = parameters_per_body * static_cast<Eigen::Index>(places_.size());
  for (const RegressorTerm& t : terms_) {
    if (t.spring) {
      const double y = felt_stretch(*t.spring, spring_stretch(*t.spring, q.data()));
      const bool hardening = t.kind == RegressorTerm::Kind::hardening;
      Y_(t.speed, column++) = t.spring->multiplier * (hardening ? y * y * y : y);
      continue;
    }
    const double values[] = {a(t.speed), v(t.speed), sign(v(t.speed)),
                             t.coordinate < 0 ? 0 : q(t.coordinate), 1};
    Y_(t.speed, column++) = values[static_cast<int>(t.kind)];
  }
  return Y_;
}

const Eigen::MatrixXd& TorqueRegressor::energy(Workspace& work, const VectorRef& q,
                                               const VectorRef& v) {
  update_motions(model_, work, q, v, work.zero());
  energy_regressor(view<double>(model_.topology(), model_.parameters()), work.view(),
                   places_.data(), static_cast<int>(places_.size()), kinetic_.data(),
                   potential_.data());
  energy_.row(0) = kinetic_;
  energy_.row(1) = potential_;
  return energy_;
}

}  // namespace ulna
