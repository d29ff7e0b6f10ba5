// Mode shapes in the report.

#include "ulna/report/modes_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ulna/formats/read_robot.hpp"

namespace ulna {
namespace {

ModesReport two_nodes() {
  ModesReport modes;
  modes.members = {{0, 1}};
  ModesStep step;
  step.nodes = Eigen::Matrix3Xd::Zero(3, 2);
  step.nodes.col(1) << 1, 0, 0;
  step.modes.push_back({2.5, 0.01, "tip", step.nodes});
  modes.steps.push_back(step);
  return modes;
}

TEST(ModesReport, HoldsNodesMembersAndFrequencies) {
  const Model model(read_robot("scara").robot);
  const auto data = nlohmann::json::parse(modes_json(model, model.neutral(), two_nodes()));
  EXPECT_EQ(data["kind"], "modes");
  EXPECT_EQ(data["modes"]["members"], nlohmann::json::parse("[[0, 1]]"));
  EXPECT_EQ(data["modes"]["steps"][0]["modes"][0]["hz"], 2.5);
  // Six floats of four bytes.
  EXPECT_EQ(data["modes"]["steps"][0]["nodes"].get<std::string>().size(), 32u);
}

TEST(ModesReport, TheRobotStandsAtEachStep) {
  const Model model(read_robot("scara").robot);
  ModesReport modes = two_nodes();
  modes.steps.push_back(modes.steps[0]);
  const auto still = nlohmann::json::parse(modes_json(model, model.neutral(), modes));
  modes.steps[1].q = Eigen::VectorXd::Constant(model.coordinates(), 0.5);
  const auto moved = nlohmann::json::parse(modes_json(model, model.neutral(), modes));
  // Two records each; eight bytes a time, seven shares of two bytes a body.
  EXPECT_EQ(moved["time"].get<std::string>().size(), 24u);
  EXPECT_EQ(still["time"], moved["time"]);
  EXPECT_NE(still["poses"]["quaternion"], moved["poses"]["quaternion"]);
  modes.steps[1].q.resize(1);
  EXPECT_THROW(modes_json(model, model.neutral(), modes), InputError);
}

TEST(ModesReport, RefusesWhatDoesNotFit) {
  const Model model(read_robot("scara").robot);
  const auto refused = [&](const ModesReport& modes) {
    EXPECT_THROW(modes_json(model, model.neutral(), modes), InputError);
  };
  refused({});
  ModesReport member = two_nodes(), shape = two_nodes(), step = two_nodes();
  member.members[0].push_back(7);
  refused(member);
  shape.steps[0].modes[0].displacement = Eigen::Matrix3Xd::Zero(3, 1);
  refused(shape);
  step.steps.push_back({"other", 1, Eigen::Matrix3Xd::Zero(3, 3), {}});
  refused(step);
}

}  // namespace
}  // namespace ulna
