// Mistakes in a robot file are all found at once, each with its place and what was expected.

#include "reading.hpp"

namespace ulna {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string repeated(const std::string& piece, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += piece;
  return out;
}

TEST(YamlMistakes, AreAllReportedAtOnce) {
  try {
    robot_of(one_joint("axis: [1, 0]\nlimits: {uper: 1}", "mass: two\ncenter: [0, 0, 0]"));
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.problems().size(), 4u) << error.what();
    EXPECT_THAT(error.problems()[0].text(),
                AllOf(HasSubstr("unknown key 'center'"), HasSubstr("did you mean 'centre'?")));
    EXPECT_THAT(error.problems()[1].text(), HasSubstr("'two' is not a number"));
    EXPECT_THAT(error.problems()[2].text(), HasSubstr("found a list of 2; expected 3 numbers"));
    EXPECT_THAT(error.problems()[3].text(), HasSubstr("did you mean 'upper'?"));
    for (const Problem& problem : error.problems()) {
      EXPECT_EQ(problem.where.file, "robot.yaml");
      EXPECT_GT(problem.where.line, 0);
      EXPECT_GT(problem.where.column, 0);
    }
  }
}

TEST(YamlMistakes, AnUnknownJointTypeGetsTheNearestOne) {
  EXPECT_THAT(yaml_complaint(one_joint("", "", "revolut")),
              AllOf(HasSubstr("robot.yaml:7:11: joint 'hinge': unknown joint type 'revolut'"),
                    HasSubstr("did you mean 'revolute'?")));
}

TEST(YamlMistakes, AnEmptyVectorIsRefused) {
  EXPECT_THAT(yaml_complaint(one_joint("axis: []")), HasSubstr("found an empty list"));
  EXPECT_THAT(yaml_complaint(one_joint("at: []")), HasSubstr("found an empty list"));
  EXPECT_THAT(yaml_complaint(one_joint("", "inertia: []")), HasSubstr("found an empty list"));
}

TEST(YamlMistakes, ADuplicateKeyIsRefused) {
  EXPECT_THAT(yaml_complaint(one_joint("", "mass: 1\nmass: 2")),
              HasSubstr("robot.yaml:6:5: the key 'mass' is given twice; first on line 5"));
}

TEST(YamlMistakes, AnchorsAliasesAndTagsAreRefused) {
  EXPECT_THAT(yaml_complaint(one_joint("", "mass: &m 1")), HasSubstr("anchors and aliases"));
  EXPECT_THAT(yaml_complaint(one_joint("axis: &a [1, 0, 0]\nmimic: *a")),
              HasSubstr("anchors and aliases"));
  EXPECT_THAT(yaml_complaint(one_joint("", "mass: !!float 1")), HasSubstr("tags"));
  EXPECT_THAT(yaml_complaint("ulna: 1\n<<: {name: x}\n"), HasSubstr("unknown key '<<'"));
}

TEST(YamlMistakes, AKeyWithoutValueIsRefused) {
  EXPECT_THAT(yaml_complaint(one_joint("", "mass:")), HasSubstr("the key 'mass' has no value"));
}

TEST(YamlMistakes, TheVersionComesFirst) {
  EXPECT_THAT(yaml_complaint("name: x\n"), HasSubstr("the key 'ulna' is missing"));
  EXPECT_THAT(yaml_complaint("ulna: 2\nname: x\n"), HasSubstr("this library reads version 1"));
}

TEST(YamlMistakes, WhatIsNoRobotIsRefused) {
  EXPECT_THAT(yaml_complaint("just a sentence"),
              HasSubstr("found 'just a sentence'; expected a map"));
  EXPECT_THAT(yaml_complaint("- 1\n- 2\n"), HasSubstr("found a list of 2"));
  EXPECT_THAT(yaml_complaint("# only a comment\n"), HasSubstr("found nothing"));
  EXPECT_THAT(yaml_complaint("ulna: 1\nname: x\nbodies: 3\njoints: {}\n"), HasSubstr("a list"));
  EXPECT_THAT(yaml_complaint(one_joint("") + "---\nulna: 1\n"), HasSubstr("second document"));
  EXPECT_THAT(yaml_complaint("? [a, b]\n: 1\n"), HasSubstr("a key must be a word"));
}

