// Inertia from shapes, planar robots, meshes of packages, single precision.

#include <gmock/gmock.h>

#include <cstdlib>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

/// A unit cube as text STL, outward triangles; `open` leaves its top away.
std::string cube(bool open = false) {
  const double c[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                          {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const int faces[12][3] = {{0, 2, 1}, {0, 3, 2}, {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                            {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}, {4, 5, 6}, {4, 6, 7}};
  std::string text = "solid cube\n";
  for (int f = 0; f < (open ? 10 : 12); ++f) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const int k : faces[f])
      text += "vertex " + std::to_string(c[k][0]) + " " + std::to_string(c[k][1]) + " " +
              std::to_string(c[k][2]) + "\n";
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid cube\n";
}

std::string robot_with(const std::string& body) {
  return "ulna: 1\nname: r\nbodies:\n  - {name: b, " + body +
         "}\njoints:\n  - {name: base, type: free, parent: world, child: b}\n";
}

/// The mass matrix of a free body at rest in its frame: inertia about the origin and mass.
Json mass_matrix(const std::string& robot) { return run_json({"mass", robot})["M"]; }

TEST(Shapes, InertiaOfABoxFromItsDensity) {
  TemporaryFolder folder;
  const std::string file = folder.write(
      "box.yaml", robot_with("inertia: from-geometry, density: 2700, geometry: [{box: [0.1, 0.2, "
                             "0.3], at: [0, 0, 0.5]}]"));
  const double m = 2700 * 0.1 * 0.2 * 0.3;
  const Json M = mass_matrix(file);
  EXPECT_NEAR(M[0][0], m * (0.2 * 0.2 + 0.3 * 0.3) / 12 + m * 0.25, 1e-12);
  EXPECT_NEAR(M[1][1], m * (0.1 * 0.1 + 0.3 * 0.3) / 12 + m * 0.25, 1e-12);
  EXPECT_NEAR(M[2][2], m * (0.1 * 0.1 + 0.2 * 0.2) / 12, 1e-12);
  EXPECT_NEAR(M[3][3], m, 1e-12);
  // The same with the mass given.
  const std::string by_mass = folder.write(
      "mass.yaml", robot_with("inertia: from-geometry, mass: " + std::to_string(m) +
                              ", geometry: [{box: [0.1, 0.2, 0.3], at: [0, 0, 0.5]}]"));
  expect_json(mass_matrix(by_mass), M, 1e-9);
}

TEST(Shapes, InertiaOfAMesh) {
  TemporaryFolder folder;
  folder.write("cube.stl", cube());
  folder.write("open.stl", cube(true));
  const Json M = mass_matrix(folder.write(
      "mesh.yaml",
      robot_with("density: 1000, geometry: [{mesh: {file: cube.stl, scale: [0.1, 0.1, 0.1]}}]")));
  const double m = 1, a = 0.1;
  EXPECT_NEAR(M[3][3], m, 1e-6);
  EXPECT_NEAR(M[0][0], m * a * a / 6 + m * 2 * (a / 2) * (a / 2), 1e-8);
  EXPECT_NEAR(M[0][1], -m * (a / 2) * (a / 2), 1e-8);
  expect_refusal({"info", folder.write("open.yaml",
                                       robot_with("density: 1000, geometry: [{mesh: open.stl}]"))},
                 {"open.stl", "closed mesh"});
}

TEST(Shapes, ContradictionsAreRefused) {
  TemporaryFolder folder;
  const auto refused = [&](const std::string& body, const std::string& says) {
    expect_refusal({"info", folder.write("r.yaml", robot_with(body))}, {says});
  };
  refused("inertia: from-geometry, geometry: [{sphere: 0.1}]", "without mass or density");
  refused("inertia: from-geometry, density: 1000", "no shape with a volume");
  refused("inertia: [1, 1, 1], density: 1000, geometry: [{sphere: 0.1}]",
          "together with an inertia");
  refused("density: 1000, centre: [0, 0, 1], geometry: [{sphere: 0.1}]", "centre");
  refused("density: -1, geometry: [{sphere: 0.1}]", "above zero");
}

TEST(Shapes, PlanarRobotsNeedOneMoment) {
  TemporaryFolder folder;
  std::string text = planar_arm;
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  const std::string full = folder.write("full.yaml", text);
  replace("[0.01, 0.2, 0.2]", "[0, 0, 0.2]");
  replace("[0.001, 0.02, 0.02]", "[0, 0, 0.02]");
  const std::string bare = folder.write("bare.yaml", text);
  EXPECT_THAT(run_cli({"info", bare}).err, HasSubstr("inertia"));  // a warning as before
  const std::string planar = folder.write("planar.yaml", text + "planar: true\n");
  const Outcome outcome = run_cli({"mass", planar, "--q", "0.3,0.4", "--json", "--strict"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  expect_json(Json::parse(outcome.out)["M"], run_json({"mass", full, "--q", "0.3,0.4"})["M"],
              1e-14);
  replace("type: revolute", "type: revolute\n    axis: [0, 1, 0]");
  expect_refusal({"info", folder.write("space.yaml", text + "planar: true\n")},
                 {"'shoulder'", "planar"});
}

constexpr const char* urdf_with_mesh = R"(<robot name="r"><link name="base"/>
<link name="l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="package://my_robot/meshes/cube.stl"/></geometry></visual></link>
<joint name="j" type="continuous"><parent link="base"/><child link="l"/><axis xyz="0 0 1"/></joint></robot>)";

TEST(Shapes, MeshesOfThePackageOfTheUrdf) {
  TemporaryFolder folder;
  const std::filesystem::path root = folder.path("checkout");
  std::filesystem::create_directories(root / "urdf");
  std::filesystem::create_directories(root / "meshes");
  std::ofstream(root / "urdf/r.urdf") << urdf_with_mesh;
  std::ofstream(root / "meshes/cube.stl") << cube();
  const std::string robot = (root / "urdf/r.urdf").string(), page = folder.path("v.html");
  const Outcome missing = run_cli({"view", robot, "--no-open", "-o", page});
  EXPECT_EQ(missing.status, 0);
  EXPECT_THAT(missing.err, HasSubstr("meshes of package 'my_robot' were not found; tried"));
  EXPECT_THAT(missing.err, HasSubstr("--package my_robot=FOLDER"));
  // The name in package.xml decides, whatever the folder is called.
  std::ofstream(root / "package.xml") << "<package><name>my_robot</name></package>\n";
  const Outcome found = run_cli({"view", robot, "--no-open", "-o", page});
  EXPECT_THAT(found.err, ::testing::Not(HasSubstr("not found"))) << found.err;
  // A mesh that the package lacks is named with the path.
  std::filesystem::remove(root / "meshes/cube.stl");
  EXPECT_THAT(run_cli({"view", robot, "--no-open", "-o", page}).err,
              HasSubstr("cube.stl' of body 'l' was not found; tried"));
}

TEST(Shapes, MeshesByTheEnvironment) {
  TemporaryFolder folder;
  const std::string robot = folder.write("r.urdf", urdf_with_mesh), page = folder.path("v.html");
  std::filesystem::create_directories(folder.path("install/share/my_robot/meshes"));
  std::ofstream(folder.path("install/share/my_robot/meshes/cube.stl")) << cube();
  setenv("AMENT_PREFIX_PATH", folder.path("install").c_str(), 1);
  EXPECT_THAT(run_cli({"view", robot, "--no-open", "-o", page}).err,
              ::testing::Not(HasSubstr("not found")));
  unsetenv("AMENT_PREFIX_PATH");
  setenv("ROS_PACKAGE_PATH", ("/nowhere:" + folder.path("install/share")).c_str(), 1);
  EXPECT_THAT(run_cli({"view", robot, "--no-open", "-o", page}).err,
              ::testing::Not(HasSubstr("not found")));
  unsetenv("ROS_PACKAGE_PATH");
  EXPECT_THAT(run_cli({"view", robot, "--no-open", "-o", page}).err, HasSubstr("not found"));
}

TEST(Shapes, APackageFolderIsRelativeToWhereTheProgramRuns) {
  TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("robot"));
  std::filesystem::create_directories(folder.path("pkg/meshes"));
  const std::string robot = folder.write("robot/r.urdf", urdf_with_mesh);
  folder.write("pkg/meshes/cube.stl", cube());
  const std::string file =
      folder.write("e.yaml", "experiment: 1\nrobot: robot/r.urdf\nduration: 0.1 s\n");
  const std::string run = folder.path("run"), page = folder.path("page.html");
  ASSERT_EQ(run_cli({"simulate", file, "-o", run}).status, 0);
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder.path(""));
  const Outcome report = run_cli({"report", run, "--package", "my_robot=pkg", "-o", page});
  const Outcome view =
      run_cli({"view", robot, "--package", "my_robot=pkg", "--no-open", "-o", page});
  std::filesystem::current_path(here);
  EXPECT_EQ(report.status, 0);
  EXPECT_THAT(report.err, ::testing::Not(HasSubstr("not found")));
  EXPECT_THAT(view.err, ::testing::Not(HasSubstr("not found")));
}

/// A tetrahedron with edges of 100, 200 and 300 along the axes.
std::string collada_tetrahedron(const std::string& asset) {
  return R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>)" +
         asset + R"(</asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert>
<diffuse><color>0.25 0.5 0.75 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="a" count="12">0 0 0  100 0 0  0 200 0  0 0 300</float_array>
<technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="4" material="blue"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 2 1  0 1 3  0 3 2  1 2 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"><bind_material>
<technique_common><instance_material symbol="blue" target="#m"/></technique_common>
</bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>)";
}

