#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "study/study_results.hpp"
#include "ulna/dynamics/internal/elastic_modes.hpp"
#include "ulna/model/internal/actuator_inputs.hpp"
#include "ulna/model/model.hpp"
#include "ulna/structure/internal/end_frame.hpp"
#include "ulna/structure/internal/plane_frame.hpp"
#include "ulna/structure/member_stress.hpp"
#include "ulna/structure/structure_modes.hpp"

namespace ulna {
namespace {

/// The robot as `ulna modes` and `ulna deflection` take it: in its plane where its beams have data
/// for bending there only, and watched at the end of its last beam where it names no place.
struct StudiedStructure {
  Model model;
  StructureOptions options;
};

StudiedStructure studied_structure(const Model& model, const StudyRunKind& run) {
  StructureOptions options;
  if (run.all_locked) options.joints = JointHold::locked;
  for (const std::string& joint : run.locked) options.support[joint] = {JointHold::locked, 0, 0};
  const std::optional<PlaneFrame> plane = plane_frame(model);
  if (!plane) return {with_end_frame(model), options};
  options.freedoms = freedoms_named(plane->freedoms).value();
  return {with_end_frame(made_from(model, plane->robot)), options};
}

void keep_frequencies(const Eigen::VectorXd& omega, const StudyRunKind& run,
                      StudyResults& results) {
  for (int k = 0; k < std::min<long>(run.count, omega.size()); ++k)
    results.numbers[run.result(fmt::format("frequency.{}", k + 1))] =
        omega(k) / (2 * std::numbers::pi);
}

bool bends_by_modes(const Model& model, const StudyRunKind& run) {
  return !run.elements && model.flexible();
}

}  // namespace

void run_modes_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  const State state = state_of(task, run);
  if (bends_by_modes(*task.model, run)) {
    ModesQuery query;
    query.q = state.q;
    if (!state.v.isZero(0)) query.v = state.v;
    query.all_locked = run.all_locked;
    for (const std::string& joint : run.locked) query.locked.push_back(task.model->joint(joint));
    const ElasticModes modes = elastic_modes(*task.model, query);
    keep_frequencies(modes.frequencies, run, results);
    results.numbers[run.result("growth.largest")] = growth_rate(modes);
    return;
  }
  const StudiedStructure studied = studied_structure(*task.model, run);
  const RobotStructure structure(studied.model, state.q, studied.options);
  elastic::EigenOptions eigen;
  eigen.count = run.count;
  keep_frequencies(structure_modes(structure, eigen).modes.omega, run, results);
}

void run_deflection_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  const State state = state_of(task, run);
  const StudiedStructure studied = studied_structure(*task.model, run);
  const RobotStructure structure(studied.model, state.q, studied.options);
  StaticLoad load;
  load.gravity = run.gravity;
  const int frame = frame_of(studied.model, run);
  Vector6<double> force = Vector6<double>::Zero();
  force.head<3>() = run.force;
  if (!run.force.isZero(0)) load.forces.emplace_back(frame, force);
  const StaticDeflection bent = static_deflection(structure, state.q, load);
  const auto motion = structure.frame().node_motion(structure.node_of(frame), bent.freedoms);
  const Matrix6<double> soft = compliance(structure, frame);
  auto& n = results.numbers;
  const char* axes[] = {"x", "y", "z"};
  for (int k = 0; k < 3; ++k) {
    n[run.result(fmt::format("deflection.{}", axes[k]))] = motion(k);
    n[run.result(fmt::format("deflection.r{}", axes[k]))] = motion(k + 3);
    n[run.result(fmt::format("stiffness.{}", axes[k]))] = 1 / soft(k, k);
  }
  n[run.result("deflection.distance")] = motion.template head<3>().norm();
  double stress = 0;
  for (const MemberStress& member : member_stresses(structure, bent))
    if (member.stress) stress = std::max(stress, member.stress->von_mises);
  n[run.result("stress.largest")] = stress;
}

}  // namespace ulna
