#include "page/beams_json.hpp"

#include <nlohmann/json.hpp>

#include "page/binary.hpp"
#include "page/text.hpp"
#include "ulna/dynamics/internal/deflection.hpp"

namespace ulna {
namespace {

/// The undeformed place of a section, in the frame of the body.
Vector3<double> rest_of(const ModalBody& body, double x) {
  return body.X_BR * Vector3<double>(x, 0, 0);
}

}  // namespace

void BeamTrack::add(const VectorRef& q) {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const ModalBody& body = *model_.flexible_links()[k].modal;
    for (int i = 0; i < points; ++i) {
      const double x = body.length * i / (points - 1);
      const Vector3<double> now =
          body.X_BR * section_pose(model_, static_cast<int>(k), q, x).position;
      for (const double d : Vector3<double>(now - rest_of(body, x)))
        links_[k].push_back(static_cast<float>(d));
    }
  }
}

nlohmann::ordered_json BeamTrack::json(double radius) const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const FlexibleLink& link = model_.flexible_links()[k];
    std::vector<float> rest;
    for (int i = 0; i < points; ++i)
      for (const double x : rest_of(*link.modal, link.modal->length * i / (points - 1)))
        rest.push_back(static_cast<float>(x));
    list.push_back({{"name", clean_utf8(model_.bodies()[link.body].name)},
                    {"body", link.body},
                    {"radius", radius},
                    {"rest", base64_of(rest)},
                    {"deflection", base64_of(links_[k])}});
  }
  return list;
}

}  // namespace ulna
