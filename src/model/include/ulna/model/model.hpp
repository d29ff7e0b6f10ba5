#pragma once
// A robot, checked and frozen. Constant, may be shared between threads; every algorithm takes a
// workspace of its own. Only its inputs, the forces of actuators and their time, can be set, in a
// copy that one owns.
//
//   ulna::Model model(ulna::read_robot("puma560").robot);

#include <Eigen/Core>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "ulna/model/kernels/topology.hpp"
#include "ulna/model/parts/loop.hpp"
#include "ulna/model/robot.hpp"

namespace ulna {

using VectorRef = Eigen::Ref<const Eigen::VectorXd>;

struct Joint {
  std::string name;
  JointType type;
  int parent, child;    ///< indices into Model::bodies()
  int q = 0, v = 0;     ///< first coordinate and speed
  int coordinates = 0;  ///< 0 for fixed and mimic joints
  int speeds = 0;
  int first_node = -1, node_count = 0;
  bool reversed = false;  ///< the tree runs from child to parent
  int mimicked = -1;      ///< joint it follows, or -1
};

struct Body {
  std::string name;
  int node;           ///< node it moves with
  Pose<double> X_NB;  ///< its frame in the node's
};

struct Frame {
  std::string name;
  int body;
  int node;
  Pose<double> X_NF;
  Pose<double> X_BF = {};  ///< on its body as given, that is, before the body bends
};

/// The node that carries a point of a body, and that point as a frame in the axes of the body.
struct Carrier {
  int node;
  Pose<double> X_NF;
};

/// A flexible body of the robot. Its modal coordinates follow those of the joints.
struct FlexibleLink {
  int body;  ///< index into Model::bodies()
  int node;  ///< its root
  int q, v;  ///< first modal coordinate and speed
  const ModalBody* modal;
};

/// One degree of freedom that has a name: of a joint of the tree, of a closing joint, or a mode.
struct DegreeOfFreedom {
  std::string name;     ///< "rocker", "groove.slide"
  Dimension dimension;  ///< of its speed, without the second
  int joint = -1;       ///< index into Model::joints(), or -1
  int loop = -1;        ///< of a closing joint: index into Model::loops()
  int q = -1;           ///< the coordinate whose rate it is, where there is one
  int v = -1;           ///< its speed; -1 for a closing joint
};

/// A run of speeds, and the coordinates that move with it.
struct TangentBlock {
  enum class Kind {
    line,  ///< every coordinate is moved by its own speed
    ball,  ///< a unit quaternion, moved by an angular velocity in the axes it turns to
    free   ///< the same, then a position, moved by a velocity in those axes
  } kind;
  int q, v;    ///< the first of each
  int speeds;  ///< how many
  int joint;   ///< that has the quaternion; -1 for a line
};

struct PlatformData;

class ULNA_API Model {
 public:
  /// Throws InputError with every problem found.
  explicit Model(Robot robot);

  const std::string& name() const { return robot_.name; }
  const Robot& robot() const { return robot_; }
  const Topology& topology() const { return topology_; }
  const Parameters<double>& parameters() const { return parameters_; }
  const std::vector<DegreeTerms>& degree_terms() const { return degree_terms_; }
  /// Springs, dampers, actuators and bushings between bodies.
  const std::vector<Element>& elements() const { return elements_; }
  /// Index of an actuator among the elements; InputError naming the nearest known one.
  int actuator(const std::string& name) const;
  /// The inputs of the robot, for whoever owns this copy of it: what an actuator pushes with, in
  /// place of its own force or formula, and the time t of formulas. A shared model has neither.
  void set_actuator_force(int element, double force);
  void set_time(double t);
  /// Whether a formula of an actuator depends on time.
  bool has_timed_elements() const;
  /// Whether efforts other than those of the drives act: along joints, or by elements.
  bool has_passive() const { return has_passive_; }

  int coordinates() const { return topology_.coordinates; }  ///< length of q
  int speeds() const { return topology_.speeds; }            ///< length of v, a and tau
  double mass() const { return mass_; }  ///< of everything, the world's bodies included

  const std::vector<Body>& bodies() const { return bodies_; }   ///< bodies()[0] is the world
  const std::vector<Joint>& joints() const { return joints_; }  ///< tree joints, as declared
  /// Joints that close cycles, as declared, then the distances and couplings.
  const std::vector<Loop>& loops() const { return loops_; }
  /// A length typical of the robot: the farthest that one node stands from its parent. Turns and
  /// slides are compared by it where ranks are decided.
  double length_scale() const { return length_scale_; }
  /// What was accepted although it is doubtful: inertias that no real body has.
  const std::vector<Problem>& warnings() const { return warnings_; }
  /// Body frames first (same order as bodies()), then the named ones.
  const std::vector<Frame>& frames() const { return frames_; }

  /// Index of a frame or body by name; InputError naming the nearest known one.
  int frame(const std::string& name) const;
  int body(const std::string& name) const;
  int joint(const std::string& name) const;
  /// The frame at the end of the longest branch, used when none is named.
  int tip_frame() const { return tip_frame_; }

