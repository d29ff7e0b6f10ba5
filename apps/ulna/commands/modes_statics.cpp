#include "commands/modes_options.hpp"
#include "commands/statics_output.hpp"

namespace ulna::cli {

int modes_statics(const Model& model, const RobotState& state, const ModesOptions& options) {
  const RobotStructure structure(model, state.q, structure_options(model, options.structure));
  StaticLoad load;
  load.motion = {state.v, state.a};
  const FrameDeflection found =
      frame_deflection(structure, state.q, frame_or_tip(model, options.frame), load);
  if (options.json) {
    print_json(deflection_json(model, found));
    return 0;
  }
  print_deflection(model, found);
  print_members(found.bent);
  return 0;
}

}  // namespace ulna::cli
