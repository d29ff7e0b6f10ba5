#include "ulna/structure/parts/motion_terms.hpp"

#include "link_motion.hpp"

namespace ulna {
namespace {

using elastic::Matrix12;
using elastic::StructureBody;
using elastic::StructureElement;
using Mat = Matrix3<double>;
using Vec = Vector3<double>;

class TermMaker {
 public:
  TermMaker(const RobotStructure& structure, const std::vector<LinkMotion>& motions)
      : structure_(structure), motions_(motions), options_(structure.options().element) {}

  // Acceleration terms of a point in turning axes (eq. 32), and the change of axes from those of
  // each node's owner to those of the element (eq. 34).
  Matrix12 gyroscopic(const StructureElement& e) const {
    const Mat w = turned(e, skew(motions_[e.group].w));
    return integral(e, 2 * w) + 2 * mass(e) * change(e, [&](int k) { return rate(e, k); });
  }
  Matrix12 centrifugal(const StructureElement& e) const {
    const Mat w = turned(e, skew(motions_[e.group].w));
    return integral(e, w * w) + integral(e, 2 * w) * change(e, [&](int k) { return rate(e, k); }) +
           mass(e) * change(e, [&](int k) { return second_rate(e, k); });
  }
  Matrix12 euler(const StructureElement& e) const {
    const LinkMotion& own = motions_[e.group];
    return integral(e, turned(e, skew(own.dw))) +
           mass(e) *
               change(e, [&](int k) { return turned(e, -skew(Vec(own.dw - owner(e, k).dw))); });
  }

  // Rigid bodies: the centre as a point, and Euler's equations about it (eq. 35).
  Matrix6<double> gyroscopic(const StructureBody& b) const {
    const Mat w = skew(motions_[b.group].w);
    const Mat I = about_centre(b);
    Matrix6<double> G = point(b, 2 * w);
    G.bottomRightCorner<3, 3>() += I * w + w * I - skew(Vec(I * motions_[b.group].w));
    return G + 2 * nodal_mass(b) * two(rate(b));
  }
  Matrix6<double> centrifugal(const StructureBody& b) const {
    const Vec omega = motions_[b.group].w;
    const Mat w = skew(omega), I = about_centre(b);
    const Vec h = I * omega;
    Matrix6<double> K = point(b, w * w);
    K.bottomRightCorner<3, 3>() += w * I * w + h.dot(omega) * Mat::Identity() -
                                   0.5 * (omega * h.transpose() + h * omega.transpose());
    Matrix6<double> G = point(b, 2 * w);
    G.bottomRightCorner<3, 3>() += I * w + w * I - skew(h);
    const Mat wo = skew(motions_[structure_.owner_of(b.node)].w), relative = w - wo;
    return K + G * two(rate(b)) + nodal_mass(b) * two(wo * wo - w * w + 2 * w * relative);
  }
  Matrix6<double> euler(const StructureBody& b) const {
    const LinkMotion& own = motions_[b.group];
    const Mat I = about_centre(b);
    Matrix6<double> K = point(b, skew(own.dw));
    K.bottomRightCorner<3, 3>() += 0.5 * (I * skew(own.dw) + skew(own.dw) * I);
    return K + nodal_mass(b) * two(-skew(Vec(own.dw - motions_[structure_.owner_of(b.node)].dw)));
  }
  Matrix6<double> geometric(const StructureBody& b, const Vec& gravity) const {
    return body_geometric(structure_, b, motions_[b.group], gravity);
  }

 private:
  static Mat turned(const StructureElement& e, const Mat& B) {
    return e.axes.transpose() * B * e.axes;
  }
  Matrix12 integral(const StructureElement& e, const Mat& B) const {
    return elastic::beam_inertia_integral(e.properties, e.length, options_, B);
  }
  Matrix12 mass(const StructureElement& e) const { return integral(e, Mat::Identity()); }

  const LinkMotion& owner(const StructureElement& e, int k) const {
    return motions_[structure_.owner_of(k == 0 ? e.start : e.end)];
  }
  Mat rate(const StructureElement& e, int k) const {
    return turned(e, -skew(Vec(motions_[e.group].w - owner(e, k).w)));
  }
  Mat second_rate(const StructureElement& e, int k) const {
    const Mat w = skew(motions_[e.group].w), wo = skew(owner(e, k).w);
    return turned(e, wo * wo - w * w + 2 * w * (w - wo));
  }
  template <class Block>
  static Matrix12 change(const StructureElement&, Block&& block) {
    Matrix12 P = Matrix12::Zero();
    for (int k = 0; k < 2; ++k)
      P.block<3, 3>(6 * k, 6 * k) = P.block<3, 3>(6 * k + 3, 6 * k + 3) = block(k);
    return P;
  }

