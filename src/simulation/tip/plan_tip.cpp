#include "ulna/simulation/internal/plan_tip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "run/planned_motion.hpp"
#include "ulna/dynamics/internal/elastic_modes.hpp"
#include "ulna/simulation/internal/plan.hpp"
#include "ulna/simulation/internal/reference.hpp"

namespace ulna {
namespace {

double finite_end(const Experiment& e) {
  const double end = motions_end(e);
  if (end == 0) throw InputError("no joint has a motion", "motions, or a path of a frame");
  if (!std::isfinite(end))
    throw InputError("a motion does not come to rest", "motions that end, or a duration");
  return end;
}

bool ends_with_motions(const Experiment& e, double end) {
  return e.end == 0 || std::abs(e.end - end) <= 1e-9 * end;
}

/// Frequencies of one mode along the motions.
struct Band {
  double low = INFINITY, high = 0, damping = 0;
};

std::vector<Band> bands_along(const Experiment& e, double end, const Shaping& shaping) {
  if (e.model->modes() == 0)
    throw InputError(fmt::format("robot '{}' has no flexible bodies", e.model->name()),
                     "a flexible robot, or the frequencies that the shaper is for");
  // Deflections are small, and joints alone make the frequencies change.
  const std::shared_ptr<const Model> twin = rigid_twin(e.model);
  PlannedMotion motion(e, twin, end);
  std::vector<Band> bands;
  for (int k = 0; k < shaping.postures; ++k) {
    ModesQuery query;
    query.q = e.model->neutral();
    query.q.head(twin->coordinates()) =
        motion.at(shaping.postures > 1 ? end * k / (shaping.postures - 1) : 0).q;
    query.all_locked = true;
    query.damped = true;
    const ElasticModes modes = elastic_modes(*e.model, query);
    const auto count = std::min<long>(shaping.modes, modes.frequencies.size());
    bands.resize(static_cast<std::size_t>(count));
    for (long i = 0; i < count; ++i) {
      Band& band = bands[static_cast<std::size_t>(i)];
      const double w = modes.frequencies(i);
      if (!(w > 0)) throw ComputationError("a mode of the robot with locked joints is not stable");
      band.low = std::min(band.low, w);
      band.high = std::max(band.high, w);
      if (modes.from_poles && modes.growth.size() > i)
        band.damping = std::max(band.damping, std::clamp(-modes.growth(i) / w, 0.0, 0.9));
    }
  }
  return bands;
}

InputShaper shaper_for(const Band& band, const Shaping& shaping) {
  if (shaping.shaper == "robust")
    return robust_shaper(band.low, band.high, band.damping, shaping.tolerance);
  const auto names = shaper_names();
  const auto order = std::ranges::find(names, shaping.shaper) - names.begin();
  return zero_vibration(static_cast<int>(order), (band.low + band.high) / 2, band.damping);
}

}  // namespace

std::vector<std::string> shaper_names() { return {"zv", "zvd", "zvdd", "zvddd", "robust"}; }

TrackingResult shape_motions(Experiment& e, const Shaping& shaping) {
  const std::vector<std::string> names = shaper_names();
  if (std::ranges::count(names, shaping.shaper) == 0)
    throw InputError(Problem{{},
                             "shaper",
                             fmt::format("found '{}'", shaping.shaper),
                             fmt::format("one of {}", fmt::join(names, ", ")),
                             nearest_name_hint(shaping.shaper, names)});
  const double end = finite_end(e);
  const bool follows = ends_with_motions(e, end);
  std::vector<Band> bands;
  for (const double w : shaping.frequencies) bands.push_back({w, w, shaping.damping});
  if (bands.empty()) bands = bands_along(e, end, shaping);
  InputShaper shaper;
  std::string text;
  for (const Band& band : bands) {
    shaper = convolved(shaper, shaper_for(band, shaping));
    constexpr double hertz = 1 / (2 * std::numbers::pi);
    text += fmt::format("{}{:.4g}", text.empty() ? "" : ", ", band.low * hertz);
    if (band.high > band.low * (1 + 1e-6)) text += fmt::format(" to {:.4g}", band.high * hertz);
  }
  for (Drive& drive : e.drives)
    for (ScalarMotionPtr& f : drive.motion) f = shaped(f, shaper);
  TrackingResult result;
  result.method = shaping.shaper;
  result.added = shaper.duration();
  if (follows) e.end = end + result.added;
  result.text = fmt::format("{} shaper for {} Hz: {} impulses over {:.4g} s", shaping.shaper, text,
                            shaper.impulses.size(), result.added);
  return result;
}

TrackingResult track_tip(Experiment& e, const TipOptions& options) {
  const Model& model = *e.model;
  model.require_tree("the inversion for a frame (tip)");
  const double end = finite_end(e);
  const bool follows = ends_with_motions(e, end);
  Reference start(e);
  start.update(0);
  std::vector<ScalarMotionPtr> joints(static_cast<std::size_t>(model.joint_speeds()));
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    if (joint.speeds == 0) continue;
    const DriveKind kind = j < e.drives.size() ? e.drives[j].kind : DriveKind::free;
    if (kind != DriveKind::motion && kind != DriveKind::controller)
      throw InputError(fmt::format("joint '{}' is {}", joint.name,
                                   kind == DriveKind::locked ? "locked" : "not driven by a motion"),
                       "the drive motion or controller for every joint");
    for (int k = 0; k < joint.speeds; ++k)
      joints[static_cast<std::size_t>(joint.v + k)] =
          e.drives[j].motion.empty() ? std::make_shared<ConstantMotion>(start.q(joint.q + k))
                                     : e.drives[j].motion[static_cast<std::size_t>(k)];
  }
  const TipMotion motion = invert_tip(model, joints, end, options);
  e.target.clear();
  for (const ScalarMotionPtr& f : joints)
    e.target.push_back(shaped(f, InputShaper{{{motion.preview, 1}}}));
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    if (joint.speeds == 0) continue;
    e.drives[j].motion.clear();
    for (int k = 0; k < joint.speeds; ++k)
      e.drives[j].motion.push_back(motion.coordinate(joint.v + k));
  }
  e.modal_motions.clear();
  for (int k = 0; k < model.modes(); ++k)
    e.modal_motions.push_back(motion.coordinate(model.joint_coordinates() + k));
  e.q = motion.q.row(0).transpose();
  e.v = motion.v.row(0).transpose();
  const double last = motion.t(motion.t.size() - 1);
  e.end = follows ? last : e.end + motion.preview;
  TrackingResult result;
  result.method = name_of(options.inversion);
  result.preview = motion.preview;
  result.added = motion.preview + motion.tail;
  result.text = options.inversion == TipInversion::causal
                    ? fmt::format("quasi-static inversion for frame '{}'",
                                  model.frames()[static_cast<std::size_t>(options.frame)].name)
                    : fmt::format(
                          "stable inversion for frame '{}': the joints move {:.4g} s before it; {} "
                          "nodes, {} iterations",
                          model.frames()[static_cast<std::size_t>(options.frame)].name,
                          motion.preview, motion.t.size(), motion.iterations);
  // A coarse grid that cannot be refined is no solution: docs/theory/tip-tracking.md, section 7.
  constexpr double much = 1e-3;  // radians, metres
  if (motion.change > much)
    result.text += fmt::format(
        "; not converged: {}. The links deflect so far that the internal dynamics have no bounded "
        "solution, and the tip will leave its path; choose a slower motion, stiffer links or a "
        "smaller load",
        std::isfinite(motion.change)
            ? fmt::format("half the step changes the motion by {:.2g} (rad, m)", motion.change)
            : std::string("there is no solution with half the step"));
  return result;
}

}  // namespace ulna
