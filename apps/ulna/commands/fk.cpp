#include <memory>

#include "command.hpp"
#include "options/loop_state.hpp"
#include "options/robot_options.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna::cli::fk_detail {
namespace {

constexpr const char* examples = R"(  ulna fk puma560
  ulna fk puma560 --q 0,45deg,-90deg,0,0.5,0
  ulna fk arm.urdf --q 0,0.5,1 --frame tool0 --json)";

struct Options : RobotOptions {
  VectorOption elastic, q;
  std::vector<std::string> frames;
};

struct FramePose {
  std::string name;
  Pose<double> X_WF;
};

std::vector<FramePose> poses(const Model& model, const Options& options) {
  Workspace work(model);
  update_poses(model, work, closed_state(model, with_elastic(model, options.q, options.elastic)).q);
  std::vector<int> wanted;
  for (const std::string& name : options.frames) wanted.push_back(model.frame(name));
  if (wanted.empty())  // all but the world
    for (std::size_t k = 1; k < model.frames().size(); ++k) wanted.push_back(static_cast<int>(k));
  std::vector<FramePose> result;
  for (const int frame : wanted) {
    result.push_back({model.frames()[frame].name, frame_pose(model, work, frame)});
    require_finite(result.back().X_WF.position, "the position of '" + result.back().name + "'");
  }
  return result;
}

void print_poses_json(const std::vector<FramePose>& poses) {
  Json out = json_object();
  out["frames"] = Json::object();
  for (const FramePose& pose : poses)
    out["frames"][pose.name] = {{"position", to_json(pose.X_WF.position)},
                                {"rotation", matrix_to_json(pose.X_WF.rotation)}};
  print_json(out);
}

void print_poses(const std::vector<FramePose>& poses) {
  std::vector<std::string> names;
  const auto count = static_cast<Eigen::Index>(poses.size());
  Eigen::MatrixXd position(count, 3), rpy(count, 3);
  for (Eigen::Index row = 0; row < count; ++row) {
    const FramePose& pose = poses[row];
    names.push_back(pose.name);
    position.row(row) = pose.X_WF.position.transpose();
    rpy.row(row) = euler_angles("XYZ", pose.X_WF.rotation).first.transpose();
  }
  print(Table()
            .words("frame", names)
            .matrix({"x m", "y m", "z m"}, position)
            .matrix({"roll rad", "pitch rad", "yaw rad"}, rpy)
            .text());
}

int run(const Options& options) {
  const Model model = load(options);
  const std::vector<FramePose> result = poses(model, options);
  if (options.json)
    print_poses_json(result);
  else
    print_poses(result);
  return 0;
}

}  // namespace
}  // namespace ulna::cli::fk_detail

namespace ulna::cli {

Command add_fk(CLI::App& program) {
  auto options = std::make_shared<fk_detail::Options>();
  CLI::App* app = add_robot_command(program, "fk", "Where all frames are (forward kinematics)",
                                    fk_detail::examples, *options);
  add_text(*app, "--q", options->q, "Q1,Q2,...", q_help);
  add_text(*app, "--elastic", options->elastic, "E1,E2,...", elastic_help);
  add_texts(*app, "--frame", options->frames, "FRAME", "Only this frame or body; may be repeated");
  return {app, [options] { return fk_detail::run(*options); }};
}

}  // namespace ulna::cli
