#pragma once
// A robot as other formats describe it: a tree of bodies, each carried by joints of one degree,
// balls and floating joints, and the joints that close its loops. Joints of several degrees are the
// turns and slides they consist of (model/joints), and joints that the tree runs through backwards
// are turned about.

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "ulna/formats/write_robot.hpp"
#include "ulna/model/model.hpp"

namespace ulna {

struct WrittenJoint {
  enum class Kind { hinge, slide, screw, ball, free };
  std::string name;  ///< of the joint, with the ending of the degree: "shaft.turn"
  Kind kind = Kind::hinge;
  Vector3<double> axis = Vector3<double>::UnitZ();  ///< of unit length, in the frame F of the body
  double pitch = 0;
  std::vector<DegreeData> degrees;
  std::optional<Mimic> mimic;
  int q = 0;  ///< first coordinate in the model
  const JointData* of = nullptr;
};

struct WrittenBody {
  const BodyData* data = nullptr;
  std::string name, parent;
  std::string joint;                 ///< name of the joint that carries it
  Pose<double> X_PF, X_MC;           ///< frames of that joint
  std::vector<WrittenJoint> joints;  ///< from parent to child; none where it is fixed
  Inertial inertial;                 ///< with its beams and payloads
};

/// A joint that closes a loop, and the turns and slides it consists of.
struct WrittenClosing {
  const JointData* joint = nullptr;
  std::vector<WrittenJoint> parts;  ///< `q` counts from the joint's own coordinates
  std::vector<DegreeData> degrees;  ///< one for each speed
  Eigen::VectorXd q;                ///< at the posture of the tree

  bool is(std::initializer_list<WrittenJoint::Kind> kinds) const;
};

struct WrittenTree {
  const Model* model = nullptr;
  std::vector<WrittenBody> bodies;  ///< parents first
  std::vector<WrittenClosing> closing;
  /// Where all joints are neutral, or, where that leaves loops open, a posture that closes them.
  Eigen::VectorXd posture;
  bool closed_at_neutral = true;
  std::vector<ImportNote> lost;  ///< what no format but the robot file can say

  const Robot& robot() const { return model->robot(); }
  void lose(const SourceMark& where, std::string element, std::string what) {
    lost.push_back({where, std::move(element), std::move(what)});
  }
};

/// Notes flexible links, payloads and rods as lost or merged; force elements are left to the
/// formats.
WrittenTree written_tree(const Model& model);

/// The pose of a body on its parent, joints at coordinates q of the model.
Pose<double> pose_on_parent(const WrittenTree& tree, const WrittenBody& body,
                            const Eigen::VectorXd& q);
/// The frame on the child in the frame that its k-th joint moves, what comes after it at
/// coordinates q.
Pose<double> pose_after(const WrittenTree& tree, const WrittenBody& body, std::size_t k,
                        const Eigen::VectorXd& q);
/// The coordinate of a hinge, slide or screw, of one that follows another, too.
double coordinate_of(const WrittenTree& tree, const WrittenJoint& joint, const Eigen::VectorXd& q);

/// Every number to the last bit; -0 becomes 0.
std::string xml_number(double value);
std::string xml_numbers(const Eigen::Ref<const Eigen::VectorXd>& values);
/// Roll, pitch, yaw of any rotation.
Vector3<double> rpy_of(const Matrix3<double>& R);

/// What is not said of a degree of freedom: hardening and play of its spring, and more.
struct DegreeLoss {
  bool spring = true, rotor = true, velocity = true, damping = false;
};
void lose_degrees(WrittenTree& tree, const JointData& joint, const std::vector<DegreeData>& degrees,
                  const DegreeLoss& format_lacks);

void lose_element(WrittenTree& tree, const ElementData& element);

WrittenRobot write_urdf(WrittenTree tree, const WriteOptions& options);
WrittenRobot write_mjcf(WrittenTree tree, const WriteOptions& options);
WrittenRobot write_sdf(WrittenTree tree, const WriteOptions& options);

}  // namespace ulna
