#include "ulna/model/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/model/internal/check_size.hpp"
#include "ulna/model/kernels/exact_beam.hpp"
#include "ulna/model/other_scalars.hpp"
#include "ulna/model/parts/force_formula.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

template <class Items>
int find(const Items& items, const std::string& name, const char* what, const std::string& robot) {
  for (std::size_t k = 0; k < items.size(); ++k)
    if (items[k].name == name) return static_cast<int>(k);
  std::vector<std::string> known;
  for (const auto& item : items) known.push_back(item.name);
  const std::string hint = nearest_name_hint(name, known);
  constexpr std::size_t few = 20;
  const bool list = hint.empty() && !known.empty() && known.size() <= few;
  throw InputError(fmt::format("robot '{}' has no {} '{}'", robot, what, name),
                   list ? fmt::format("one of {}", fmt::join(known, ", ")) : std::string{}, hint);
}

}  // namespace

int Model::frame(const std::string& name) const {
  return find(frames_, name, "frame or body", robot_.name);
}
int Model::body(const std::string& name) const { return find(bodies_, name, "body", robot_.name); }
int Model::joint(const std::string& name) const {
  return find(joints_, name, "joint", robot_.name);
}
int Model::degree(const std::string& name) const {
  return find(degrees_, name, "degree of freedom", robot_.name);
}

int Model::actuator(const std::string& name) const {
  std::vector<std::string> known;
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    if (elements_[k].type != ElementData::Type::actuator) continue;
    if (elements_[k].name == name) return static_cast<int>(k);
    known.push_back(elements_[k].name);
  }
  throw InputError(
      fmt::format("robot '{}' has no actuator '{}' among its elements", robot_.name, name),
      known.empty() ? "an element of type actuator" : fmt::format("{}", fmt::join(known, ", ")),
      nearest_name_hint(name, known));
}

void Model::set_actuator_force(int element, double force) {
  Element& e = elements_.at(static_cast<std::size_t>(element));
  if (e.type != ElementData::Type::actuator)
    throw InputError(fmt::format("{} '{}' has no force that can be set", name_of(e.type), e.name),
                     "an element of type actuator");
  e.force = force;
  e.formula.reset();
  // What is made from the data of this robot has the force as well.
  ElementData& data = robot_.elements[static_cast<std::size_t>(element)];
  data.force = force;
  data.formula.clear();
}

void Model::set_time(double t) {
  for (Element& e : elements_) e.time = t;
}

bool Model::has_timed_elements() const {
  return std::any_of(elements_.begin(), elements_.end(), [](const Element& e) {
    return e.formula && e.formula->uses(ForceFormula::Code::time);
  });
}

Eigen::VectorXd Model::neutral() const {
  Eigen::VectorXd q = Eigen::VectorXd::Zero(coordinates());
  for (const TreeNode& node : topology_.nodes)
    if (node.kind == NodeKind::spherical || node.kind == NodeKind::free) q(node.q) = 1;
  return q;
}

Eigen::VectorXd Model::random(std::mt19937_64& generator) const {
  Eigen::VectorXd q(coordinates());
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> share(0, 1);
  const auto uniform = [&](int k, double span) {
    const bool below = std::isfinite(lower_(k)), above = std::isfinite(upper_(k));
    const double low = below ? lower_(k) : above ? upper_(k) - 2 * span : -span;
    const double high = above ? upper_(k) : low + 2 * span;
    return std::clamp(low + share(generator) * (high - low), low, high);
  };
  for (const Joint& joint : joints_) {
    if (joint.coordinates == 0) continue;
    for (int i = joint.first_node; i < joint.first_node + joint.node_count; ++i) {
      const TreeNode& node = topology_.nodes[i];
      if (node.kind == NodeKind::screw) {
        q(node.q) = uniform(node.q, node.sigma != 0 ? M_PI : 1.0);
        continue;
      }
      for (int k = 0; k < 4; ++k) q(node.q + k) = normal(generator);
      q.segment<4>(node.q).normalize();
      if (node.kind == NodeKind::free)
        for (int k = 4; k < 7; ++k) q(node.q + k) = uniform(node.q + k, 1.0);
    }
  }
  // A tip moves by about twice its first mode: deflections of some percent of the length. Elements
  // turn by a tenth of a radian and stretch by a percent.
  for (const FlexibleLink& link : flexible_links_)
    for (int k = 0; k < link.modal->modes; ++k) {
      const BeamElements* elements = link.modal->elements.get();
      const double size = !elements ? 0.02 * link.modal->length / (1 + k)
                          : link.modal->names[k].starts_with('t')
                              ? 0.1
                              : 0.01 * elements->list[0].body->length;
      q(link.q + k) = size * (2 * share(generator) - 1);
    }
  return q;
}

