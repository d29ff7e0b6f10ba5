#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "command.hpp"
#include "commands/modes_options.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/model/internal/actuator_inputs.hpp"
#include "ulna/structure/internal/end_frame.hpp"
#include "ulna/structure/internal/plane_frame.hpp"

namespace ulna::cli::modes_detail {
namespace {

constexpr const char* examples = R"(  ulna modes t3r3-frame --q 7deg,57deg,-71deg --locked all
  ulna modes t3r3-frame --locked joint1,joint2 --count 8 --json
  ulna modes t3r3-frame --locked all --sweep joint2=0deg:180deg:5deg -o sweep.svg
  ulna modes t3r3-frame --locked all -o modes.html
  ulna modes t3r3-frame --locked all --map joint2=0deg:120deg:4deg,joint3=-150deg:0deg:5deg -o map.svg
  ulna modes t3r3-frame --locked all --sweep payload=0:50:5
  ulna modes t3r3-frame --locked all --sweep upper_arm.material=steel,aluminium
  ulna modes t3r3-frame --locked all --sweep beams.upper_arm.section.outer=120mm:200mm:20mm
  ulna modes t3r3-frame --locked all --sweep payload=0,25 --sweep joint2=0deg:90deg:15deg -o grid.csv
  ulna modes experiment.yaml --locked all -o along.svg
  ulna modes t3r3-frame --locked all --q 0,1,-1 --v 0.3,-0.6,1.4 --terms all,no-geometric
  ulna modes t3r3-frame --locked all --q 0,1,-1 --statics
  ulna modes flexible-two-link --q 0,90deg --locked all
  ulna modes flexible-two-link --locked shoulder --rigid inboard --sweep v.elbow=0:6:0.5 -o spin.svg
  ulna modes t3r3-frame --locked all --q 0,1,-1 --response tip.z:tip.z --frequencies 1:100:0.5 -o frf.svg
  ulna modes t3r3-frame --locked all --q 0,1,-1 --transient tip.z:tip.z,tip.x --load step --amplitude -100 -o step.svg

Computes natural frequencies and mode shapes of the robot as an elastic structure at a posture. Links
bend if the robot file gives them a beam; other links are rigid. --terms adds the effects of a motion
(--v, --a) and of gravity: gyroscopic, centrifugal, euler, geometric.

For a robot with flexible bodies, the frequencies are those of its modal coordinates, as in simulations,
at any posture, deflection (--elastic E1,E2,...) and motion (--v). --elements uses beam elements instead.

Several --sweep options give all their combinations. For an experiment file (or with --along), the
frequencies along its motion are computed.)";

void require_one_question(const ModesOptions& options) {
  std::string asked;
  for (const auto& [given, name] : {std::pair{!options.sweeps.empty(), "--sweep"},
                                    {options.along.has_value(), "--along"},
                                    {options.map.has_value(), "--map"},
                                    {options.response.has_value(), "--response"},
                                    {options.transient.has_value(), "--transient"},
                                    {options.statics, "--statics"}}) {
    if (!given) continue;
    if (!asked.empty())
      throw InputError(Problem{{}, name, "given together with " + asked, "one of them", {}});
    asked = name;
  }
}

Model loaded_model(const ModesOptions& options, const std::optional<SweepGrid>& along) {
  return along ? *along->points[0].model : load(options);
}

struct Asked : ModesOptions {
  bool free = false;  ///< --free
};

/// Joints that --elastic, --response or --transient are about: locked ones have no say there.
bool is_named_elsewhere(const ModesOptions& options, const std::string& joint) {
  if (options.structure.elastic)
    for (const std::string& part : comma_parts(*options.structure.elastic))
      if (const std::string name = part.substr(0, part.find('=')); name == joint || name == "all")
        return true;
  for (const auto* text : {&options.response, &options.transient}) {
    if (!text->has_value()) continue;
    const ResponsePath path = parse_response("--response", **text);
    if (path.from == joint || std::ranges::find(path.to, joint) != path.to.end()) return true;
  }
  return false;
}

/// The drives of an arm hold it where nothing else is said: joints without springs are locked, and
/// that is noted. Mechanisms with loops and robots in which nothing is elastic stay as they are.
void lock_drives(const Model& model, Asked& options) {
  if (options.structure.locked || options.free) return;
  for (const Loop& loop : model.loops())
    if (loop.kind != LoopKind::coupling) return;
  std::set<int> sprung;
  for (const DegreeTerms& term : model.degree_terms())
    if (term.has_spring()) sprung.insert(term.v);
  if (sprung.empty() && model.modes() == 0 && !has_beams(model)) return;
  std::vector<std::string> names;
  bool all = true;
  for (const Joint& joint : model.joints()) {
    bool drives = joint.speeds > 0 && joint.coordinates == joint.speeds &&
                  !is_named_elsewhere(options, joint.name);
    for (int k = 0; k < joint.speeds; ++k) drives = drives && sprung.count(joint.v + k) == 0;
    if (drives)
      names.push_back(joint.name);
    else
      all = all && joint.speeds == 0;
  }
  if (names.empty()) return;
  options.structure.locked = all ? "all" : fmt::format("{}", fmt::join(names, ","));
  note(fmt::format("the drives hold the robot: {} locked; --free leaves all joints free",
                   fmt::join(names, ", ")));
}

/// The points of --sweep or of a motion, with every robot as this command needs it. `planar`: the
/// plane was found for the first robot, and said.
SweepGrid grid_of(const Model& loaded, const ModesOptions& options,
                  const std::optional<SweepGrid>& along, const RobotState& state, bool planar) {
  const auto prepare = [&](Robot robot) {
    const Model model = made_from(loaded, std::move(robot));
    const std::optional<PlaneFrame> plane = planar ? plane_frame(model) : std::nullopt;
    return with_end_frame(plane ? made_from(model, plane->robot) : model);
  };
  if (!along) return parse_sweeps(options.sweeps, loaded, state.q, state.v, prepare);
  SweepGrid grid = *along;
  const auto model = std::make_shared<const Model>(prepare(loaded.robot()));
  for (SweepPoint& point : grid.points) point.model = model;
  return grid;
}

int run(const Asked& given) {
  Asked options = given;
  if (is_experiment_file(options.robot) && !options.along) options.along = options.robot;
  require_one_question(options);
  std::optional<SweepGrid> along;
  if (options.along) along = points_along(*options.along, options);
  const Model loaded = loaded_model(options, along);
  lock_drives(loaded, options);
  if (asks_for_modal_coordinates(loaded, options)) return modes_flexible(loaded, options, along);
  const Model model = with_end_frame(in_its_plane(loaded, options.structure));
  const bool planar = options.structure.freedoms && !given.structure.freedoms;
  const int count = options.count ? parse_count("--count", *options.count, 1) : 6;
  const bool sweeps = along || !options.sweeps.empty();
  const bool complex = options.v || options.a || options.terms || options.damped ||
                       options.damping || options.rayleigh;
  const bool shapes = !options.statics && !complex;
  if (options.output && !sweeps && !options.map && !options.response && !options.transient &&
      !(options.is_page() && shapes))
    throw InputError(Problem{{},
                             "-o",
                             "there is nothing to draw",
                             "--sweep, --map, --response or --transient with it, or modes at rest "
                             "and a name that ends in .html",
                             {}});
  if (along) return modes_sweep(model, grid_of(loaded, options, along, {}, planar), options, count);
  const RobotState state = closed_state(model, options.q, options.v, options.a);
  if (options.map) return modes_map(model, state.q, options, count);
  if (sweeps)
    return modes_sweep(model, grid_of(loaded, options, along, state, planar), options, count);
  if (options.response)  // all modes unless a number is asked for
    return modes_response(model, state.q, options, options.count ? count : 0);
  if (options.transient) return modes_transient(model, state.q, options, options.count ? count : 0);
  if (options.statics) return modes_statics(model, state, options);
  if (complex) return modes_in_motion(model, state, options, count);
  return modes_at_rest(model, state.q, options, count);
}

}  // namespace
}  // namespace ulna::cli::modes_detail

