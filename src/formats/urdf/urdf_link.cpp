#include <fmt/format.h>

#include "urdf/urdf_parts.hpp"

namespace ulna {

namespace {

Inertial read_inertial(const XmlElement& element) {
  element.expect({}, {"origin", "mass", "inertia"});
  Inertial inertial;
  const Pose<double> X_BI = element.origin();
  inertial.centre = X_BI.position;
  if (const XmlElement mass = element.needed_child("mass")) {
    mass.expect({"value"});
    inertial.mass = mass.needed_number("value");
  }
  if (const XmlElement inertia = element.needed_child("inertia")) {
    inertia.expect({"ixx", "ixy", "ixz", "iyy", "iyz", "izz"});
    const double xx = inertia.needed_number("ixx"), yy = inertia.needed_number("iyy"),
                 zz = inertia.needed_number("izz");
    const double xy = inertia.number("ixy", 0), xz = inertia.number("ixz", 0),
                 yz = inertia.number("iyz", 0);
    Matrix3<double> I;
    I << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    const Matrix3<double>& R = X_BI.rotation;
    if (!R.isIdentity(0)) {
      const Matrix3<double> turned = R * I * R.transpose();
      I = (turned + turned.transpose()) / 2;  // rounding must not break the symmetry
    }
    inertial.inertia = I;
  }
  return inertial;
}

}  // namespace

BodyData read_urdf_link(XmlContext& context, const XmlElement& link) {
  link.expect({"name"}, {"inertial"}, {"visual", "collision"});
  BodyData body;
  body.mark = link.mark();
  body.name = link.needed_text("name");
  if (const XmlElement inertial = link.child("inertial")) {
    body.inertial = read_inertial(inertial);
    link.note_used("body with mass");
  } else {
    link.note_used("body without mass: it has no <inertial>");
  }
  for (const char* tag : {"visual", "collision"})
    for (const XmlElement& element : link.children(tag)) read_urdf_geometry(context, element, body);
  return body;
}

}  // namespace ulna
