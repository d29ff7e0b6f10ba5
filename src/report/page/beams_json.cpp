#include "page/beams_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "page/binary.hpp"
#include "page/text.hpp"
#include "ulna/dynamics/internal/deflection.hpp"

namespace ulna {
namespace {

using Vec = Vector3<double>;

/// Where joints sit on a body; frames of one that carries no further joint.
std::vector<Vec> ends_of(const Model& model, const std::string& body) {
  std::vector<Vec> points;
  bool last = true;
  for (const JointData& joint : model.robot().joints) {
    if (joint.parent == body) points.push_back(joint.X_PF.position), last = false;
    if (joint.child == body) points.push_back(joint.X_MC.inverse().position);
  }
  for (const FrameData& frame : model.robot().frames)
    if (last && frame.body == body) points.push_back(frame.X_BF.position);
  return points;
}

}  // namespace

BeamTrack::BeamTrack(const Model& model) : model_(model) {
  for (int k = 0; k < static_cast<int>(model.flexible_links().size()); ++k) {
    const double length = model.flexible_links()[k].modal->length;
    Line beam{k, false, {}, std::vector<Vec>(points, Vec::Zero()), {}};
    for (int i = 0; i < points; ++i) beam.sections.push_back(length * i / (points - 1));
    lines_.push_back(std::move(beam));
    add_ends(k);
  }
}

void BeamTrack::add_ends(int link) {
  const FlexibleLink& flexible = model_.flexible_links()[link];
  const ModalBody& body = *flexible.modal;
  for (const Vec& point : ends_of(model_, model_.bodies()[flexible.body].name)) {
    const Vec place = body.X_BR.inverse() * point;
    const double x = std::clamp(place.x(), 0.0, body.length);
    const Vec offset = place - Vec(x, 0, 0);
    if (offset.norm() < 1e-3 * body.length) continue;  // it sits on the beam
    lines_.push_back({link, true, {x, x}, {Vec::Zero(), offset}, {}});
  }
}

void BeamTrack::add(const VectorRef& q) {
  for (Line& line : lines_) {
    const ModalBody& body = *model_.flexible_links()[line.link].modal;
    for (std::size_t i = 0; i < line.sections.size(); ++i) {
      const double x = line.sections[i];
      const Vec now = section_pose(model_, line.link, q, x) * line.offsets[i];
      const Vec rest = Vec(x, 0, 0) + line.offsets[i];
      for (const double d : Vec(body.X_BR.rotation * (now - rest)))
        line.deflections.push_back(static_cast<float>(d));
    }
  }
}

nlohmann::ordered_json BeamTrack::json(double radius) const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Line& line : lines_) {
    const FlexibleLink& link = model_.flexible_links()[line.link];
    std::vector<float> rest;
    for (std::size_t i = 0; i < line.sections.size(); ++i)
      for (const double x :
           Vec(link.modal->X_BR * Vec(Vec(line.sections[i], 0, 0) + line.offsets[i])))
        rest.push_back(static_cast<float>(x));
    list.push_back({{"name", clean_utf8(model_.bodies()[link.body].name)},
                    {"body", link.body},
                    {"end", line.end},
                    {"radius", line.end ? 1.5 * radius : radius},
                    {"rest", base64_of(rest)},
                    {"deflection", base64_of(line.deflections)}});
  }
  return list;
}

}  // namespace ulna