Eigen::VectorXd Model::integrate(const VectorRef& q, const VectorRef& dv) const {
  check_size(*this, q, coordinates(), "q");
  Eigen::VectorXd next = q;
  move_along(next, dv);
  return next;
}

void Model::move_along(Eigen::VectorXd& q, const VectorRef& dv) const {
  check_size(*this, q, coordinates(), "q");
  check_size(*this, dv, speeds(), "the step");
  for (const TangentBlock& block : blocks_) {
    if (block.kind == TangentBlock::Kind::line) {
      q.segment(block.q, block.speeds) += dv.segment(block.v, block.speeds);
      continue;
    }
    const Quaternion<double> from = q.segment<4>(block.q);
    const Vector3<double> turn = dv.segment<3>(block.v);
    q.segment<4>(block.q) = quaternion_product(from, exp_quaternion(turn)).normalized();
    if (block.kind == TangentBlock::Kind::free) {
      // A constant twist in the moving axes for unit time is a screw motion.
      const Vector6<double> twist = dv.segment<6>(block.v);
      q.segment<3>(block.q + 4) += rotation_from_quaternion(from) * exp_twist(twist).position;
    }
  }
}

Eigen::VectorXd Model::difference(const VectorRef& q0, const VectorRef& q1) const {
  check_size(*this, q0, coordinates(), "q0");
  check_size(*this, q1, coordinates(), "q1");
  Eigen::VectorXd dv(speeds());
  for (const TangentBlock& block : blocks_) {
    if (block.kind == TangentBlock::Kind::line) {
      dv.segment(block.v, block.speeds) =
          q1.segment(block.q, block.speeds) - q0.segment(block.q, block.speeds);
      continue;
    }
    const Quaternion<double> from = q0.segment<4>(block.q), to = q1.segment<4>(block.q);
    const Quaternion<double> between = quaternion_product(quaternion_conjugate(from), to);
    if (block.kind == TangentBlock::Kind::ball) {
      dv.segment<3>(block.v) = log_quaternion(between);
      continue;
    }
    const Vector3<double> shift = q1.segment<3>(block.q + 4) - q0.segment<3>(block.q + 4);
    dv.segment<6>(block.v) = log_pose(Pose<double>{
        rotation_from_quaternion(between), rotation_from_quaternion(from).transpose() * shift});
  }
  return dv;
}

Eigen::VectorXd Model::normalized(const VectorRef& q) const {
  check_size(*this, q, coordinates(), "q");
  Eigen::VectorXd unit = q;
  for (const TangentBlock& block : blocks_) {
    if (block.kind == TangentBlock::Kind::line) continue;
    const double norm = q.segment<4>(block.q).norm();
    if (!(norm > 1e-12))
      throw InputError(
          fmt::format("joint '{}': its quaternion has length {}", joints_[block.joint].name, norm),
          "a quaternion that is not zero", "1,0,0,0 means no turn");
    unit.segment<4>(block.q) /= norm;
  }
  return unit;
}

