#include "ulna/simulation/internal/draft.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/motion/pose_path.hpp"
#include "ulna/motion/program.hpp"

namespace ulna {
// --------------------------------------------------------------------------------------
namespace {

/// What is refused is said at its place in the file.
template <class Action>
void at_mark(const SourceMark& mark, const std::string& element, const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& p : problems) {
      if (p.where.line == 0) p.where = mark;
      p.element = p.element.empty() ? element : element + ", " + p.element;
    }
    throw InputError(std::move(problems));
  }
}

class PathPlanner {
 public:
  PathPlanner(Experiment& experiment, const PathRequest& request)
      : e_(experiment), request_(request), model_(rigid_twin(e_.model)), near_(model_->neutral()) {
    if (e_.q.size() > 0) near_ = e_.q.head(near_.size());
  }

  void plan() {
    close_loops();
    Workspace work(*model_);
    update_poses(*model_, work, near_);
    from_ = frame_pose(*model_, work, request_.frame);
    make_path();
    CartesianMotionOptions options;
    options.start = near_;
    options.position_only = request_.position_only;
    options.held = request_.held;
    plan_frame_motion(e_, request_.frame, timed(), options);
  }

 private:
  /// Of a mechanism, `start` may say some coordinates only.
  void close_loops() {
    AssemblyOptions options;
    options.start = near_;
    for (std::size_t k = 0; k < e_.keep_q.size(); ++k)
      if (e_.keep_q[k] && static_cast<long>(k) < near_.size())
        options.held.push_back(static_cast<int>(k));
    near_ = assembled(*model_, options);
  }

  Pose<double> pose(const PoseRequest& request) const {
    return {request.rotation.value_or(from_.rotation), request.position.value_or(from_.position)};
  }

  void make_path() {
    switch (request_.shape) {
      case PathRequest::Shape::line:
        path_ = std::make_shared<LinePath>(pose(request_.from), pose(request_.to));
        break;
      case PathRequest::Shape::screw:
        path_ = std::make_shared<ScrewPath>(pose(request_.from), pose(request_.to));
        break;
      case PathRequest::Shape::circle:
        path_ = std::make_shared<CirclePath>(
            pose(request_.from), request_.centre, request_.axis, request_.angle,
            request_.turning ? CirclePath::Rotation::turning : CirclePath::Rotation::fixed);
        break;
      case PathRequest::Shape::polyline:
        polyline_ = std::make_shared<PolylinePath>(request_.points, from_.rotation, request_.blend);
        path_ = polyline_;
        break;
    }
  }

  [[noreturn]] static void refuse_program(const char* found, const char* expected) {
    throw InputError(Problem{{}, "program", found, expected, {}});
  }

  PathMotion timed() const {
    const std::string program = request_.program.value_or("poly345");
    const bool corners = !path_->sharp_corners().empty();
    const double peak = program_named(program, 0, 1, 1)->peak_factors().velocity;
    if (request_.speed) {
      if (corners && request_.ramp) {
        if (request_.program) refuse_program("both program and ramp are given", "one of them");
        return trapezoids_between_corners(polyline_, *request_.speed, *request_.ramp);
      }
      if (corners) return stop_at_corners(polyline_, *request_.speed, program);
      if (request_.program)
        refuse_program("speed is constant speed", "time with a program, or speed");
      return constant_speed(path_, *request_.speed, request_.ramp.value_or(0));
    }
    const double time = request_.time.value_or(e_.end > 0 ? e_.end : 1);
    // Each leg by the program, so that the whole takes the time.
    if (corners) return stop_at_corners(polyline_, peak * path_->length() / time, program);
    return PathMotion(path_, program_named(program, 0, path_->length(), time));
  }

  Experiment& e_;
  const PathRequest& request_;
  std::shared_ptr<const Model> model_;  ///< with rigid links
  Eigen::VectorXd near_;                ///< posture from which the start is looked for
  Pose<double> from_;                   ///< of the frame there
  PosePathPtr path_;
  std::shared_ptr<const PolylinePath> polyline_;
};

bool ends_together(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(a, b); }

/// `start` only chose the branch for the joints that follow the path exactly.
void start_on_motions(Experiment& e) {
  if (e.q.size() == 0) return;
  const Eigen::VectorXd q = start_of_motions(e).q;
  for (std::size_t j = 0; j < e.drives.size(); ++j) {
    const Joint& joint = e.model->joints()[j];
    for (int k = 0; k < joint.speeds && e.drives[j].kind == DriveKind::motion; ++k)
      if (const int at = e.model->coordinate_of_speed()[joint.v + k]; at >= 0) e.q(at) = q(at);
  }
}

}  // namespace

MotionStart start_of_motions(const Experiment& e) {
  MotionStart start{e.model->neutral(), Eigen::VectorXd::Zero(e.model->speeds())};
  for (std::size_t j = 0; j < e.drives.size(); ++j) {
    const int first = e.model->joints()[j].v;
    for (std::size_t k = 0; k < e.drives[j].motion.size(); ++k) {
      const int speed = first + static_cast<int>(k);
      const int coordinate = e.model->coordinate_of_speed()[speed];
      if (coordinate < 0) continue;
      const MotionValue x = e.drives[j].motion[k]->at(0);
      start.q(coordinate) = x.value;
      start.v(speed) = x.rate;
    }
  }
  return start;
}

Experiment plan(ExperimentDraft draft) {
  Experiment& e = draft.experiment;
  if (draft.path)
    at_mark(draft.path->mark, "path", [&] {
      PathPlanner(e, *draft.path).plan();
      start_on_motions(e);
    });
  if (draft.timing)
    at_mark(draft.timing->mark, "timing", [&] {
      // A duration that ends with the motions follows their timing; a longer or shorter one stays.
      const bool follows = e.end == 0 || ends_together(motions_end(e), e.end);
      e.timing = plan_timing(e, draft.timing->timing);
      if (follows) e.end = e.timing->duration;
    });
  if (e.end == 0) e.end = motions_end(e);
  if (draft.shaping)
    at_mark(draft.shaping->mark, "shaping",
            [&] { e.tracking.push_back(shape_motions(e, draft.shaping->shaping)); });
  if (draft.tip)
    at_mark(draft.tip->mark, "tip",
            [&] { e.tracking.push_back(track_tip(e, draft.tip->options)); });
  return std::move(e);
}

}  // namespace ulna
