// `ulna deflection`: the robot as a structure under a static load.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.hpp"
#include "commands/statics_output.hpp"
#include "options/loop_state.hpp"
#include "options/structure_options.hpp"
#include "options/wrench_options.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/elastic/internal/direction_cosines.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/structure/internal/end_frame.hpp"
#include "ulna/structure/load_factors.hpp"
#include "ulna/structure/member_stress.hpp"

namespace ulna::cli::deflection_detail {
namespace {

constexpr const char* examples = R"(  ulna deflection t3r3-frame --q 7deg,57deg,-71deg
  ulna deflection t3r3-frame --q 0,1,-1 --wrench tip:0,0,-500 --no-gravity
  ulna deflection t3r3-frame --q 0,1,-1 --v 0.3,-0.6,1.4 --members
  ulna deflection t3r3-frame --q 0,1,-1 --buckling 3
  ulna deflection t3r3-frame --q 0,1,-1 --axes --json

Computes the deflection and compliance of a frame and the largest stresses of every beam under gravity,
forces and the inertia of a motion (--v, --a). Joints are locked unless --locked or --elastic says
otherwise. Stresses are available for round, tube, rectangle and box sections. --members adds the stress
resultants at the ends of all elements, --buckling the factors by which the load may grow until the
structure buckles, and --axes the direction cosines of the members by five methods.)";

struct Options : RobotOptions {
  VectorOption q, v, a;
  StructureChoice structure;
  std::optional<std::string> frame, buckling;
  std::vector<std::string> wrenches;
  bool no_gravity = false, members = false, axes = false;
};

/// Where a wrench acts: the frame named before the colon and an axes' name.
int wrench_frame(const Model& model, const std::string& text) {
  std::string place = text.substr(0, text.rfind(':'));
  const auto known = [&](const std::string& name) {
    return std::any_of(model.frames().begin(), model.frames().end(),
                       [&](const Frame& frame) { return frame.name == name; });
  };
  while (!known(place) && place.find('@') != std::string::npos)
    place = place.substr(0, place.rfind('@'));
  return model.frame(place);
}

StaticLoad load_of(const Model& model, const RobotState& state, const Options& options) {
  StaticLoad load;
  load.gravity = !options.no_gravity;
  load.motion = {state.v, state.a};
  const std::vector<ExternalWrench> wrenches = wrenches_from(model, options.wrenches);
  Workspace work(model);
  update_poses(model, work, state.q);
  for (std::size_t k = 0; k < wrenches.size(); ++k) {
    const ExternalWrench& w = wrenches[k];
    Matrix3<double> R = Matrix3<double>::Identity();
    if (w.expressed_in > 0) R = frame_pose(model, work, w.expressed_in).rotation;
    Vector6<double> f;
    f << R * w.force, R * w.moment;
    load.forces.emplace_back(wrench_frame(model, options.wrenches[k]), f);
  }
  return load;
}

std::string beam_name(const MemberStress& member) {
  return member.beam.empty() ? member.body : member.body + "." + member.beam;
}

Json stress_json(const MemberStress& member) {
  Json item;
  item["beam"] = beam_name(member);
  item["station"] = member.station;
  item["resultants"] = to_json(member.resultants);
  if (!member.stress) return item;
  item["von_mises"] = member.stress->von_mises;
  item["normal"] = member.stress->normal;
  item["shear"] = member.stress->shear;
  item["at"] = Json::array({member.stress->y, member.stress->z});
  return item;
}

/// Of one method.
using Cosines = std::vector<MemberCosines>;

struct Answer {
  FrameDeflection at;
  std::vector<MemberStress> stresses;
  std::optional<elastic::BucklingModes> buckling;
  std::vector<Cosines> axes;  ///< by method
};

void print_answer_json(const Model& model, const Answer& answer) {
  Json out = deflection_json(model, answer.at);
  out["stresses"] = Json::array();
  for (const MemberStress& member : answer.stresses) out["stresses"].push_back(stress_json(member));
  if (answer.buckling) out["load_factors"] = to_json(answer.buckling->factor);
  const std::vector<std::string> methods = elastic::member_axes_methods();
  for (std::size_t k = 0; k < answer.axes.size(); ++k)
    for (const MemberCosines& member : answer.axes[k])
      out["axes"][member.beam][methods[k]] = matrix_to_json(member.rows);
  print_json(out);
}

void print_stresses(const std::vector<MemberStress>& stresses) {
  std::vector<std::string> names;
  std::string unknown;
  Eigen::MatrixXd numbers(0, 6);
  for (const MemberStress& m : stresses) {
    if (!m.stress) {
      unknown += (unknown.empty() ? "" : ", ") + beam_name(m);
      continue;
    }
    names.push_back(beam_name(m));
    numbers.conservativeResize(numbers.rows() + 1, 6);
    numbers.bottomRows<1>() << m.station, m.stress->von_mises / 1e6, m.stress->normal / 1e6,
        m.stress->shear / 1e6, m.stress->y, m.stress->z;
  }
  if (!names.empty()) {
    print(heading("\nlargest von Mises stress of each beam (MPa), and where it is"));
    print(Table()
              .words("beam", names)
              .matrix({"station m", "von Mises", "normal", "shear", "y m", "z m"}, numbers)
              .text());
  }
  if (!unknown.empty())
    print(
        fmt::format("\nno stresses of {}: they are known of round, tube, rectangle and box "
                    "sections\n",
                    unknown));
}

void print_axes(const std::vector<Cosines>& by_method) {
  const std::vector<std::string> methods = elastic::member_axes_methods();
  print(heading("\ndirection cosines: rows are the member's x, y, z in the world"));
  std::vector<std::string> names, of, axis;
  Eigen::MatrixXd rows(0, 3);
  for (std::size_t m = 0; m < by_method[0].size(); ++m)
    for (std::size_t k = 0; k < methods.size(); ++k) {
      rows.conservativeResize(rows.rows() + 3, 3);
      rows.bottomRows<3>() = by_method[k][m].rows;
      for (const char* letter : {"x", "y", "z"}) {
        const bool first = *letter == 'x';
        names.push_back(first && k == 0 ? by_method[0][m].beam : "");
        of.push_back(first ? methods[k] : "");
        axis.emplace_back(letter);
      }
    }
  print(Table()
            .words("beam", names)
            .words("method", of)
            .words("", axis)
            .matrix({"x", "y", "z"}, rows)
            .text());
}

void print_answer(const Model& model, const Answer& answer, const Options& options) {
  print_deflection(model, answer.at);
  print_stresses(answer.stresses);
  if (answer.stresses.empty()) print("\nno link bends: give links a beam: in the robot file\n");
  if (options.members) print_members(answer.at.bent);
  if (answer.buckling) {
    if (answer.buckling->factor.size() == 0)
      print("\nno load factor: the load compresses no member\n");
    else
      print(fmt::format("\nthe load may grow by {} until the structure buckles\n",
                        numbers_text(answer.buckling->factor)));
  }
  if (options.axes) print_axes(answer.axes);
}

int run(const Options& given) {
  Options options = given;
  if (!options.structure.locked && !options.structure.elastic) options.structure.locked = "all";
  const Model model = with_end_frame(in_its_plane(load(options), options.structure));
  const RobotState state = closed_state(model, options.q, options.v, options.a);
  const RobotStructure structure(model, state.q, structure_options(model, options.structure));
  const StaticLoad load = load_of(model, state, options);
  Answer answer;
  answer.at = frame_deflection(structure, state.q, frame_or_tip(model, options.frame), load);
  answer.stresses = member_stresses(structure, answer.at.bent);
  if (options.buckling)
    answer.buckling =
        load_factors(structure, state.q, load, parse_count("--buckling", *options.buckling, 1));
  if (options.axes)
    for (const std::string& method : elastic::member_axes_methods())
      answer.axes.push_back(member_cosines(structure, method));
  if (options.json)
    print_answer_json(model, answer);
  else
    print_answer(model, answer, options);
  return 0;
}

}  // namespace
}  // namespace ulna::cli::deflection_detail

