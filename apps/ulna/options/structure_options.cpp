#include "options/structure_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "output/terminal.hpp"
#include "ulna/model/internal/actuator_inputs.hpp"
#include "ulna/structure/internal/plane_frame.hpp"

namespace ulna::cli {

std::vector<std::string> comma_parts(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void add_structure_options(CLI::App& command, StructureChoice& choice) {
  add_text(command, "--locked", choice.locked, "J1,J2,...",
           "Joints to lock, or all; the others are free");
  add_text(command, "--elastic", choice.elastic, "J=K[:C],...",
           "Stiffness and damping of the transmissions of joints (N m/rad or N/m), in addition to "
           "their springs; all=K sets those that are neither named nor locked. E1,E2,... without "
           "names: modal coordinates of flexible bodies");
  add_text(command, "--freedoms", choice.freedoms, "u,v,w,rx,ry,rz",
           "Freedoms of the nodes along and about world axes, such as u,v,rz for a plane structure "
           "(default: all, or those of the plane for which the beams have data)");
  add_text(command, "--theory", choice.theory, "euler-bernoulli|timoshenko",
           "Beam theory (default: euler-bernoulli)");
  add_text(command, "--mass", choice.mass, "consistent|lumped",
           "Mass matrix of the elements (default: consistent)");
  add_flag(command, "--rotatory", choice.rotatory,
           "Include the rotatory inertia of the beams in bending");
}

namespace {

[[noreturn]] void refuse_choice(const char* option, const std::string& found,
                                const std::string& expected) {
  throw InputError(Problem{{}, option, fmt::format("found '{}'", found), expected, {}});
}

JointSupport elastic_support(const std::string& part, std::string& joint) {
  const std::size_t equals = part.find('=');
  if (equals == std::string::npos) refuse_choice("--elastic", part, "JOINT=STIFFNESS[:DAMPING]");
  joint = part.substr(0, equals);
  const std::string values = part.substr(equals + 1);
  const std::size_t colon = values.find(':');
  JointSupport support;
  support.stiffness = parse_number("--elastic", values.substr(0, colon));
  if (colon != std::string::npos)
    support.damping = parse_number("--elastic", values.substr(colon + 1));
  if (support.stiffness < 0 || support.damping < 0)
    refuse_choice("--elastic", part, "numbers that are not negative");
  return support;
}

// A closing joint is no joint of the tree.
void require_joint(const Model& model, const std::string& name) {
  for (const Loop& loop : model.loops())
    if (loop.joint == name && loop.kind == LoopKind::joint) return;
  model.joint(name);
}

unsigned freedoms_of(const std::string& text) {
  unsigned mask = 0;
  for (const std::string& part : comma_parts(text)) {
    const std::optional<unsigned> one = freedoms_named(part);
    if (!one) refuse_choice("--freedoms", part, "some of u, v, w, rx, ry, rz");
    mask |= *one;
  }
  return mask;
}

}  // namespace

Model in_its_plane(const Model& model, StructureChoice& choice) {
  if (choice.freedoms) return model;
  const std::optional<PlaneFrame> plane = plane_frame(model);
  if (!plane) return model;
  note(plane->note);
  choice.freedoms = plane->freedoms;
  return made_from(model, plane->robot);
}

StructureOptions structure_options(const Model& model, const StructureChoice& choice) {
  StructureOptions options;
  if (choice.locked && *choice.locked == "all") {
    options.joints = JointHold::locked;
  } else if (choice.locked) {
    for (const std::string& name : comma_parts(*choice.locked)) {
      require_joint(model, name);
      options.support[name] = {JointHold::locked, 0, 0};
    }
  }
  if (choice.elastic)
    for (const std::string& part : comma_parts(*choice.elastic)) {
      std::string joint;
      const JointSupport support = elastic_support(part, joint);
      if (joint == "all") {
        for (const Joint& one : model.joints())
          if (one.speeds > 0) options.support.try_emplace(one.name, support);
        continue;
      }
      require_joint(model, joint);
      options.support[joint] = support;
    }
  if (choice.theory && *choice.theory == "timoshenko")
    options.element.theory = elastic::BeamTheory::timoshenko;
  else if (choice.theory && *choice.theory != "euler-bernoulli")
    refuse_choice("--theory", *choice.theory, "euler-bernoulli or timoshenko");
  if (choice.mass && *choice.mass == "lumped")
    options.element.mass = elastic::MassMatrix::lumped;
  else if (choice.mass && *choice.mass != "consistent")
    refuse_choice("--mass", *choice.mass, "consistent or lumped");
  if (choice.freedoms) options.freedoms = freedoms_of(*choice.freedoms);
  options.element.rotatory_inertia = choice.rotatory;
  return options;
}

}  // namespace ulna::cli