  static Vec centre(const StructureBody& b) {
    return b.inertia.mass > 0 ? Vec(b.inertia.first_moment / b.inertia.mass) : Vec::Zero();
  }
  static Mat about_centre(const StructureBody& b) {
    return b.inertia.about_origin - Inertia<double>::parallel_axis(b.inertia.mass, centre(b));
  }
  static Matrix6<double> point(const StructureBody& b, const Mat& B) {
    Eigen::Matrix<double, 3, 6> N;
    N << Mat::Identity(), -skew(centre(b));
    return N.transpose() * (b.inertia.mass * B) * N;
  }
  static Matrix6<double> nodal_mass(const StructureBody& b) {
    Matrix6<double> M = point(b, Mat::Identity());
    M.bottomRightCorner<3, 3>() += about_centre(b);
    return M;
  }
  Mat rate(const StructureBody& b) const {
    return -skew(Vec(motions_[b.group].w - motions_[structure_.owner_of(b.node)].w));
  }
  static Matrix6<double> two(const Mat& block) {
    Matrix6<double> P = Matrix6<double>::Zero();
    P.topLeftCorner<3, 3>() = P.bottomRightCorner<3, 3>() = block;
    return P;
  }

  const RobotStructure& structure_;
  const std::vector<LinkMotion>& motions_;
  const elastic::ElementOptions& options_;
};

// Axial forces are those of the structure with all joints locked: the drives hold the motion.
std::vector<AxialForce> forces_of_motion(const RobotStructure& structure, const VectorRef& q,
                                         const Eigen::VectorXd& v,
                                         const std::vector<LinkMotion>& motions,
                                         const Vec& gravity) {
  StructureOptions options = structure.options();
  options.support.clear();
  options.joints = JointHold::locked;
  const RobotStructure locked(structure.model(), q, options);
  const BodyLoads loads = body_loads(locked, motions, gravity);
  const Eigen::VectorXd f = loads.sum + passive_load(locked, q, v);
  return axial_forces(locked, loads, solve_statics(locked.system(), f));
}

}  // namespace

// A force on a centre at an arm from the node works on its second-order path.
Matrix6<double> body_geometric(const RobotStructure& structure, const StructureBody& b,
                               const LinkMotion& motion, const Vec& gravity) {
  const Vec c = b.inertia.mass > 0 ? Vec(b.inertia.first_moment / b.inertia.mass) : Vec::Zero();
  const Vec p = structure.frame().nodes()[b.node].position;
  const Vec F = b.inertia.mass * (gravity - motion.acceleration(p + c));
  Matrix6<double> K = Matrix6<double>::Zero();
  K.bottomRightCorner<3, 3>() =
      F.dot(c) * Mat::Identity() - 0.5 * (c * F.transpose() + F * c.transpose());
  return K;
}

MotionTerms motion_terms(const RobotStructure& structure, const VectorRef& q,
                         const StructureMotion& motion, bool with_gravity) {
  const elastic::BeamStructure& frame = structure.frame();
  const std::vector<LinkMotion> motions = link_motions(structure, q, motion);
  const TermMaker make(structure, motions);
  const Vec gravity = with_gravity ? structure.model().robot().gravity : Vec(Vec::Zero());
  const std::vector<AxialForce> N = forces_of_motion(structure, q, motion.v, motions, gravity);

  MotionTerms terms;
  const auto both = [&](auto&& of) {
    return elastic::SparseMatrix(frame.sum_elements([&](const StructureElement& e) -> Matrix12 {
      return of(e);
    }) + frame.sum_bodies([&](const StructureBody& b) -> Matrix6<double> { return of(b); }));
  };
  terms.gyroscopic = both([&](const auto& part) { return make.gyroscopic(part); });
  terms.centrifugal = both([&](const auto& part) { return make.centrifugal(part); });
  terms.euler = both([&](const auto& part) { return make.euler(part); });
  terms.geometric = frame.sum_elements([&](const StructureElement& e) {
    const AxialForce& n = N[&e - frame.elements().data()];
    return elastic::beam_geometric_stiffness(e.properties, e.length, n.start, n.end,
                                             structure.options().element.theory);
  }) + frame.sum_bodies([&](const StructureBody& b) { return make.geometric(b, gravity); });
  return terms;
}

}  // namespace ulna
