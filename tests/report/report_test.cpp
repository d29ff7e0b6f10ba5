// The report: its data parse and hold the run, poses are those of the kinematics, limits exceeded
// are marked, nothing in a name can end the script element, shapes fit the mechanism.

#include "ulna/report/report.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/report/internal/scene.hpp"

namespace ulna {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

template <class T>
std::vector<T> decoded(const json& text) {
  static const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes;
  unsigned word = 0;
  int bits = 0;
  for (const char c : text.get<std::string>()) {
    if (c == '=') break;
    word = word << 6 | static_cast<unsigned>(digits.find(c));
    if ((bits += 6) < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<unsigned char>(word >> bits));
  }
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

StoredRun puma_run(long rows = 20) {
  StoredRun run;
  run.directory = "puma";
  run.complete = true;
  run.summary = R"({"ulna": 1, "kind": "run", "experiment": "swing", "complete": true})";
  run.robot = read_robot("puma560").robot;
  run.columns = {"t[s]"};
  for (int k = 1; k <= 6; ++k) run.columns.push_back("q.joint" + std::to_string(k) + "[rad]");
  for (int k = 1; k <= 6; ++k)
    run.columns.push_back("reference.joint" + std::to_string(k) + "[rad]");
  run.values.resize(rows, 13);
  for (long r = 0; r < rows; ++r)
    for (long c = 0; c < 13; ++c)
      run.values(r, c) = c == 0 ? 0.1 * static_cast<double>(r)
                                : 1.5 * std::sin(0.1 * static_cast<double>(r * c) + 0.1);
  return run;
}

TEST(Report, HoldsTheRunToSinglePrecision) {
  const StoredRun run = puma_run();
  const json data = json::parse(report_json(run));
  EXPECT_EQ(data["title"], "swing");
  EXPECT_EQ(decoded<double>(data["time"]).at(7), run.values(7, 0));
  ASSERT_EQ(data["channels"].size(), 12u);
  EXPECT_EQ(data["channels"][2]["name"], "q.joint3");
  EXPECT_EQ(data["channels"][2]["unit"], "rad");
  const std::vector<float> values = decoded<float>(data["channels"][2]["data"]);
  for (long r = 0; r < run.values.rows(); ++r)
    EXPECT_EQ(values[static_cast<std::size_t>(r)], static_cast<float>(run.values(r, 3)));
  EXPECT_EQ(data["channels"][0]["greatest"], run.values.col(1).maxCoeff());
}

TEST(Report, PosesAreThoseOfTheKinematicsToSixteenBits) {
  const StoredRun run = puma_run();
  const json poses = json::parse(report_json(run))["poses"];
  const std::vector<std::uint16_t> positions = decoded<std::uint16_t>(poses["position"]);
  const std::vector<std::int16_t> quaternions = decoded<std::int16_t>(poses["quaternion"]);
  const Model model(run.robot);
  Workspace work(model);
  const std::size_t bodies = model.bodies().size() - 1;
  for (const long row : {0L, 11L}) {
    update_poses(model, work, run.values.row(row).segment(1, 6).transpose());
    for (std::size_t b = 1; b <= bodies; ++b) {
      const Pose<double> X = frame_pose(model, work, static_cast<int>(b));
      const std::size_t at = static_cast<std::size_t>(row) * bodies + b - 1;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double size = poses["size"][axis];
        const double x = poses["low"][axis].get<double>() + size * positions[3 * at + axis] / 65535;
        EXPECT_NEAR(x, X.position(static_cast<long>(axis)), 0.51 * size / 65535);
      }
      const Eigen::Vector4d q = Eigen::Vector4d(quaternions[4 * at], quaternions[4 * at + 1],
                                                quaternions[4 * at + 2], quaternions[4 * at + 3]) /
                                32767;
      EXPECT_NEAR(q.norm(), 1, 4e-5);  // four roundings of half a step
      // The first column of the rotation, by the quaternion.
      const Eigen::Vector3d x(1 - 2 * (q(2) * q(2) + q(3) * q(3)), 2 * (q(1) * q(2) + q(0) * q(3)),
                              2 * (q(1) * q(3) - q(0) * q(2)));
      EXPECT_LT((x - X.rotation.col(0)).norm(), 2e-4);
    }
  }
}

TEST(Report, TheGhostFollowsTheReference) {
  StoredRun run = puma_run();
  json data = json::parse(report_json(run));
  EXPECT_NE(data["ghost"]["quaternion"], data["poses"]["quaternion"]);
  run.values.rightCols(6) = run.values.middleCols(1, 6);
  data = json::parse(report_json(run));
  EXPECT_EQ(data["ghost"]["quaternion"], data["poses"]["quaternion"]);
  run.columns.resize(7);
  run.values.conservativeResize(Eigen::NoChange, 7);
  EXPECT_FALSE(json::parse(report_json(run)).contains("ghost"));
}

TEST(Report, LimitsExceededAreMarked) {
  StoredRun run = puma_run();
  run.robot.joints[0].degrees = {DegreeData{}};
  run.robot.joints[0].degrees[0].lower = -10;
  run.robot.joints[0].degrees[0].upper = 1;
  const json data = json::parse(report_json(run));
  const long over = (run.values.col(1).array() > 1).count();
  ASSERT_GT(over, 0);
  EXPECT_EQ(data["channels"][0]["records_over"], over);
  EXPECT_EQ(data["channels"][0]["limits"], json({-10.0, 1.0}));
  EXPECT_FALSE(data["channels"][1].contains("records_over"));
}

TEST(Report, NothingInANameEndsTheScript) {
  StoredRun run = puma_run();
  const std::string name = "</script><script>alert(1)</script><!--", evil = name + "\xff\x01";
  run.robot.name = run.robot.description = run.robot.bodies[0].name = name;
  for (JointData& joint : run.robot.joints)
    for (std::string* body : {&joint.parent, &joint.child})
      if (*body == read_robot("puma560").robot.bodies[0].name) *body = name;
  run.columns[8] = evil + "[<]";
  run.summary = json{{"experiment", "</script>"}, {"</script>", 1}}.dump();
  const std::string data = report_json(run, {.title = evil});
  EXPECT_THAT(data, Not(HasSubstr("<")));
  const json parsed = json::parse(data);
  EXPECT_THAT(parsed["title"].get<std::string>(), HasSubstr("</script><script>alert(1)"));
  if (!has_report_page()) GTEST_SKIP() << "built without the page";
  const std::string html = report_html(run, {.title = evil});
  EXPECT_THAT(html, HasSubstr("<title>&lt;/script&gt;&lt;script&gt;"));
  EXPECT_THAT(html, HasSubstr(data));
}

TEST(Report, ThePageIsOneFileOfModestSize) {
  if (!has_report_page()) GTEST_SKIP() << "built without the page";
  const std::string html = pose_html(Model(read_robot("scara").robot), Eigen::Vector3d(0, 0.5, 0));
  EXPECT_LT(html.size(), 1'200'000u);
  EXPECT_THAT(html, ::testing::StartsWith("<!doctype html>"));
  for (const char* outside : {"<link", " src=\"", "@import", "@ULNA_"})
    EXPECT_THAT(html, Not(HasSubstr(outside)));
}

TEST(Report, TwoRunsOfTheSameBodiesCanBeCompared) {
  const StoredRun run = puma_run(), other = puma_run(5);
  const json data = json::parse(report_json(run, {.title = "", .compare = {&other}}));
  EXPECT_EQ(decoded<double>(data["others"][0]["time"]).size(), 5u);
  StoredRun scara = puma_run();
  scara.robot = read_robot("scara").robot;
  EXPECT_THROW(report_json(run, {.title = "", .compare = {&scara}}), InputError);
}

TEST(Report, FlexibleRobotsHaveSampledSliders) {
  const Model model(read_robot("flexible-two-link").robot);
  const json data = json::parse(pose_json(model, model.neutral()));
  const json& sliders = data["sliders"];
  EXPECT_FALSE(data.contains("kinematics"));
  EXPECT_THAT(sliders["sampled_because"].get<std::string>(), HasSubstr("flexible"));
  ASSERT_EQ(sliders["joints"].size(), model.joints().size());
  std::vector<int> seen = {0};
  for (const json& joint : sliders["joints"]) {  // from the world outwards
    EXPECT_THAT(seen, ::testing::Contains(joint["parent"].get<int>()));
    seen.push_back(joint["child"]);
    EXPECT_LT(joint["from"].get<double>(), joint["to"].get<double>());
  }
}

// That the page closes them is tested in node, web/test/kinematics.mjs.
TEST(Report, RobotsWithLoopsAreOpenedWithFramesOnBothSidesOfEachClosure) {
  for (const auto& [name, closures, kept] :
       {std::tuple{"four-bar", 1u, 1u}, {"ddts", 6u, 6u}, {"delta", 6u, 3u}}) {
    const Model model(read_robot(name).robot);
    const json data = json::parse(pose_json(model, assembled(model)));
    const json& loops = data["kinematics"]["loops"];
    EXPECT_EQ(loops["closures"].size(), model.loops().size()) << name;
    EXPECT_EQ(loops["closures"].size(), closures) << name;
    EXPECT_EQ(loops["kept"].size(), kept) << name;
    EXPECT_FALSE(data["sliders"].contains("sampled_because")) << name;
    for (const json& closure : loops["closures"]) {
      const int frames = data["kinematics"]["count"];
      EXPECT_LT(closure["child"].get<int>(), frames);
      // Behind the robot's own frames, which keep their numbers.
      EXPECT_GE(closure["parent"].get<std::size_t>(), model.frames().size());
    }
  }
}

// A closure stands at the end of its flexible link, as far from the root as the link was built.
TEST(Report, ClosuresOfFlexibleLinksAreMarkedAtTheirEnds) {
  const Model model(read_robot("flexible-four-bar").robot);
  const json data = json::parse(pose_json(model, assembled(model)));
  const json& loop = data["robot"]["loops"][0];
  EXPECT_NEAR(loop["parent_point"][0].get<double>(), 0.4, 1e-12);
  EXPECT_NEAR(loop["child_point"][0].get<double>(), 0.3, 1e-12);
}

// That they compute what the core does is tested in node, web/test/kinematics.mjs.
TEST(Report, OthersHaveTheirKinematicsGenerated) {
  const Model model(read_robot("stanford").robot);
  const json data = json::parse(pose_json(model, Eigen::VectorXd::Constant(6, 0.2)));
  EXPECT_EQ(data["kinematics"]["frames"][0]["index"], model.tip_frame());
  EXPECT_TRUE(data["sliders"]["joints"].empty());
  EXPECT_EQ(data["sliders"]["coordinates"][2]["speed"], 2);
  if (!has_report_page()) GTEST_SKIP() << "built without the page";
  const std::string html = pose_html(model, model.neutral());
  EXPECT_THAT(html, HasSubstr("<script>ulnaKinematics={poses:"));
}

TEST(Report, AMarkOfThePageInATitleIsText) {
  if (!has_report_page()) GTEST_SKIP() << "built without the page";
  const std::string html = report_html(puma_run(), {.title = "@ULNA_DATA@ @ULNA_KINEMATICS@"});
  EXPECT_THAT(html, HasSubstr("<title>@ULNA_DATA@ @ULNA_KINEMATICS@</title>"));
}

TEST(Scene, DrawsDrumsForTurnsAndBoxesForSlides) {
  const Model model(read_robot("scara").robot);
  const Scene scene = scene_of(model);
  EXPECT_NEAR(scene.reach, 0.66 + 0.1, 0.35);  // two links of 0.33 and what hangs below
  int drums = 0, boxes = 0;
  for (const SceneShape& shape : scene.shapes) {
    if (shape.role != SceneShape::Role::joint) continue;
    drums += shape.kind == SceneShape::Kind::cylinder;
    boxes += shape.kind == SceneShape::Kind::box;
  }
  EXPECT_EQ(drums, 2);
  EXPECT_EQ(boxes, 1);
  EXPECT_EQ(scene.axes.size(), 3u);
}

TEST(Scene, KeepsTheShapesOfTheFile) {
  Robot robot = read_robot("scara").robot;
  Geometry box;
  box.size = {0.1, 0.2, 0.3};
  box.colour = {{1, 0, 0, 1}};
  Geometry mesh;
  mesh.shape = Geometry::Shape::mesh;
  mesh.mesh = "arm.stl";
  robot.bodies[0].geometry = {box, mesh};
  const Scene scene = scene_of(Model(robot));
  EXPECT_THAT(scene.left_out, ::testing::ElementsAre(HasSubstr("arm.stl")));  // is not there
  int given = 0, made = 0;
  for (const SceneShape& shape : scene.shapes)
    if (shape.body == 1) (shape.role == SceneShape::Role::given ? given : made) += 1;
  EXPECT_EQ(given, 1);
  EXPECT_EQ(made, 0);
}

// Six balls on a circle of 0.35 m in a plane: a plate through them, wider by its rim; the base
// likewise. Links of an arm and of a four-bar are no plates.
TEST(Scene, PlatformsAndBasesArePlates) {
  for (const auto& [name, plates] :
       {std::pair{"stewart-6-6", 2}, {"puma560", 0}, {"four-bar", 0}}) {
    const Scene scene = scene_of(Model(read_robot(name).robot));
    int found = 0;
    for (const SceneShape& shape : scene.shapes) {
      if (shape.kind != SceneShape::Kind::mesh) continue;
      ++found;
      const Triangles& mesh = scene.meshes[static_cast<std::size_t>(shape.mesh)];
      float farthest = 0, thickness = 0;
      for (std::size_t k = 0; k < mesh.size(); k += 3) {
        farthest = std::max(farthest, std::hypot(mesh[k], mesh[k + 1]));
        thickness = std::max(thickness, std::abs(mesh[k + 2]));
      }
      EXPECT_GT(farthest, shape.body == 0 ? 0.6 : 0.35);
      EXPECT_LT(thickness, 0.1 * farthest);
    }
    EXPECT_EQ(found, plates) << name;
  }
}

TEST(Scene, RobotsWithoutLengthAreDrawnToo) {
  Robot robot;
  robot.name = "point";
  robot.bodies = {{"ball", {1, Vector3<double>::Zero(), Matrix3<double>::Identity()}, {}, {}}};
  robot.joints.resize(1);
  robot.joints[0].name = "free";
  robot.joints[0].type = JointType::free;
  robot.joints[0].child = "ball";
  const Scene scene = scene_of(Model(robot));
  EXPECT_GT(scene.reach, 0);
  EXPECT_FALSE(scene.shapes.empty());
}

}  // namespace
}  // namespace ulna
