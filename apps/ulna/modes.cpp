#include <CLI/App.hpp>
#include <memory>

#include "command.hpp"
#include "modes_options.hpp"

namespace ulna::cli {
namespace {

constexpr const char* examples = R"(  ulna modes t3r3-frame --q 7deg,57deg,-71deg --locked all
  ulna modes t3r3-frame --locked joint1,joint2 --count 8 --json
  ulna modes t3r3-frame --locked all --sweep joint2=0deg:180deg:5deg -o sweep.svg
  ulna modes t3r3-frame --locked all -o modes.html
  ulna modes t3r3-frame --locked all --sweep payload=0:50:5
  ulna modes t3r3-frame --locked all --sweep upper_arm.material=steel,aluminium
  ulna modes t3r3-frame --locked all --q 0,1,-1 --v 0.3,-0.6,1.4 --terms all,no-geometric
  ulna modes t3r3-frame --locked all --q 0,1,-1 --statics
  ulna modes flexible-two-link --q 0,90deg --locked all
  ulna modes flexible-two-link --locked shoulder --rigid inboard --sweep v.elbow=0:6:0.5 -o spin.svg
  ulna modes t3r3-frame --locked all --q 0,1,-1 --response tip.z:tip.z --frequencies 1:100:0.5 -o frf.svg

Natural frequencies and shapes of the robot as an elastic frame at a posture. Links bend where the robot file
gives them a beam; others are rigid. --terms adds what a motion (--v, --a) and gravity do: gyroscopic,
centrifugal, euler, geometric.

Of a robot with flexible bodies: the frequencies of its modal coordinates, as simulations have them, at any posture,
deflection (--elastic E1,E2,...) and motion (--v); --elements asks for beam elements as above.)";

int run(const ModesOptions& options) {
  const Model model = load(options);
  if (asks_for_modal_coordinates(model, options)) return modes_flexible(model, options);
  const int count = options.count ? parse_count("--count", *options.count, 1) : 6;
  RobotState state;
  if (model.loops().empty())
    state = {coordinates_from(model, options.q), speeds_from(model, options.v),
             accelerations_from(model, options.a)};
  else
    state = closed_state(model, options.q, options.v, options.a);
  const bool shapes = !options.statics && !options.v && !options.a && !options.terms;
  if (options.output && !options.sweep && !options.response && !(options.is_page() && shapes))
    throw InputError(
        Problem{{},
                "-o",
                "there is nothing to draw",
                "--sweep or --response with it, or modes at rest and a name that ends in .html",
                {}});
  if (options.sweep) return modes_sweep(model, state.q, options, count);
  if (options.response)  // all modes unless a number is asked for
    return modes_response(model, state.q, options, options.count ? count : 0);
  if (options.statics) return modes_statics(model, state, options);
  if (options.v || options.a || options.terms) return modes_in_motion(model, state, options, count);
  return modes_at_rest(model, state.q, options, count);
}

}  // namespace

Command add_modes(CLI::App& program) {
  auto options = std::make_shared<ModesOptions>();
  CLI::App* app = add_robot_command(program, "modes",
                                    "Natural frequencies and shapes of the robot as a structure",
                                    examples, *options);
  add_text(*app, "--q", options->q, "Q1,Q2,...", q_help);
  add_text(*app, "--v", options->v, "V1,V2,...", "Speeds, with their terms");
  add_text(*app, "--a", options->a, "A1,A2,...", "Accelerations, with their terms");
  add_text(*app, "--count", options->count, "N", "How many modes; 6 when absent");
  add_structure_options(*app, options->structure);
  add_text(*app, "--terms", options->terms, "all,no-TERM,...",
           "Terms of the motion: gyroscopic, centrifugal, euler, geometric; all with --v or --a");
  add_text(*app, "--sweep", options->sweep, "PARAMETER=A:B:STEP",
           "Over a coordinate, payload, LINK.material or LINK.section.ratio");
  add_text(*app, "--threads", options->threads, "N", "Of a sweep; all of the machine when absent");
  add_text(*app, "-o,--output", options->output, "FILE",
           "A sweep or response as .svg, .png or .csv; shapes as a page, .html");
  app->add_flag(
      "--statics", options->statics,
      "Deflection, compliance and stress resultants under gravity and the motion instead");
  add_text(*app, "--response", options->response, "FROM:TO",
           "Frequency response between forces and motions: FRAME.x, .y, .z, .rx, .ry, .rz or a "
           "free joint's coordinate; of --count modes, all when absent");
  add_text(*app, "--frequencies", options->frequencies, "A:B:STEP",
           "Of --response, in Hz; 1:100:1 when absent");
  add_text(*app, "--damping", options->damping, "ZETA",
           "Of --response, of critical in every mode; 0.01 when absent");
  add_text(*app, "--frame", options->frame, "FRAME", "Of --statics; the tip when absent");
  add_flexible_options(*app, *options);
  return {app, [options] { return run(*options); }};
}

}  // namespace ulna::cli
