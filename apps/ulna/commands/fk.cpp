#include <memory>

#include "command.hpp"
#include "options/degrees.hpp"
#include "options/loop_state.hpp"
#include "options/robot_options.hpp"
#include "output/closing_output.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/kinematics/frame_motion.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna::cli::fk_detail {
namespace {

constexpr const char* examples = R"(  ulna fk puma560
  ulna fk puma560 --q 0,45deg,-90deg,0,0.5,0
  ulna fk puma560 --q joint2=45deg --v joint1=1,joint2=-30deg/s --frame joint6
  ulna fk arm.urdf --q 0,0.5,1 --v 1,0,0 --frame tool0 --relative-to forearm --json
  ulna fk four-bar --q joint4=30deg --v joint4=2

--v adds the angular velocity of each frame and the velocity of its origin, --a their time derivatives.
They are relative to the frame --relative-to and expressed in the axes of --expressed-in.)";

struct Options : RobotOptions, StateWords {
  std::vector<std::string> frames;
  std::optional<std::string> relative_to, expressed_in;

  bool moves() const { return v || a; }
};

/// Where a frame is and how it moves, as asked.
struct FrameMotion {
  std::string name;
  Pose<double> X;
  Twist<double> velocity, acceleration;
};

std::vector<FrameMotion> motions(const Model& model, const Options& options,
                                 const RobotState& state) {
  Workspace work(model);
  update_motions(model, work, state.q, state.v, state.a);
  std::vector<int> wanted;
  for (const std::string& name : options.frames) wanted.push_back(model.frame(name));
  if (wanted.empty())  // all but the world
    for (std::size_t k = 1; k < model.frames().size(); ++k) wanted.push_back(static_cast<int>(k));
  FrameQuery query{};
  if (options.relative_to) query.relative_to = model.frame(*options.relative_to);
  query.expressed_in =
      options.expressed_in ? model.frame(*options.expressed_in) : query.relative_to;
  std::vector<FrameMotion> result;
  for (const int frame : wanted) {
    query.frame = frame;
    FrameMotion& one = result.emplace_back();
    one.name = model.frames()[frame].name;
    one.X = frame_pose(model, work, query);
    require_finite(one.X.position, "the position of '" + one.name + "'");
    if (!options.moves()) continue;
    one.velocity = frame_velocity(model, work, query);
    one.acceleration = frame_acceleration(model, work, query);
    require_finite(one.velocity.vector(), "the velocity of '" + one.name + "'");
    require_finite(one.acceleration.vector(), "the acceleration of '" + one.name + "'");
  }
  return result;
}

Json twist_to_json(const Twist<double>& twist) {
  return {{"angular", to_json(twist.angular)}, {"linear", to_json(twist.linear)}};
}

void print_motions_json(const Model& model, const Options& options, const RobotState& state,
                        const std::vector<FrameMotion>& frames) {
  Json out = json_object();
  out["frames"] = Json::object();
  for (const FrameMotion& one : frames) {
    Json& frame = out["frames"][one.name];
    frame = {{"position", to_json(one.X.position)},
             {"rotation", matrix_to_json(one.X.rotation)},
             {"quaternion", to_json(quaternion_from_rotation(one.X.rotation))},
             {"rpy", to_json(euler_angles("XYZ", one.X.rotation).first)}};
    if (options.moves()) frame["velocity"] = twist_to_json(one.velocity);
    if (options.a) frame["acceleration"] = twist_to_json(one.acceleration);
  }
  add_closed_state(
      out, model, state, "q",
      ClosingColumns{.rates = options.moves(), .accelerations = options.a.has_value()});
  print_json(out);
}

void print_twists(const char* title, const std::vector<std::string>& names,
                  const std::vector<std::string>& columns, const Eigen::MatrixXd& twists) {
  print(heading(title));
  print(Table()
            .words("frame", names)
            .matrix({columns.begin(), columns.begin() + 3}, twists.leftCols(3))
            .matrix({columns.begin() + 3, columns.end()}, twists.rightCols(3))
            .text());
}

void print_motions(const Model& model, const Options& options, const RobotState& state,
                   const std::vector<FrameMotion>& frames) {
  std::vector<std::string> names;
  const auto count = static_cast<Eigen::Index>(frames.size());
  Eigen::MatrixXd position(count, 3), rpy(count, 3), quaternion(count, 4), velocity(count, 6),
      acceleration(count, 6);
  for (Eigen::Index row = 0; row < count; ++row) {
    const FrameMotion& one = frames[static_cast<std::size_t>(row)];
    names.push_back(one.name);
    position.row(row) = one.X.position.transpose();
    rpy.row(row) = euler_angles("XYZ", one.X.rotation).first.unaryExpr(&shown_angle).transpose();
    quaternion.row(row) = quaternion_from_rotation(one.X.rotation).transpose();
    velocity.row(row) = one.velocity.vector().transpose();
    acceleration.row(row) = one.acceleration.vector().transpose();
  }
  const auto angles = [](const std::string& name) { return name + " " + angle_unit(); };
  print(Table()
            .words("frame", names)
            .matrix({"x m", "y m", "z m"}, position)
            .matrix({angles("roll"), angles("pitch"), angles("yaw")}, rpy)
            .matrix({"qw", "qx", "qy", "qz"}, quaternion)
            .text());
  if (options.moves())
    print_twists("\nvelocity, rad/s and m/s", names, {"wx", "wy", "wz", "vx", "vy", "vz"},
                 velocity);
  if (options.a)
    print_twists("\nacceleration, rad/s^2 and m/s^2", names,
                 {"alpha x", "alpha y", "alpha z", "ax", "ay", "az"}, acceleration);
  print_closing(model, state, {.rates = options.moves(), .accelerations = options.a.has_value()});
}

int run(const Options& options) {
  const Model model = load(options);
  const RobotState state = closed_state(model, options);
  const std::vector<FrameMotion> result = motions(model, options, state);
  if (options.json)
    print_motions_json(model, options, state, result);
  else
    print_motions(model, options, state, result);
  return 0;
}

}  // namespace
}  // namespace ulna::cli::fk_detail

namespace ulna::cli {

Command add_fk(CLI::App& program) {
  auto options = std::make_shared<fk_detail::Options>();
  CLI::App* app = add_robot_command(
      program, "fk", "Poses, velocities and accelerations of frames (forward kinematics)",
      fk_detail::examples, *options);
  add_state_options(*app, *options, "qe");
  add_text(*app, "--v", options->v, "V1,V2,...", "Speeds; adds the velocities of the frames");
  add_text(*app, "--a", options->a, "A1,A2,...",
           "Accelerations; adds the accelerations of the frames");
  add_text(*app, "--relative-to", options->relative_to, "FRAME",
           "Frame relative to which poses and velocities are given (default: the world)");
  add_text(*app, "--expressed-in", options->expressed_in, "FRAME",
           "Frame whose axes are used, or world (default: that of --relative-to)");
  add_texts(*app, "--frame", options->frames, "FRAME",
            "Show only this frame or body (may be repeated)");
  return {app, [options] { return fk_detail::run(*options); }};
}

}  // namespace ulna::cli