TEST(Shapes, ColladaHasColoursAndUnits) {
  TemporaryFolder folder;
  const std::string robot =
      folder.write("r.yaml", robot_with("density: 1000, geometry: [{mesh: part.dae}]"));
  // A kilogram of water.
  folder.write("part.dae", collada_tetrahedron(R"(<unit name="millimeter" meter="0.001"/>)"));
  EXPECT_NEAR(mass_matrix(robot)[3][3], 1, 1e-6);  // vertices are floats
  folder.write("part.dae", collada_tetrahedron(R"(<unit meter="0.01"/><up_axis>Y_UP</up_axis>)"));
  EXPECT_NEAR(mass_matrix(robot)[3][3], 1000, 1e-3);
  const std::string page = folder.path("v.html");
  const Outcome view = run_cli({"view", robot, "--no-open", "-o", page});
  ASSERT_EQ(view.status, 0) << view.err;
  EXPECT_THAT(content_of(page), HasSubstr("\"colour\":[0.25,0.5,0.75,"));
}

TEST(Shapes, GeneratedCodeInSinglePrecision) {
  TemporaryFolder folder;
  const std::string out = folder.path("code");
  const Json made = run_json({"generate", "puma560", "--function", "inverse", "--language", "c",
                              "--precision", "float", "--fixed-names", "-o", out});
  EXPECT_EQ(made["function"], "robot_inverse");
  const std::string code = content_of(out + "/robot_inverse.c");
  EXPECT_THAT(code, HasSubstr("const float *restrict q"));
  EXPECT_THAT(code, HasSubstr("cosf("));
  EXPECT_THAT(code, ::testing::Not(HasSubstr("double")));
  const std::string program = folder.path("test"), log = folder.path("log");
  const std::string compile = "cc -std=c99 -Wall -Werror -O1 -o " + program + " " + out +
                              "/robot_inverse.c " + out + "/robot_inverse_test.c -lm && " +
                              program + " > " + log;
  ASSERT_EQ(std::system(compile.c_str()), 0);
  const std::string said = content_of(log);
  const double error = std::stod(said.substr(said.rfind(' ')));
  EXPECT_LT(error, 1e-5);   // a few units in the last place of a float
  EXPECT_GT(error, 1e-12);  // it is not double
  expect_refusal({"generate", "puma560", "--function", "inverse", "--language", "python",
                  "--precision", "float", "-o", out},
                 {"precision", "c or c++"});
}

}  // namespace
}  // namespace ulna::test