namespace ulna::cli {

Command add_modes(CLI::App& program) {
  auto options = std::make_shared<modes_detail::Asked>();
  CLI::App* app = add_robot_command(
      program, "modes", "Natural frequencies and mode shapes of the robot as a structure",
      modes_detail::examples, *options);
  add_text(*app, "--q", options->q, "Q1,Q2,...", q_help);
  add_text(*app, "--v", options->v, "V1,V2,...", "Speeds; adds their terms");
  add_text(*app, "--a", options->a, "A1,A2,...", "Accelerations; adds their terms");
  add_text(*app, "--count", options->count, "N", "Number of modes (default: 6)");
  add_structure_options(*app, options->structure);
  add_flag(
      *app, "--free", options->free,
      "Leave all joints free; without it and --locked, the actuated joints of an arm are locked");
  add_text(*app, "--terms", options->terms, "all,no-TERM,...",
           "Terms of the motion: gyroscopic, centrifugal, euler, geometric; all with --v or --a");
  add_flag(*app, "--damped", options->damped,
           "Compute complex modes with the dampers of joints, --damping and --rayleigh");
  add_texts(*app, "--sweep", options->sweeps, "PARAMETER=A:B:STEP",
            "Vary a coordinate, payload, LINK.material, LINK.section.ratio or any number of the "
            "robot file by its path (bodies.NAME.mass); several options give all combinations");
  add_text(*app, "--along", options->along, "EXPERIMENT",
           "Solve along the motion of an experiment, which also names the robot");
  add_text(*app, "--points", options->points, "N", "Number of times for --along (default: 101)");
  add_text(*app, "--map", options->map, "Q1=A:B:STEP,Q2=A:B:STEP",
           "Map of a frequency over two coordinates, by posture and by position of --frame");
  add_text(*app, "--mode", options->mode, "K",
           "Number of the frequency that --map draws (default: the lowest)");
  add_text(*app, "--threads", options->threads, "N",
           "Threads of a sweep or map (default: all of the machine)");
  add_text(
      *app, "-o,--output", options->output, "FILE",
      "Write a sweep, map or response (.svg, .png, .csv) or a page with the mode shapes (.html)");
  add_flag(*app, "--statics", options->statics,
           "Compute deflection, compliance and stress resultants under gravity and the motion "
           "instead of modes");
  add_text(*app, "--response", options->response, "FROM:TO",
           "Frequency response from a force to a displacement: FRAME.x, .y, .z, .rx, .ry, .rz or "
           "the coordinate of a free joint; with --count modes (default: all)");
  add_text(*app, "--transient", options->transient, "FROM:TO,...",
           "Transient response from rest to a force or effort at FROM; names as for --response");
  add_text(*app, "--load", options->load, "step|impulse|FILE.csv",
           "Force of --transient over time, or a file of times and forces (default: step)");
  add_text(*app, "--amplitude", options->amplitude, "F",
           "Force (N, N m) or impulse of --load, or factor of its file (default: 1)");
  add_text(*app, "--times", options->times, "A:B:STEP",
           "Times of --transient in s (default: 0:1:0.001, or those of the file)");
  add_text(*app, "--frequencies", options->frequencies, "A:B:STEP",
           "Frequencies of --response in Hz (default: 1:100:1)");
  add_text(*app, "--damping", options->damping, "ZETA",
           "Modal damping ratio, added to the dampers of joints (default: 0.01 for --response and "
           "--transient, otherwise none)");
  add_text(*app, "--rayleigh", options->rayleigh, "A,B",
           "Rayleigh damping: A times the mass matrix plus B times the stiffness matrix");
  add_text(*app, "--frame", options->frame, "FRAME",
           "Frame of --statics and --map (default: the tip, or the end of the last beam for robots "
           "without frames)");
  add_flexible_options(*app, *options);
  return {app, [options] { return modes_detail::run(*options); }};
}

}  // namespace ulna::cli
