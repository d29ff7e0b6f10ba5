// Bad robot files, through the command line: each is refused with status 2, nothing on standard
// output, and a sentence that names the file and what is wrong; and `check --json` lists the same.

#include <gmock/gmock.h>

#include <random>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Case {
  std::string name;  ///< of the test
  std::string file;
  std::string content;
  std::vector<std::string> says;  ///< all of these, on standard error
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

std::string link(const std::string& name, const std::string& mass = "1",
                 const std::string& izz = "1") {
  return "<link name=\"" + name + "\"><inertial><mass value=\"" + mass +
         "\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"" + izz +
         "\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n";
}

std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& type = "continuous", const std::string& axis = "0 0 1") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/><axis xyz=\"" + axis + "\"/></joint>\n";
}

std::string urdf(const std::string& content) {
  return "<?xml version=\"1.0\"?>\n<robot name=\"r\">\n" + content + "</robot>\n";
}

std::string yaml(const std::string& body, const std::string& joint) {
  return "ulna: 1\nname: r\nbodies:\n  - {name: arm, " + body +
         "}\njoints:\n  - {name: pivot, parent: world, child: arm, " + joint + "}\n";
}

std::string noise() {
  std::mt19937 generator(1);
  std::string bytes(4096, '\0');
  for (char& byte : bytes) byte = static_cast<char>(generator());
  return bytes;
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  out.reserve(text.size() * static_cast<std::size_t>(times));
  for (int k = 0; k < times; ++k) out += text;
  return out;
}

std::vector<Case> cases() {
  const std::string hinge = "type: revolute", solid = "mass: 1, inertia: [1, 1, 1]";
  const std::string whole = urdf(link("a") + link("b") + joint("j", "a", "b"));
  constexpr int million = 1000000;
  return {
      {"EmptyUrdf", "r.urdf", "", {"empty"}},
      {"EmptyYaml", "r.yaml", "", {"empty"}},
      {"NoiseUrdf", "r.urdf", noise(), {":1:"}},
      {"NoiseYaml", "r.yaml", noise(), {":1:"}},
      {"TruncatedXml", "r.urdf", whole.substr(0, whole.size() / 2), {":4:", "not closed"}},
      {"TruncatedYaml", "r.yaml", "ulna: 1\nname: r\nbodies:\n  - {name: arm, mass: 1\n", {":4:"}},
      {"TruncatedYamlAtAKey", "r.yaml", "ulna: 1\nname: r\nbodies:\n", {"bodies", "joints"}},
      {"UnknownJointTypeUrdf",
       "r.urdf",
       urdf(link("a") + link("b") + joint("j", "a", "b", "hinge")),
       {":5:", "joint 'j'", "'hinge'", "expected", "revolute"}},
      {"UnknownJointTypeYaml",
       "r.yaml",
       yaml(solid, "type: revolut"),
       {":6:", "joint 'pivot'", "'revolut'", "did you mean 'revolute'?"}},
      {"Cycle",
       "r.urdf",
       urdf(link("root") + link("a") + link("b") + joint("j1", "a", "b") + joint("j2", "b", "a")),
       {"cycle", "a", "b"}},
      {"NoRoot",
       "r.urdf",
       urdf(link("a") + link("b") + joint("j1", "a", "b") + joint("j2", "b", "a")),
       {"no root"}},
      {"TwoRoots",
       "r.urdf",
       urdf(link("a") + link("b") + link("c") + joint("j", "a", "b")),
       {":5:", "link 'c'", "root"}},
      {"NegativeMassUrdf",
       "r.urdf",
       urdf(link("a") + link("b", "-1") + joint("j", "a", "b")),
       {":4:", "'b'", "-1", "negative"}},
      {"NegativeMassYaml", "r.yaml", yaml("mass: -2", hinge), {":4:", "'arm'", "-2", "negative"}},
      {"ZeroAxisUrdf",
       "r.urdf",
       urdf(link("a") + link("b") + joint("j", "a", "b", "continuous", "0 0 0")),
       {":5:", "joint 'j'", "axis", "zero"}},
      {"ZeroAxisYaml",
       "r.yaml",
       yaml(solid, "type: revolute, axis: [0, 0, 0]"),
       {":6:", "joint 'pivot'", "axis", "zero"}},
      {"NanUrdf",
       "r.urdf",
       urdf(link("a") + link("b", "nan") + joint("j", "a", "b")),
       {":4:", "'b'", "mass", "nan"}},
      {"NanYaml", "r.yaml", yaml("mass: .nan", hinge), {":4:", "'arm'", "mass", ".nan"}},
      {"DeepXml", "r.urdf", "<robot name=\"r\">" + repeated("<a>", million), {":1:", "nested"}},
      {"DeepYaml", "r.yaml", "ulna: " + repeated("[", million), {":1:", "nested"}},
      {"DeepYamlLists", "r.yaml", repeated("- ", million), {":1:", "nested"}},
      {"DeepYamlMaps", "r.yaml", repeated("{a: ", million), {":1:", "nested"}},
      {"DocumentType",
       "r.urdf",
       "<!DOCTYPE r [<!ENTITY a \"x\">]>\n" + urdf("<link name=\"&a;\"/>"),
       {"DOCTYPE"}},
      {"Xacro",
       "r.urdf.xacro",
       "<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\"><xacro:include "
       "filename=\"x\"/></robot>",
       {"xacro"}},
      {"UnknownKey", "r.yaml", yaml("masss: 1", hinge), {":4:", "'masss'", "did you mean 'mass'?"}},
      {"DuplicateKey", "r.yaml", "ulna: 1\nname: r\nname: s\n", {":3:", "'name'", "twice"}},
  };
}