TEST(YamlMistakes, TruncatedYamlNamesThePlace) {
  EXPECT_THAT(yaml_complaint("ulna: 1\nname: x\nbodies: [{name: a"), HasSubstr("robot.yaml:3:"));
  EXPECT_THAT(yaml_complaint("ulna: 1\nname: \"x"), HasSubstr("not valid YAML"));
}

TEST(YamlMistakes, AMissingBracketIsNamedWhereItWasOpened) {
  const std::string head = "ulna: 1\nname: x\nbodies:\n";
  const auto brace = AllOf(HasSubstr("robot.yaml:4:5: the '{' opened here is not closed"),
                           HasSubstr("expected a closing '}'"));
  for (const char* cut :
       {"{", "{name", "{name: a", "{name: a,", "{name: a, mass: 1", "{name: a, mass: 1\n",
        "{name: a, mass: 1  # one\n\n", "{name: a, centre: [0, 0, 1]", "{name: \xC3\xA9",
        "{name: 'it is }', mass: 1"})
    EXPECT_THAT(yaml_complaint(head + "  - " + cut), brace) << cut;
  EXPECT_THAT(yaml_complaint("\xEF\xBB\xBF" + head + "  - {name: a, mass: 1"), brace);
  for (const char* cut : {"[", "[0", "[0,", "[0, {a: 1}\n"})
    EXPECT_THAT(yaml_complaint(head + "  - " + cut),
                AllOf(HasSubstr("robot.yaml:4:5: the '[' opened here is not closed"),
                      HasSubstr("expected a closing ']'")))
        << cut;
  EXPECT_THAT(yaml_complaint(head + "  - {name: a, : 2}\n"), HasSubstr("a key must be a word"));
}

TEST(YamlMistakes, DeepNestingIsRefused) {
  const std::size_t million = 1'000'000;
  EXPECT_THAT(yaml_complaint(repeated("[", million)), HasSubstr("nested deeper than 64"));
  EXPECT_THAT(yaml_complaint(repeated("{a: ", million)), HasSubstr("nested deeper than 64"));
  EXPECT_THAT(yaml_complaint(repeated("- ", million)), HasSubstr("nested deeper than 64"));
  EXPECT_THAT(yaml_complaint(repeated("? ", million)), HasSubstr("a key must be a word"));
  EXPECT_THAT(yaml_complaint("a: \" # \"\nb: " + repeated("[", million)),
              HasSubstr("nested deeper"));
  std::string stairs;
  for (std::size_t depth = 0; depth < 1000; ++depth) stairs += std::string(depth, ' ') + "a:\n";
  EXPECT_THAT(yaml_complaint(stairs), HasSubstr("nested deeper than 64"));
}

TEST(YamlMistakes, TooManyValuesAreRefused) {
  EXPECT_THAT(yaml_complaint("[" + repeated("1,", 3'000'000) + "1]"), HasSubstr("too many values"));
}

TEST(YamlMistakes, AnUnknownKeyNamesTheNearestKnownOne) {
  EXPECT_THAT(yaml_complaint("ulna: 1\nname: x\nbodys: []\njoints: []\n"),
              HasSubstr("did you mean 'bodies'?"));
}

TEST(YamlMistakes, ALongListOfProblemsIsCut) {
  const std::string text = yaml_complaint("ulna: 1\nname: x\njoints: []\nbodies:\n" +
                                          repeated("  - name: a\n    mass: x\n", 500));
  EXPECT_THAT(text, HasSubstr("and 450 more"));
}

}  // namespace
}  // namespace ulna
