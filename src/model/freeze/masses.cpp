#include "freeze/masses.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/model/internal/reweigh.hpp"
#include "ulna/model/joints/joint_traits.hpp"
#include "ulna/spatial/inertia.hpp"

namespace ulna {

void carry(const CarriedFrame& at, const Inertial& own, std::vector<Inertia<double>>& inertia) {
  inertia[at.node] +=
      transform(at.X_NF, Inertia<double>::from_centre(own.mass, own.centre, own.inertia));
}

void add_rigid(const Model& model, std::vector<Inertia<double>>& inertia) {
  const Robot& robot = model.robot();
  for (std::size_t b = 0; b < robot.bodies.size(); ++b) {
    const Body& body = model.bodies()[b + 1];
    if (!robot.bodies[b].modal)
      carry({body.node, body.X_NB}, inertial_of(robot.bodies[b]), inertia);
  }
  for (const PayloadData& load : robot.payloads) {
    const int b = model.body(load.body);
    const Body& body = model.bodies()[b];
    if (b == 0 || !robot.bodies[b - 1].modal)
      carry({body.node, body.X_NB * load.X_BL}, load.inertial, inertia);
  }
}

namespace {

void store(const Inertia<double>& inertia, NodeParameters<double>& node) {
  const Matrix4<double> J = inertia.pseudo();
  // Moments that are rounding of the transforms are cleaned against the size of the body's own.
  const double second = J.topLeftCorner<3, 3>().cwiseAbs().maxCoeff();
  const double first = J.topRightCorner<3, 1>().cwiseAbs().maxCoeff();
  const auto clean = [](double x, double size) { return std::abs(x) < 2e-15 * size ? 0.0 : x; };
  node.mass = inertia.mass;
  for (int k = 0; k < 3; ++k) {
    node.first_moment[k] = clean(J(k, 3), first);
    node.second_moment[k] = clean(J(k, k), second);
  }
  node.second_moment[3] = clean(J(0, 1), second);
  node.second_moment[4] = clean(J(0, 2), second);
  node.second_moment[5] = clean(J(1, 2), second);
}

}  // namespace

double store(const std::vector<Inertia<double>>& inertia,
             std::vector<NodeParameters<double>>& nodes) {
  double mass = 0;
  for (std::size_t i = 0; i < inertia.size(); ++i) {
    store(inertia[i], nodes[i]);
    mass += inertia[i].mass;
  }
  return mass;
}

void add_degree_terms(const JointData& data, const JointDrive& drive,
                      std::vector<DegreeTerms>& list) {
  for (std::size_t k = 0; k < data.degrees.size(); ++k) {
    const DegreeData& d = data.degrees[k];
    const int coordinate = traits_of(data.type).coordinate_of_speed(static_cast<int>(k));
    DegreeTerms terms{drive.q + std::max(coordinate, 0),
                      drive.v + static_cast<int>(k),
                      drive.multiplier,
                      drive.offset,
                      d.damping,
                      d.friction,
                      d.stiffness,
                      d.rest,
                      d.rotor_inertia * d.gear_ratio * d.gear_ratio,
                      d.hardening,
                      d.backlash};
    if (terms.damping != 0 || terms.friction != 0 || terms.has_spring() || terms.rotor != 0)
      list.push_back(terms);
  }
}

std::vector<double> armature_of(const Model& model) {
  std::vector<double> all(static_cast<std::size_t>(model.speeds()), 0.0);
  for (const DegreeTerms& terms : model.degree_terms())
    all[terms.v] += terms.multiplier * terms.multiplier * terms.rotor;
  return all;
}

bool can_be_reweighed(const Model& model) {
  const Robot& robot = model.robot();
  return !model.flexible() && model.loops().empty() && !model.platform() &&
         model.joints().size() == robot.joints.size() &&
         std::ranges::none_of(robot.joints,
                              [](const JointData& joint) { return joint.mimic.has_value(); }) &&
         std::ranges::all_of(robot.bodies, [](const BodyData& body) { return body.beams.empty(); });
}

bool has_possible_numbers(const Robot& before, const Robot& after) {
  const auto weighs = [](const Inertial& own) {
    return std::isfinite(own.mass) && own.mass >= 0 && own.centre.allFinite();
  };
  const auto turns = [](const Inertial& was, const Inertial& is) {
    return is.inertia == was.inertia ||
           (is.inertia.allFinite() && why_impossible(is.mass, is.inertia).empty());
  };
  // Where mass is decides where the tip of an arm is.
  for (std::size_t b = 0; b < after.bodies.size(); ++b)
    if (!weighs(after.bodies[b].inertial) ||
        !turns(before.bodies[b].inertial, after.bodies[b].inertial) ||
        (after.bodies[b].inertial.mass > 0) != (before.bodies[b].inertial.mass > 0))
      return false;
  for (std::size_t k = 0; k < after.payloads.size(); ++k) {
    const Inertial& own = after.payloads[k].inertial;
    const Inertial before_it =
        k < before.payloads.size() ? before.payloads[k].inertial : Inertial{};
    if (!weighs(own) || !turns(before_it, own)) return false;
  }
  for (const JointData& joint : after.joints)
    for (const DegreeData& d : joint.degrees) {
      for (const double value :
           {d.damping, d.friction, d.stiffness, d.hardening, d.backlash, d.rotor_inertia})
        if (!(std::isfinite(value) && value >= 0)) return false;
      if (!std::isfinite(d.rest) || !std::isfinite(d.gear_ratio) || d.gear_ratio == 0) return false;
    }
  return after.gravity.allFinite();
}

}  // namespace ulna
