// Malformed files of other programs: each is refused with an InputError that names the file
// and the line.

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "reading.hpp"
#include "ulna/formats/read_table.hpp"

namespace ulna {
namespace {

using ::testing::ContainsRegex;

/// What a text becomes with one piece of it exchanged.
struct Exchange {
  const char *piece, *by;
};

std::string exchanged(std::string text, const Exchange& change) {
  const std::size_t at = text.find(change.piece);
  if (at == std::string::npos) throw std::logic_error(std::string("no piece ") + change.piece);
  return text.replace(at, std::string(change.piece).size(), change.by);
}

template <class Read>
void expect_refused(const std::string& whole, const std::vector<Exchange>& changes,
                    const std::string& file, const Read& read) {
  EXPECT_NO_THROW(read(whole));
  for (const Exchange& change : changes) {
    const std::string text = exchanged(whole, change);
    const std::string said = problems_of([&] { read(text); });
    EXPECT_NE(said, "not refused") << change.piece << " -> " << change.by;
    EXPECT_THAT(said, ContainsRegex(file + ":[0-9]+")) << change.piece << " -> " << change.by;
  }
}

const std::string sound_mjcf = R"(<mujoco model="m">
  <compiler angle="radian" eulerseq="xyz" inertiafromgeom="auto"/>
  <default><default class="c"><geom size="0.1"/></default></default>
  <asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3"/></asset>
  <worldbody>
    <body name="a" pos="0 0 1" childclass="c"><joint name="j" type="hinge" axis="0 1 0" range="-1 1"/>
      <inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><site name="p" pos="1 0 0"/>
      <body name="b" euler="0 0 1"><joint name="k" type="slide" stiffness="3"/>
        <geom type="capsule" fromto="0 0 0 1 0 0"/><geom type="mesh" mesh="t"/></body></body>
    <body name="d"><freejoint name="f"/><geom type="box" size="1 1 1"/></body>
  </worldbody>
  <tendon><fixed name="s"><joint joint="j" coef="2"/></fixed></tendon>
  <equality><connect name="e" body1="a" body2="d" anchor="0 0 0"/><joint joint1="j" joint2="k" polycoef="0 1"/>
    <tendon tendon1="s"/></equality>
  <actuator><motor joint="j" ctrlrange="-1 1"/></actuator>
  <keyframe><key name="h" qpos="0 0 0 0 0 1 0 0 0"/></keyframe>
</mujoco>
)";

TEST(Malformed, MujocoModels) {
  expect_refused(sound_mjcf,
                 {{"</mujoco>", ""},
                  {"<mujoco", "<mujoko"},
                  {"model=\"m\"", "model=\"m"},
                  {"</worldbody>", ""},
                  {"<worldbody>", "<!DOCTYPE x><worldbody>"},
                  {"angle=\"radian\"", "angle=\"gradian\""},
                  {"eulerseq=\"xyz\"", "eulerseq=\"xyw\""},
                  {"eulerseq=\"xyz\"", "eulerseq=\"xy\""},
                  {"inertiafromgeom=\"auto\"", "inertiafromgeom=\"maybe\""},
                  {"inertiafromgeom=\"auto\"", "coordinate=\"global\""},
                  {"inertiafromgeom=\"auto\"", "autolimits=\"1\""},
                  {"class=\"c\"", "klass=\"c\""},
                  {"childclass=\"c\"", "childclass=\"z\""},
                  {"vertex=\"0 0 0", "vertex=\"0 0"},
                  {"face=\"0 2 1", "face=\"0 2 9"},
                  {"face=\"0 2 1", "face=\"0 2 -1"},
                  {"face=\"0 2 1", "face=\"0 2"},
                  {"pos=\"0 0 1\"", "pos=\"0 0\""},
                  {"pos=\"0 0 1\"", "pos=\"0 0 nan\""},
                  {"pos=\"0 0 1\"", "pos=\"0 0 1e999\""},
                  {"pos=\"0 0 1\"", "pos=\"0 0 one\""},
                  {"pos=\"0 0 1\"", "pso=\"0 0 1\""},
                  {"name=\"b\"", "name=\"a\""},
                  {"name=\"k\"", "name=\"j\""},
                  {"type=\"hinge\"", "type=\"hinges\""},
                  {"axis=\"0 1 0\"", "axis=\"0 0 0\""},
                  {"axis=\"0 1 0\"", "axis=\"0 1\""},
                  {"axis=\"0 1 0\"", "axes=\"0 1 0\""},
                  {"range=\"-1 1\"", "range=\"-1\""},
                  {"mass=\"1\"", "mass=\"\""},
                  {"mass=\"1\"", "mas=\"1\""},
                  {"mass=\"1\"", "mass=\"1 kg\""},
                  {"diaginertia=\"1 1 1\"", "diaginertia=\"1 1\""},
                  {"diaginertia=\"1 1 1\"", "fullinertia=\"1 1 1\""},
                  {"euler=\"0 0 1\"", "euler=\"0 0 1\" quat=\"1 0 0 0\""},
                  {"euler=\"0 0 1\"", "quat=\"0 0 0 0\""},
                  {"euler=\"0 0 1\"", "xyaxes=\"0 0 0 0 1 0\""},
                  {"euler=\"0 0 1\"", "zaxis=\"0 0 0\""},
                  {"euler=\"0 0 1\"", "axisangle=\"0 0 0 1\""},
                  {"stiffness=\"3\"", "springdamper=\"1\""},
                  {"stiffness=\"3\"", "stifness=\"3\""},
                  {"type=\"capsule\"", "type=\"capsul\""},
                  {"fromto=\"0 0 0 1 0 0\"", "fromto=\"0 0 0 0 0 0\""},
                  {"fromto=\"0 0 0 1 0 0\"", "fromto=\"0 0 0 1 0\""},
                  {"mesh=\"t\"", "mesh=\"u\""},
                  {"<freejoint name=\"f\"/>", "<freejoint name=\"f\"/><composite/>"},
                  {"<freejoint name=\"f\"/>", "<joint type=\"free\" stiffness=\"1\"/>"},
                  {"<freejoint name=\"f\"/>", "<joint type=\"ball\" armature=\"1\"/>"},
                  {"size=\"1 1 1\"", "size=\"1 1\""},
                  {"size=\"1 1 1\"", "size=\"1 1 -1\""},
                  {"size=\"1 1 1\"", "size=\"1 1 1\" density=\"-1\""},
                  {"<body name=\"d\">", "<body name=\"d\"><replicate count=\"0\"/>"},
                  {"<body name=\"d\">", "<body name=\"d\"><replicate count=\"99999999\"/>"},
                  {"<body name=\"d\">", "<bdy name=\"d\">"},
                  {"<worldbody>", "<include file=\"gone.xml\"/><worldbody>"},
                  {"<worldbody>", "<include/><worldbody>"},
                  {"coef=\"2\"", "coef=\"two\""},
                  {"joint=\"j\" coef", "joint=\"z\" coef"},
                  {"<fixed name=\"s\">", "<fixed name=\"s\" armature=\"1\">"},
                  {"body1=\"a\"", "body1=\"z\""},
                  {"body2=\"d\"", "body2=\"z\""},
                  {"anchor=\"0 0 0\"", ""},
                  {"anchor=\"0 0 0\"", "anchor=\"0 0\""},
                  {"joint1=\"j\"", "joint1=\"f\""},
                  {"joint2=\"k\"", "joint2=\"z\""},
                  {"polycoef=\"0 1\"", "polycoef=\"0 1 x\""},
                  {"polycoef=\"0 1\"", "polycoef=\"0 1 0 0 0 0\""},
                  {"tendon1=\"s\"", "tendon1=\"z\""},
                  {"<connect name", "<conect name"},
                  {"ctrlrange=\"-1 1\"", "ctrlrange=\"-1\""},
                  {"motor joint=\"j\"", "motor joint=\"z\""},
                  {"qpos=\"0 0 0", "qpos=\"0 0"},
                  {"<equality>", "<equalty/><equality>"}},
                 "robot.xml", [](const std::string& text) { read_mjcf_text(text, "robot.xml"); });
}

const std::string sound_sdf = R"(<sdf version="1.9">
  <model name="m"><link name="a"/><link name="b"><pose relative_to="a">0 1 0 0 0 0</pose>
      <inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
    <frame name="f" attached_to="a"/>
    <joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
    <joint name="k" type="ball"><parent>a</parent><child>b</child></joint>
  </model></sdf>
)";

