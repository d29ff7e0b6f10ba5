// Robots that are legal but odd (no bodies, no freedoms, massless or welded parts, loops of every
// kind) made from the bytes: two formulations give the same accelerations and efforts, or both
// refuse.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/formulation.hpp"
#include "ulna/formats/write_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/model/model.hpp"

namespace {

using namespace ulna;

/// Decisions and numbers out of the input; zeros after its end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  unsigned byte() { return at_ < size_ ? data_[at_++] : 0; }
  int below(int count) { return count > 0 ? static_cast<int>(byte()) % count : 0; }
  /// Quarters between -8 and 8: right angles, zeros and equal lengths are frequent.
  double number() { return (static_cast<int>(byte()) - 128) / 16.0; }
  Vector3<double> vector() { return {number(), number(), number()}; }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

constexpr JointType types[] = {JointType::revolute, JointType::prismatic, JointType::fixed,
                               JointType::screw,    JointType::universal, JointType::spherical,
                               JointType::planar,   JointType::free,      JointType::cylindrical};

Vector3<double> axis(Bytes& bytes) {
  const Vector3<double> any = bytes.vector();
  return any.norm() > 0 ? any : Vector3<double>(0, 0, 1);
}

Robot odd_robot(Bytes& bytes) {
  Robot robot;
  robot.name = "odd";
  const int bodies = bytes.below(12);
  for (int k = 0; k < bodies; ++k) {
    BodyData body;
    body.name = "b" + std::to_string(k);
    if (bytes.below(4) != 0) {
      body.inertial.mass = 0.25 + bytes.below(16);
      body.inertial.centre = bytes.vector();
      const double size = 0.1 + bytes.below(8);
      body.inertial.inertia = size * Matrix3<double>::Identity();
    }
    robot.bodies.push_back(body);
    JointData joint;
    joint.name = "j" + std::to_string(k);
    joint.type = types[bytes.below(std::size(types))];
    joint.parent = k == 0                ? "world"
                   : bytes.below(5) == 0 ? "world"
                                         : "b" + std::to_string(bytes.below(k));
    joint.child = body.name;
    joint.axis = axis(bytes);
    joint.axis2 = joint.axis.unitOrthogonal();
    joint.pitch = 0.25;
    joint.X_PF.position = bytes.vector();
    robot.joints.push_back(joint);
  }
  const int loops = bodies > 1 ? bytes.below(3) : 0;
  for (int k = 0; k < loops; ++k) {
    JointData joint;
    joint.name = "c" + std::to_string(k);
    joint.type = types[bytes.below(std::size(types))];
    joint.cut = true;
    joint.parent = "b" + std::to_string(bytes.below(bodies));
    joint.child = "b" + std::to_string(bytes.below(bodies));
    joint.axis = axis(bytes);
    joint.axis2 = joint.axis.unitOrthogonal();
    joint.pitch = 0.25;
    joint.X_PF.position = bytes.vector();
    joint.X_MC.position = bytes.vector();
    robot.joints.push_back(joint);
  }
  return robot;
}

template <class F>
std::optional<Eigen::VectorXd> answer(const F& ask) {
  try {
    return ask();
  } catch (const InputError&) {
  } catch (const ComputationError&) {
  }
  return {};
}

void same(const std::optional<Eigen::VectorXd>& a, const std::optional<Eigen::VectorXd>& b,
          const char* what, const Robot& robot) {
  if (!a || !b) return;  // near a singular posture one may see it before the other
  const double size = 1 + a->norm() + b->norm();
  if (size < 1e6 && (*a - *b).norm() > 1e-4 * size) {
    std::fprintf(stderr, "%s: two formulations differ by %g of %g\n%s\n", what, (*a - *b).norm(),
                 size, write_robot_yaml(robot).c_str());
    std::abort();
  }
}

void compare(const Robot& robot) {
  const Model model(robot);
  AssemblyOptions options;
  options.limits = false;
  const Eigen::VectorXd q = assembled(model, options);
  Eigen::VectorXd v = Eigen::VectorXd::Constant(model.speeds(), 0.3);
  DynamicsOptions other;
  other.method = "kane";
  Dynamics first(model), second(model, other);
  if (!first.close_speeds(q, v)) return;
  const Eigen::VectorXd tau = Eigen::VectorXd::LinSpaced(model.speeds(), -1, 2);
  const auto a = answer([&] { return Eigen::VectorXd(first.forward(q, v, tau)); }),
             b = answer([&] { return Eigen::VectorXd(second.forward(q, v, tau)); });
  same(a, b, "forward", robot);
  if (!a) return;
  same(answer([&] { return Eigen::VectorXd(first.inverse(q, v, *a).tau); }),
       answer([&] { return Eigen::VectorXd(second.inverse(q, v, *a).tau); }), "inverse", robot);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  try {
    compare(odd_robot(bytes));
  } catch (const InputError&) {
  } catch (const ComputationError&) {
  }
  return 0;
}