class BadFile : public ::testing::TestWithParam<Case> {};

TEST_P(BadFile, IsRefusedWithItsPlaceAndReason) {
  const TemporaryFolder folder;
  const std::string path = folder.write(GetParam().file, GetParam().content);
  const Outcome outcome = run_cli({"fk", path, "--json"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("error: " + path));
  for (const std::string& part : GetParam().says) EXPECT_THAT(outcome.err, HasSubstr(part));

  const Json check = run_json({"check", path}, 2);
  EXPECT_EQ(check["ok"], false);
  ASSERT_FALSE(check["problems"].empty());
  EXPECT_THAT(outcome.err, HasSubstr(check["problems"][0].get<std::string>()));
}

INSTANTIATE_TEST_SUITE_P(All, BadFile, ::testing::ValuesIn(cases()),
                         [](const auto& tested) { return tested.param.name; });

TEST(BadPath, MissingFile) {
  const TemporaryFolder folder;
  const Outcome outcome = run_cli({"info", folder.path("none.urdf")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr(folder.path("none.urdf") + ": no such file"));
}

TEST(BadPath, MistypedShippedName) {
  const Outcome outcome = run_cli({"info", "intelledex65"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("'intelledex605'"));
}

TEST(BadPath, Directory) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("r.urdf"));
  const Outcome outcome = run_cli({"info", folder.path("r.urdf")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr(folder.path("r.urdf")));
}

TEST(BadPath, HundredMegabytesAreNotReadIntoMemory) {
  for (const char* name : {"r.urdf", "r.yaml"}) {
    const TemporaryFolder folder;
    const std::string path =
        folder.write(name, name == std::string("r.urdf") ? "<robot>" : "ulna: 1");
    std::filesystem::resize_file(path, 100 << 20);
    const Outcome outcome = run_cli({"info", path});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("too large"));
#ifndef __SANITIZE_ADDRESS__
    EXPECT_LT(outcome.peak_kilobytes, 80 << 10);
#endif
  }
}

TEST(BadPath, PackageWithoutAFolder) {
  for (const char* package : {"arm", "arm=", "=arm"}) {
    const Outcome outcome = run_cli({"info", "intelledex605", "--package", package});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("--package"));
  }
}

}  // namespace
}  // namespace ulna::test