TEST(Malformed, SdfFiles) {
  const auto read = [](const std::string& text) { read_sdf_text(text, "robot.sdf"); };
  if (complaint([&] { read(sound_sdf); }).find("without libsdformat") != std::string::npos)
    GTEST_SKIP() << "built without libsdformat";
  expect_refused(sound_sdf,
                 {{"</sdf>", ""},
                  {"<sdf", "<sdff"},
                  {"</model>", ""},
                  {"<model name=\"m\">", "<model>"},
                  {"name=\"b\"", "name=\"a\""},
                  {"name=\"b\"", ""},
                  {"relative_to=\"a\"", "relative_to=\"z\""},
                  {"relative_to=\"a\"", "relative_to=\"b\""},
                  {"attached_to=\"a\"", "attached_to=\"z\""},
                  {"attached_to=\"a\"", "attached_to=\"f\""},
                  {"<mass>1</mass>", "<mass>-1</mass>"},
                  {"<ixx>1</ixx>", "<ixx>-1</ixx>"},
                  {"type=\"revolute\"", "type=\"gearbox\""},
                  {"type=\"revolute\"", "type=\"turn\""},
                  {"<child>a</child>", "<child>z</child>"},
                  {"<child>a</child>", ""},
                  {"<parent>a</parent>", "<parent>b</parent>"},
                  {"<parent>a</parent>", "<parent>z</parent>"},
                  {"<xyz>0 0 1</xyz>", "<xyz>0 0 0</xyz>"},
                  {"name=\"k\"", "name=\"j\""}},
                 "robot.sdf", read);
}

TEST(Malformed, Tables) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("ulna-malformed-" + std::to_string(getpid()) + ".csv");
  const auto read = [&](const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
    read_table(file.string());
  };
  expect_refused("t[s],q[rad],v[rad/s]\n0,1,2\n0.5,3,4\n",
                 {{"0,1,2", "0,1"},
                  {"0,1,2", "0,1,2,3"},
                  {"0,1,2", "0,,2"},
                  {"0,1,2", "0,one,2"},
                  {"0,1,2", "0,nan,2"},
                  {"0,1,2", "0,inf,2"},
                  {"0,1,2", "0,1e999,2"},
                  {"0,1,2", "0,1.2.3,2"},
                  {"0,1,2", "0;1;2"},
                  {"0,1,2", "0,\"1,2"},
                  {"0,1,2", "0,1 2,2"},
                  {"q[rad]", "t[s]"},
                  {"t[s],q[rad]", "t[s] q[rad]"}},
                 file.filename().string(), read);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace ulna