namespace ulna::cli {

Command add_deflection(CLI::App& program) {
  auto options = std::make_shared<deflection_detail::Options>();
  CLI::App* app = add_robot_command(program, "deflection",
                                    "Deflection, stresses and buckling of the robot as a structure",
                                    deflection_detail::examples, *options);
  add_text(*app, "--q", options->q, "Q1,Q2,...", q_help);
  add_text(*app, "--v", options->v, "V1,V2,...", "Speeds; their inertia forces are loads");
  add_text(*app, "--a", options->a, "A1,A2,...", "Accelerations; their inertia forces are loads");
  add_structure_options(*app, options->structure);
  add_wrench_option(*app, options->wrenches);
  add_flag(*app, "--no-gravity", options->no_gravity, "Leave out the weight of the robot");
  add_text(*app, "--frame", options->frame, "FRAME",
           "Frame whose deflection and compliance are computed (default: the tip)");
  add_flag(*app, "--members", options->members,
           "Add the stress resultants at the ends of all elements");
  add_text(*app, "--buckling", options->buckling, "N",
           "Add the N smallest load factors of buckling");
  add_flag(*app, "--axes", options->axes,
           "Add the direction cosines of the members by every method");
  return {app, [options] { return deflection_detail::run(*options); }};
}

}  // namespace ulna::cli
