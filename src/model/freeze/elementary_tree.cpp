#include "freeze/elementary_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/model/joints/joint_traits.hpp"

namespace ulna {
namespace {

/// Places on a beam nearer than this part of its length are one.
constexpr double near = 1e-9;

/// Whether a joint translates along the axis (x of R) of a beam, given R in the joint's frame.
bool slides_along(const JointData& joint, const Pose<double>& X_JR) {
  const bool slides = traits_of(joint.type).slides_along_axis();
  // To a thousandth of a radian; across it the joint is a guide fixed to its place on the beam.
  return slides && std::abs(X_JR.rotation.col(0).dot(joint.axis)) > (1 - 1e-6) * joint.axis.norm();
}

[[noreturn]] void refuse(const JointData& joint, std::string what, std::string expected,
                         std::string hint = {}) {
  throw InputError(Problem{joint.mark, "joint '" + joint.name + "'", std::move(what),
                           std::move(expected), std::move(hint)});
}

[[noreturn]] void refuse_sliding(const JointData& joint, const std::string& body) {
  refuse(joint, fmt::format("slides along flexible body '{}'", body),
         "a joint that stays at its place on the beam",
         "beams of varying length and loads moving along a flexible body are not modelled");
}

/// The modes of a body clamped at that end of its axis which the joint holds.
std::shared_ptr<const ModalBody> held_modes(const BodyData& body, const JointData& joint,
                                            const Pose<double>& X_MB) {
  const ModalBody& modal = *body.modal;
  const double at = (modal.X_BR.inverse() * X_MB.inverse().position).x();
  const double slack = near * modal.length;
  if (at <= slack) return body.modal;
  if (at >= modal.length - slack) {
    if (modal.reversed) return modal.reversed();
    refuse(joint, fmt::format("holds flexible body '{}' at its end", body.name),
           "its start: modes from a file are held there");
  }
  if (slides_along(joint, X_MB * modal.X_BR)) refuse_sliding(joint, body.name);
  refuse(joint,
         fmt::format("holds flexible body '{}' at {:.6g} m along its beam of {:.6g} m", body.name,
                     at, modal.length),
         "one of its ends", "split the body in two beams joined by a fixed joint");
}

}  // namespace

ElementaryTree::ElementaryTree(const Robot& robot)
    : robot_(robot),
      nodes_{{0, {}, NodeKind::screw, -1, -1}},
      node_of_body_(robot.bodies.size() + 1, 0),
      X_EB_(robot.bodies.size() + 1) {}

int ElementaryTree::add(const Elementary& node) {
  nodes_.push_back(node);
  return size() - 1;
}

void ElementaryTree::place(int body, int node, const Pose<double>& X_EB) {
  node_of_body_[body] = node;
  X_EB_[body] = X_EB;
}

std::shared_ptr<ModalBody> ElementaryTree::place_flexible(int body, const JointData& joint,
                                                          int node, const Pose<double>& X_EM,
                                                          const Pose<double>& X_MB, int q, int v) {
  auto own = std::make_shared<ModalBody>(*held_modes(data(body), joint, X_MB));
  own->stations.clear();
  modal_of_body_[body] = own;
  Elementary root{node, X_EM * X_MB * own->X_BR, NodeKind::flexible, q, v};
  root.modal = own.get();
  place(body, size(), own->X_BR.inverse());
  if (own->elements)
    place_elements(*own, root);
  else
    root_of_[own.get()] = add(root);
  return own;
}

void ElementaryTree::place_elements(ModalBody& whole, Elementary root) {
  auto own = std::make_shared<BeamElements>(*whole.elements);
  for (BeamElements::Element& element : own->list) {
    element.body = std::make_shared<ModalBody>(*element.body);  // with stations of this robot
    element.body->stations.clear();
    root.modal = element.body.get();
    const int node = root_of_[element.body.get()] = add(root);
    for (const BeamSlice& slice : element.slices)
      slices_.push_back(
          {slice.x > 0 ? station_at(*element.body, slice.x, element.start) : node, slice.inertial});
    root = {station_at(*element.body, element.body->length, element.start),
            {},
            NodeKind::flexible,
            root.q + element.body->modes,
            root.v + element.body->modes};
  }
  whole.elements = own;
}

CarriedFrame ElementaryTree::start_of(const JointData& joint, int body, const Pose<double>& X_BF) {
  if (const auto found = modal_of_body_.find(body); found != modal_of_body_.end()) {
    // A guide at the far end holds what slides out of it there, which is modelled.
    const Pose<double> X_RJ = X_EB_[body] * X_BF;
    const bool at_end = X_RJ.position.x() >= (1 - near) * found->second->length;
    if (!at_end && slides_along(joint, X_RJ.inverse())) refuse_sliding(joint, data(body).name);
  }
  return carried(body, X_BF);
}

CarriedFrame ElementaryTree::carried(int body, const Pose<double>& X_BF) {
  const Pose<double> X = X_EB_[body] * X_BF;
  const auto found = modal_of_body_.find(body);
  if (found == modal_of_body_.end()) return {node_of_body_[body], X};
  ModalBody& modal = *found->second;
  double x = std::clamp(X.position.x(), 0.0, modal.length);
  if (x > (1 - near) * modal.length) x = modal.length;
  if (x < near * modal.length) x = 0;
  if (x == 0 && !modal.turns_at_root) return {node_of_body_[body], X};
  return {section_node(modal, x), Pose<double>::translation({-x, 0, 0}) * X};
}

int ElementaryTree::section_node(ModalBody& modal, double x) {
  const BeamElements* elements = modal.elements.get();
  if (!elements) return station_at(modal, x);
  for (const BeamElements::Element& element : elements->list)
    if (x <= element.start + (1 + near) * element.body->length)
      return station_at(*element.body, x - element.start, element.start);
  const BeamElements::Element& last = elements->list.back();
  return station_at(*last.body, last.body->length, last.start);
}

int ElementaryTree::station_at(ModalBody& modal, double x, double start) {
  const auto same = [&](const auto& s) {
    return std::abs(s.x - (start + x)) <= near * modal.length;
  };
  const auto known = std::find_if(modal.stations.rbegin(), modal.stations.rend(), same);
  if (known != modal.stations.rend())
    return station_nodes_[{&modal, static_cast<int>(modal.stations.rend() - known) - 1}];
  const int root = root_of_[&modal], station = static_cast<int>(modal.stations.size());
  modal.stations.push_back(modal.station_at(x));
  Elementary node{root, Pose<double>::translation({x, 0, 0}), NodeKind::station, nodes_[root].q,
                  nodes_[root].v};
  node.modal = &modal;
  node.station = station;
  return station_nodes_[{&modal, station}] = add(node);
}

CarriedFrame ElementaryTree::carried(const NormalForm& form, int body, const Pose<double>& X_BF) {
  const CarriedFrame in_E = carried(body, X_BF);
  return {in_E.node, form.X_EN[in_E.node].inverse() * in_E.X_NF};
}

}  // namespace ulna
