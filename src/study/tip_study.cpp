#include "ulna/study/internal/tip_study.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ulna/model/internal/requirements.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

/// Controllers with some of their outer feedback only.
void keep_feedback(Experiment& e, const std::function<bool(const OuterFeedback&)>& keep) {
  for (std::shared_ptr<const Controller>& controller : e.controllers) {
    const auto* const feedback = dynamic_cast<const Feedback*>(controller.get());
    if (!feedback || feedback->feedback.empty()) continue;
    auto changed = std::make_shared<Feedback>(*feedback);
    std::erase_if(changed->feedback, [&](const OuterFeedback& one) { return !keep(one); });
    controller = changed;
  }
}

struct Variant {
  std::string method;
  std::string shaper;  ///< empty: none
  std::optional<TipInversion> inversion;
  std::string feedback;  ///< none, strain (channels), tip (frames) or all
};

std::vector<Variant> variants_of(const ExperimentDraft& draft) {
  bool channels = false, frames = false;
  for (const auto& controller : draft.experiment.controllers)
    for (const OuterFeedback& one : controller->feedback)
      (one.channel.empty() ? frames : channels) = true;
  std::vector<Variant> list = {{"joint control", {}, {}, "none"}};
  if (channels) list.push_back({"strain feedback", {}, {}, "strain"});
  if (frames) list.push_back({"tip feedback", {}, {}, "tip"});
  for (const char* shaper : {"zv", "zvd", "robust"})
    list.push_back({std::string(shaper) + " shaping", shaper, {}, "none"});
  list.push_back({"causal inversion", {}, TipInversion::causal, "none"});
  list.push_back({"stable inversion", {}, TipInversion::preview, "none"});
  if (channels || frames)
    list.push_back({"stable inversion, feedback", {}, TipInversion::preview, "all"});
  return list;
}

Experiment experiment_of(ExperimentDraft draft, const Variant& variant) {
  const TipRequest tip = *draft.tip;
  ShapingRequest shaping = draft.shaping.value_or(ShapingRequest{});
  if (!draft.shaping) shaping.shaping.modes = 2;
  draft.tip.reset(), draft.shaping.reset();
  if (!variant.shaper.empty()) {
    shaping.shaping.shaper = variant.shaper;
    draft.shaping = shaping;
  }
  if (variant.inversion) {
    draft.tip = tip;
    draft.tip->options.inversion = *variant.inversion;
  }
  keep_feedback(draft.experiment, [&](const OuterFeedback& one) {
    if (variant.feedback == "all") return true;
    return variant.feedback == (one.channel.empty() ? "tip" : "strain");
  });
  return plan(std::move(draft));
}

TipRun measured(const Experiment& e, const std::string& frame, const Variant& variant,
                double motion_end, const Run& run) {
  TipRun out;
  out.method = variant.method;
  for (const TrackingResult& one : e.tracking) out.preview += one.preview;
  out.end = motion_end;
  for (const TrackingResult& one : e.tracking)
    if (!variant.shaper.empty()) out.end += one.added;
  out.complete = run.summary.complete, out.reason = run.summary.reason;
  out.error = run.column("tip_error." + frame + ".distance");
  out.t = Eigen::Map<const Eigen::VectorXd>(run.t.data(), static_cast<long>(run.t.size())).array() -
          out.preview;
  out.peak = out.error.maxCoeff();
  out.rms = std::sqrt(out.error.squaredNorm() / static_cast<double>(out.error.size()));
  for (long k = 0; k < out.t.size(); ++k)
    if (out.t(k) >= out.end) out.residual = std::max(out.residual, out.error(k));
  for (int k = 0; k < e.model->joint_speeds(); ++k)
    out.peak_effort = std::max(
        out.peak_effort, run.column("tau." + e.model->speed_names()[static_cast<std::size_t>(k)])
                             .cwiseAbs()
                             .maxCoeff());
  return out;
}

}  // namespace

std::vector<TipRun> tip_study(const ExperimentDraft& draft,
                              const std::function<bool(const std::string&)>& progress,
                              std::stop_token stop) {
  if (!draft.experiment.model) throw InputError("the experiment has no robot");
  require_flexible(*draft.experiment.model);
  if (!draft.tip)
    throw InputError(Problem{{draft.experiment.source},
                             "tip",
                             "it is missing",
                             "tip: {frame: NAME}, the frame that is to follow its path",
                             {}});
  const std::string frame =
      draft.experiment.model->frames()[static_cast<std::size_t>(draft.tip->options.frame)].name;
  ExperimentDraft plain = draft;
  plain.tip.reset(), plain.shaping.reset();
  const double motion_end = motions_end(plan(plain));
  std::vector<TipRun> runs;
  for (const Variant& variant : variants_of(draft)) {
    if (progress && !progress(variant.method)) break;
    Experiment e = experiment_of(draft, variant);
    e.record.channels = {"tip_error." + frame + ".distance", "tau"};
    // The same time at rest for all, in which vibration shows.
    const double rest = 0.5 * motion_end;
    double end = motion_end + rest;
    for (const TrackingResult& one : e.tracking)
      end += variant.shaper.empty() ? one.preview : one.added;
    e.end = std::max(e.end, end);
    runs.push_back(measured(e, frame, variant, motion_end, simulate(e, stop)));
  }
  return runs;
}

}  // namespace ulna
