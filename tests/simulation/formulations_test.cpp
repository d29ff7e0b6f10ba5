// Every formulation simulates the same motion, or says in the sentence of the table why it does
// not apply.

#include <gmock/gmock.h>

#include "drives.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::frozen;
using ::testing::HasSubstr;

const std::vector<std::string> robots = {"puma560",  "stanford",          "four-bar",
                                         "delta",    "flexible-two-link", "flexible-four-bar",
                                         "five-bar", "stewart-6-6"};

Experiment short_fall(const std::string& robot) {
  Experiment e(frozen(read_robot(robot).robot));
  e.end = 0.02;
  e.record.interval = 0.01;
  e.record.channels = {"q", "v", "tau"};
  return e;
}

std::string formulation_refusal(const Experiment& e) {
  try {
    check(e);
    return {};
  } catch (const InputError& error) {
    return error.problems().front().message;
  }
}

/// Runs `e` by every formulation and compares with the default.
void expect_same_by_all(const Experiment& e, Question question) {
  const ulna::Run expected = simulate(e);
  for (const Formulation& f : formulations()) {
    SCOPED_TRACE(e.model->name() + " by " + f.name);
    Experiment by = e;
    by.method = f.name;
    const std::string reason = why_not(f, *e.model, Question::forward);
    EXPECT_EQ(formulation_refusal(by), reason);
    if (!reason.empty() || !why_not(f, *e.model, question).empty()) continue;
    const ulna::Run run = simulate(by);
    ASSERT_EQ(run.values.rows(), expected.values.rows());
    // The rounding of two formulations, through the steps of the integrator.
    EXPECT_LT((run.values - expected.values).cwiseAbs().maxCoeff(),
              1e-7 * (1 + expected.values.cwiseAbs().maxCoeff()));
  }
}

TEST(SimulatedFormulations, AgreeOnTheFallOfAnyRobot) {
  for (const std::string& robot : robots) expect_same_by_all(short_fall(robot), Question::forward);
}

TEST(SimulatedFormulations, AgreeOnTheEffortsOfAnyMotion) {
  for (const std::string& robot : robots) {
    Experiment e = short_fall(robot);
    const RunSummary rest = simulate(e).summary;
    std::vector<int> moved = rest.independent;
    if (e.model->loops().empty())
      for (int k = 0; k < e.model->speeds() - e.model->modes(); ++k) moved.push_back(k);
    const Eigen::VectorXd start = simulate(e).values.row(0).transpose();
    e.q = e.model->normalized(start.head(e.model->coordinates()));
    e.drives.resize(e.model->joints().size());
    bool whole = true;
    for (std::size_t j = 0; j < e.drives.size(); ++j) {
      const Joint& joint = e.model->joints()[j];
      if (joint.speeds == 0 || std::count(moved.begin(), moved.end(), joint.v) == 0) continue;
      whole = whole && joint.speeds == 1 && joint.coordinates == 1;
      e.drives[j].kind = DriveKind::motion;
      e.drives[j].motion = {program_named("poly345", e.q(joint.q), e.q(joint.q) + 0.01, 0.02)};
    }
    if (!whole) continue;  // pivoting has chosen a speed of a ball
    expect_same_by_all(inverse_of(e), Question::inverse);
  }
}

TEST(SimulatedFormulations, TheEmbeddingClosesLoopsAsMultipliersDo) {
  for (const char* robot : {"four-bar", "five-bar", "delta"}) {
    Experiment e = short_fall(robot);
    e.end = 0.2;
    const ulna::Run expected = simulate(e);
    e.closing = LoopMethod::embedding;
    const ulna::Run run = simulate(e);
    EXPECT_LT((run.values - expected.values).cwiseAbs().maxCoeff(),
              1e-6 * (1 + expected.values.cwiseAbs().maxCoeff()))
        << robot;
    e.method = "kane";
    EXPECT_LT((simulate(e).values - expected.values).cwiseAbs().maxCoeff(),
              1e-6 * (1 + expected.values.cwiseAbs().maxCoeff()))
        << robot;
  }
}

TEST(SimulatedFormulations, RefusalsSayWhy) {
  Experiment arm = short_fall("puma560");
  arm.method = "cane";
  EXPECT_THAT(formulation_refusal(arm), HasSubstr("'cane' is not available"));
  arm.method.clear();
  arm.closing = LoopMethod::embedding;
  EXPECT_THAT(formulation_refusal(arm), HasSubstr("has no loops"));
  Experiment linkage = short_fall("four-bar");
  linkage.closing = LoopMethod::embedding;
  linkage.drives.resize(linkage.model->joints().size());
  linkage.drives[0].kind = DriveKind::locked;
  EXPECT_THAT(formulation_refusal(linkage), HasSubstr("is locked"));
  linkage.closing = {};
  linkage.method = "articulated-body";
  EXPECT_THAT(formulation_refusal(linkage), HasSubstr("loops"));
  Experiment blade = short_fall("flexible-two-link");
  blade.elastic = ElasticLevel::consistent;
  blade.method = "newton-euler";
  EXPECT_EQ(formulation_refusal(blade), "");
  arm.closing = {};
  arm.method = "articulated-body";
  EXPECT_THROW(inverse_of(arm), InputError);  // it gives accelerations only
}

}  // namespace
}  // namespace ulna