  /// Names of the speeds and coordinates, e.g. "joint1" or "ball.wx".
  const std::vector<std::string>& coordinate_names() const { return coordinate_names_; }
  const std::vector<std::string>& speed_names() const { return speed_names_; }

  /// What each coordinate and each speed measures; entries of quaternions are numbers.
  std::span<const Dimension> coordinate_dimensions() const { return coordinate_dimensions_; }
  std::span<const Dimension> speed_dimensions() const { return speed_dimensions_; }
  /// For each speed the coordinate whose rate it is; -1 where a quaternion's axes come between.
  std::span<const int> coordinate_of_speed() const { return coordinate_of_speed_; }
  /// Degrees of freedom of the tree in the order of the speeds, then of the closing joints, then
  /// the modes.
  const std::vector<DegreeOfFreedom>& degrees() const { return degrees_; }
  /// Index into degrees() by name; InputError naming the nearest known one.
  int degree(const std::string& name) const;
  /// All speeds with their coordinates, in order.
  std::span<const TangentBlock> blocks() const { return blocks_; }

  /// A platform held by legs, as it was recognised in the robot; null: it is none.
  const PlatformData* platform() const { return platform_.get(); }
  bool is_tree() const { return loops_.empty(); }

  const Eigen::VectorXd& lower() const { return lower_; }  ///< per coordinate, may be infinite
  const Eigen::VectorXd& upper() const { return upper_; }
  const Eigen::VectorXd& velocity_limit() const { return velocity_limit_; }  ///< per speed
  const Eigen::VectorXd& effort_limit() const { return effort_limit_; }

  /// All coordinates zero, quaternions the identity.
  Eigen::VectorXd neutral() const;
  /// Uniform within the limits; unlimited angles in [-pi, pi], unlimited lengths in [-1, 1].
  Eigen::VectorXd random(std::mt19937_64& generator) const;
  /// q after moving along dv (in the tangent) for unit time.
  Eigen::VectorXd integrate(const VectorRef& q, const VectorRef& dv) const;
  /// The same in place, without allocating.
  void move_along(Eigen::VectorXd& q, const VectorRef& dv) const;
  /// dv such that integrate(q0, dv) = q1.
  Eigen::VectorXd difference(const VectorRef& q0, const VectorRef& q1) const;
  /// q with its quaternions made unit; InputError when one is zero.
  Eigen::VectorXd normalized(const VectorRef& q) const;

  /// Flexible bodies; empty for a rigid robot.
  const std::vector<FlexibleLink>& flexible_links() const { return flexible_links_; }
  bool flexible() const { return !flexible_links_.empty(); }
  int modes() const { return modes_; }  ///< modal coordinates of all flexible bodies together
  int joint_coordinates() const { return coordinates() - modes_; }
  int joint_speeds() const { return speeds() - modes_; }
  /// Throws InputError when the robot has flexible bodies: `what` is for rigid ones only.
  void require_rigid(const std::string& what) const {
    if (flexible()) [[unlikely]]
      refuse_flexible(what);
  }
  /// Where a point of a body is carried: the node, and the point in its frame. For a flexible body
  /// the section must carry something already (a joint, a frame, the end of its axis); InputError.
  Carrier carrier(int body, const Vector3<double>& point) const;

  /// Throws InputError when the robot has loops: `what` is for trees only. Loops have their own
  /// kinematics (LoopClosure, assemble) and dynamics (LoopDynamics).
  void require_tree(const std::string& what) const;

 private:
  friend class Freezer;
  [[noreturn]] void refuse_flexible(const std::string& what) const;
  Robot robot_;
  Topology topology_;
  Parameters<double> parameters_;
  std::vector<DegreeTerms> degree_terms_;
  std::vector<Element> elements_;
  bool has_passive_ = false;
  std::vector<Body> bodies_;
  std::vector<Joint> joints_;
  std::vector<Loop> loops_;
  std::vector<Problem> warnings_;
  std::vector<Frame> frames_;
  std::vector<std::string> coordinate_names_, speed_names_;
  Eigen::VectorXd lower_, upper_, velocity_limit_, effort_limit_;
  std::vector<Dimension> coordinate_dimensions_, speed_dimensions_;
  std::vector<int> coordinate_of_speed_;
  std::vector<DegreeOfFreedom> degrees_;
  std::vector<TangentBlock> blocks_;
  std::shared_ptr<const PlatformData> platform_;
  std::vector<FlexibleLink> flexible_links_;
  int modes_ = 0;
  double mass_ = 0, length_scale_ = 1;
  int tip_frame_ = 0;
};

/// The known name nearest to a mistyped one, as a hint: "did you mean 'arm'?", or empty.
ULNA_API std::string nearest_name_hint(const std::string& name,
                                       const std::vector<std::string>& known);

}  // namespace ulna