void Model::refuse_flexible(const std::string& what) const {
  throw InputError(
      fmt::format("robot '{}' has flexible body '{}': {} is not available for flexible robots",
                  name(), bodies_[flexible_links_[0].body].name, what),
      "a robot without flexible bodies", "without `flexible` its beams are rigid rods");
}

/// A flexible body, or one of the elements it is made of.
static bool is_part_of(const ModalBody& part, const ModalBody& whole) {
  if (&part == &whole) return true;
  if (const BeamElements* elements = whole.elements.get())
    for (const auto& element : elements->list)
      if (element.body.get() == &part) return true;
  return false;
}

Carrier Model::carrier(int body, const Vector3<double>& point) const {
  const Body& b = bodies_.at(static_cast<std::size_t>(body));
  const Carrier on_body{b.node, b.X_NB * Pose<double>::translation(point)};
  for (const FlexibleLink& link : flexible_links_) {
    if (link.body != body) continue;
    const double l = link.modal->length;
    const double x = std::min(std::max(on_body.X_NF.position.x(), 0.0), l);
    if (x < 1e-9 * l && !link.modal->turns_at_root) return on_body;
    for (std::size_t i = 0; i < topology_.nodes.size(); ++i) {
      const TreeNode& node = topology_.nodes[i];
      if (node.kind != NodeKind::station || !is_part_of(*node.modal, *link.modal)) continue;
      const double at = node.modal->stations[node.station].x;
      if (std::abs(at - x) > 1e-9 * l) continue;
      return {static_cast<int>(i), Pose<double>::translation({-at, 0, 0}) * on_body.X_NF};
    }
    throw InputError(
        fmt::format("nothing is fixed at {:.6g} m along flexible body '{}'", x, b.name),
        "a section that carries a frame, a joint or a body", "put a frame of the robot there");
  }
  return on_body;
}

void Model::require_tree(const std::string& what) const {
  if (loops_.empty()) return;
  throw InputError(fmt::format("robot '{}' has a loop closed by joint '{}': {} is offered for "
                               "robots without loops only",
                               name(), loops_[0].joint, what),
                   "a robot without loops",
                   "robots with loops have inverse, forward, mass, energy, influence and simulate "
                   "(in C++ LoopDynamics and CoordinateMap)");
}

void refuse_size(const Model& model, long found, int expected, const char* what) {
  throw InputError(fmt::format("{} has {} entries for robot '{}'", what, found, model.name()),
                   fmt::format("{}", expected));
}

void refuse_workspace(const Model& model) {
  throw InputError("the workspace was made for another robot",
                   fmt::format("a Workspace made from the model of '{}'", model.name()));
}

void refuse_frame(const Model& model, int frame) {
  throw InputError(fmt::format("robot '{}' has no frame number {}", model.name(), frame),
                   fmt::format("0 .. {}", model.frames().size() - 1),
                   "get it from Model::frame(name)");
}

void coordinate_rates(const Model& model, const VectorRef& q, const VectorRef& v,
                      Eigen::Ref<Eigen::VectorXd> rates) {
  for (const TangentBlock& block : model.blocks()) {
    if (block.kind == TangentBlock::Kind::line) {
      rates.segment(block.q, block.speeds) = v.segment(block.v, block.speeds);
      continue;
    }
    const Quaternion<double> turn = q.segment<4>(block.q);
    const Vector3<double> w = v.segment<3>(block.v);
    rates.segment<4>(block.q) = quaternion_rate(turn, w);
    if (block.kind == TangentBlock::Kind::free)
      rates.segment<3>(block.q + 4) =
          rotation_from_quaternion<double>(turn.normalized()) * v.segment<3>(block.v + 3);
  }
}

Eigen::VectorXd coordinate_rates(const Model& model, const VectorRef& q, const VectorRef& v) {
  Eigen::VectorXd rates = Eigen::VectorXd::Zero(model.coordinates());
  coordinate_rates(model, q, v, rates);
  return rates;
}

}  // namespace ulna
