// The attributes that elements of MuJoCo's format may have, so that a misspelt one is told from one
// that dynamics does not need.

#include <algorithm>
#include <map>
#include <string_view>

#include "mjcf/mjcf_parts.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

constexpr std::string_view pose_words = "pos quat axisangle euler xyaxes zaxis ";
constexpr std::string_view drawing_words = "material rgba group ";
constexpr std::string_view softness_words = "solref solimp ";

struct AttributeRow {
  std::string_view tags, attributes;
  bool with_pose = false, with_drawing = false, with_softness = false;
};

constexpr AttributeRow rows_of_mjcf[] = {
    {"compiler",
     "autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle "
     "fitaabb eulerseq meshdir texturedir assetdir discardvisual usethread fusestatic "
     "inertiafromgeom inertiagrouprange exactmeshinertia alignfree saveinertial convexhull "
     "conflict"},
    {"option",
     "timestep apirate impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance "
     "mpr_tolerance sleep_tolerance gravity wind magnetic density viscosity o_margin o_solref "
     "o_solimp o_friction integrator collision cone jacobian solver iterations ls_iterations "
     "noslip_iterations ccd_iterations mpr_iterations sdf_iterations sdf_initpoints "
     "actuatorgroupdisable"},
    {"flag",
     "constraint equality frictionloss limit contact passive gravity clampctrl warmstart "
     "filterparent actuation refsafe sensor midphase nativeccd eulerdamp autoreset override "
     "energy fwdinv invdiscrete sensornoise multiccd island spring damper sleep"},
    {"mesh",
     "name class file content_type vertex normal texcoord face refpos refquat scale smoothnormal "
     "maxhullvert inertia builtin params material octree_maxdepth"},
    {"body", "name childclass mocap gravcomp user sleep", true},
    {"frame", "name childclass", true},
    {"joint freejoint",
     "name class type group pos axis springdamper limited actuatorfrclimited solreflimit "
     "solimplimit solreffriction solimpfriction stiffness range actuatorfrcrange actuatorgravcomp "
     "margin ref springref armature damping frictionloss user align joint joint1 joint2 polycoef "
     "active coef",
     false, false, true},
    {"inertial", "mass diaginertia fullinertia", true},
    {"geom",
     "name class type contype conaffinity condim priority size friction mass density shellinertia "
     "solmix margin gap fromto hfield mesh fitscale user fluidshape fluidcoef",
     true, true, true},
    {"site", "name class type size fromto user", true, true},
    {"connect weld tendon flex",
     "name class active body1 body2 anchor site1 site2 relpose torquescale tendon1 tendon2 "
     "polycoef flex",
     false, false, true},
    {"fixed spatial",
     "name class group limited actuatorfrclimited range actuatorfrcrange solreflimit solimplimit "
     "solreffriction solimpfriction frictionloss margin stiffness damping springlength armature "
     "user width material rgba"},
    {"motor position velocity intvelocity damper cylinder muscle adhesion general plugin dcmotor",
     "name class group ctrllimited forcelimited actlimited ctrlrange forcerange actrange "
     "lengthrange "
     "gear cranklength user joint jointinparent tendon cranksite slidersite site refsite body "
     "actdim dyntype gaintype biastype dynprm gainprm biasprm actearly delay interp nsample kp kv "
     "dampratio timeconst inheritrange area diameter bias force scale lmin lmax vmax fpmax fvmax "
     "range tausmooth gain plugin instance damping armature motorconst resistance nominal "
     "saturation inductance cogging controller thermal lugre input"},
    {"key", "name time qpos qvel act ctrl mpos mquat"},
};

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::map<std::string, std::vector<std::string>> table_of_attributes() {
  std::map<std::string, std::vector<std::string>> table;
  for (const AttributeRow& row : rows_of_mjcf) {
    std::string all(row.attributes);
    if (row.with_pose) all += " " + std::string(pose_words);
    if (row.with_drawing) all += " " + std::string(drawing_words);
    if (row.with_softness) all += " " + std::string(softness_words);
    for (const std::string& tag : split_words(row.tags)) table[tag] = split_words(all);
  }
  return table;
}

}  // namespace

const std::vector<std::string>& mjcf_attributes(const std::string& tag) {
  static const std::map<std::string, std::vector<std::string>> table = table_of_attributes();
  static const std::vector<std::string> none;
  const auto known = table.find(tag);
  return known == table.end() ? none : known->second;
}

}  // namespace ulna
