#include "freeze/joint_parts.hpp"

#include "ulna/model/placement.hpp"

namespace ulna {
namespace {

/// A rotation whose third column is along `axis` up to sign; the sign is returned. An axis against
/// x, y or z is a turn the other way, which costs nothing, rather than another frame.
double frame_along(const Vector3<double>& axis, Matrix3<double>& A) {
  const Vector3<double> z = axis.normalized();
  int k = 0;
  z.cwiseAbs().maxCoeff(&k);
  const double sign = z(k) > 0 ? 1 : -1;
  A = axes_along(sign * z);
  return sign;
}

}  // namespace

std::vector<JointPart> parts_of(const JointData& joint) {
  Matrix3<double> A, B;
  const double sign = frame_along(joint.axis, A);
  switch (joint.type) {
    case JointType::revolute:
      return {{A, sign, 0, 0}};
    case JointType::prismatic:
      return {{A, 0, sign, 0}};
    case JointType::screw:
      return {{A, sign, sign * joint.pitch, 0}};
    case JointType::cylindrical:
      return {{A, sign, 0, 0}, {A, 0, sign, 1}};
    case JointType::universal: {
      const double sign2 = frame_along(joint.axis2, B);
      return {{A, sign, 0, 0}, {B, sign2, 0, 1}};
    }
    case JointType::planar: {
      // x, y and z of the plane's frame in turn become the axis.
      const Matrix3<double> P = axes_along(joint.axis.normalized());
      Matrix3<double> X, Y;
      X << P.col(1), P.col(2), P.col(0);
      Y << P.col(2), P.col(0), P.col(1);
      return {{X, 0, 1, 0}, {Y, 0, 1, 1}, {P, 1, 0, 2}};
    }
    default:
      return {};
  }
}

DegreeSuffixes degree_suffixes(JointType type) {
  const auto both = [](std::vector<const char*> suffixes) {
    return DegreeSuffixes{suffixes, suffixes};
  };
  switch (type) {
    case JointType::fixed:
      return {};
    case JointType::spherical:
      return {{".qw", ".qx", ".qy", ".qz"}, {".wx", ".wy", ".wz"}};
    case JointType::free:
      return {{".qw", ".qx", ".qy", ".qz", ".x", ".y", ".z"},
              {".wx", ".wy", ".wz", ".vx", ".vy", ".vz"}};
    case JointType::cylindrical:
      return both({".turn", ".slide"});
    case JointType::universal:
      return both({".first", ".second"});
    case JointType::planar:
      return both({".x", ".y", ".turn"});
    default:
      return both({""});
  }
}

}  // namespace ulna
