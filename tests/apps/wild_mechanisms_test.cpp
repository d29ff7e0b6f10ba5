// Structures without freedom, screws, massless legs, redundant loops and singular starts
// (tests/data/wild) through the commands: each answers or says in a sentence why it cannot.
// python/tests/test_wild_mechanisms.py does the same from Python.

#include <gmock/gmock.h>

#include <map>

#include "run_cli.hpp"
#include "support/places.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

std::string wild_robot(const std::string& name) {
  return testing::data_file("wild/" + name + ".yaml");
}

class WildMechanisms : public ::testing::TestWithParam<const char*> {
 protected:
  std::string robot() const { return wild_robot(GetParam()); }
};

void expect_answer_or_reason(Words words) {
  SCOPED_TRACE(words[0] + " " + words.back());
  words.emplace_back("--json");
  const Outcome outcome = run_cli(words);
  if (outcome.status == 0) {
    EXPECT_TRUE(Json::accept(outcome.out)) << outcome.out;
    return;
  }
  EXPECT_TRUE(outcome.status == 1 || outcome.status == 2) << outcome.status;
  EXPECT_THAT(outcome.err, HasSubstr("error: "));
}

TEST_P(WildMechanisms, AreDescribedPosedAndWeighed) {
  for (const char* command : {"info", "check", "fk", "mass", "inverse", "energy", "verify"}) {
    const Json out = run_json({command, robot()});
    for (const char* key : {"tau", "M", "q"})  // null stands for what is not finite
      if (out.contains(key)) {
        EXPECT_EQ(out[key].dump().find("null"), std::string::npos) << command;
      }
    if (command == std::string("verify")) {
      EXPECT_EQ(out["ok"], true) << out.dump();
    }
  }
}

TEST_P(WildMechanisms, AnswerEveryOtherCommandOrSayWhyNot) {
  for (const Words& words :
       std::vector<Words>{{"assemble"},
                          {"assemble", "--all"},
                          {"jacobian", "--frame", "tool"},
                          {"ik", "--frame", "tool", "--position", "0.3,0.2,0"},
                          {"inverse", "--reactions"},
                          {"inverse", "--method", "lagrange-4x4"},
                          {"forward", "--closing", "multipliers"},
                          {"forward", "--closing", "embedding"},
                          {"mass", "--terms"},
                          {"kane"},
                          {"matrices"},
                          {"influence"},
                          {"platform"},
                          {"regressor"},
                          {"base-parameters"},
                          {"linearize"},
                          {"equilibrium"},
                          {"modes"},
                          {"modes", "--locked", "all"},
                          {"condense"},
                          {"deflection"},
                          {"generate", "--function", "inverse", "--language", "c"},
                          {"generate", "--function", "forward", "--language", "c"}}) {
    Words all = words;
    all.insert(all.begin() + 1, robot());
    expect_answer_or_reason(all);
  }
}

/// What keeps a robot from moving in time is named.
TEST_P(WildMechanisms, MoveInTimeOrSayWhyNot) {
  static const std::map<std::string, const char*> refused = {
      {"clamped-beam", "joint 'end'"},     {"finger", "'pinch'"},
      {"flat-cranks", "singular posture"}, {"massless-bars", "can move without moving mass"},
      {"massless-rod", "'ball.wx'"},       {"needle", "'float.wx'"}};
  TemporaryFolder folder;
  const std::string experiment =
      folder.write("run.yaml", "experiment: 1\nrobot: " + robot() + "\nduration: 50 ms\n");
  const auto reason = refused.find(GetParam());
  const Outcome run = run_cli({"simulate", experiment, "--json"});
  EXPECT_EQ(run.status, reason == refused.end() ? 0 : 1) << run.err;
  if (reason != refused.end()) {
    EXPECT_THAT(run.err, HasSubstr(reason->second));
  }
  for (const char* command : {"inverse", "matrices"})
    expect_answer_or_reason({command, experiment});
}

INSTANTIATE_TEST_SUITE_P(Each, WildMechanisms,
                         ::testing::Values("cam", "clamped-beam", "differential-screw", "finger",
                                           "five-parallel-bars", "flat-cranks",
                                           "flat-parallelogram", "jack", "massless-bars",
                                           "massless-rod", "mounted-screw", "needle", "portal",
                                           "rssr", "spring-legs", "sprung-heads", "stand",
                                           "stretched", "strip-loop", "truss", "twins", "welded"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::erase(name, '-');
                           return name;
                         });

/// Two threads on one spindle advance the nut by the difference of their pitches.
TEST(DifferentialScrew, AdvancesByTheDifferenceOfItsPitches) {
  const Json poses =
      run_json({"fk", wild_robot("differential-screw"), "--q", "coarse=20", "--frame", "nut"});
  EXPECT_NEAR(double(poses["frames"]["nut"]["position"][2]), 20 * 1e-3, 1e-10);
}

TEST(SingularPostures, AreToldWhereAccelerationsHoldToFirstOrderOnly) {
  EXPECT_THAT(run_cli({"forward", wild_robot("flat-cranks")}).err,
              HasSubstr("to first order only"));
  EXPECT_EQ(run_cli({"forward", wild_robot("flat-cranks"), "--q", "foot0=0.5"}).err, "");
}

}  // namespace
}  // namespace ulna::test
