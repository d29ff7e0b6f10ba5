// Mesh files: the three forms give the same triangles; damaged ones are refused.

#include "ulna/report/mesh.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "ulna/formats/read_robot.hpp"
#include "ulna/report/scene.hpp"

namespace ulna {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Mesh : public testing::Test {
 protected:
  Mesh() { std::filesystem::create_directory(folder_); }
  ~Mesh() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }
  std::string refusal(const std::string& file, std::size_t most = 1000) {
    try {
      read_mesh(file, most);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
  static std::string binary(std::uint32_t count, const std::vector<float>& corners) {
    std::string out = "solid but binary";
    out.resize(80, ' ');
    out.append(reinterpret_cast<const char*>(&count), 4);
    for (std::size_t k = 0; k + 9 <= corners.size(); k += 9) {
      out.append(12, '\0');
      out.append(reinterpret_cast<const char*>(&corners[k]), 36);
      out.append(2, '\0');
    }
    return out;
  }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("ulna-mesh-" + std::to_string(getpid()));
};

TEST_F(Mesh, AllFormsGiveTheirTriangles) {
  const std::vector<float> corners = {0, 0, 0, 1, 0, 0, 0, 2, 0};
  EXPECT_EQ(read_mesh(write("a.stl", binary(1, corners))), corners);
  EXPECT_EQ(read_mesh(write("b.STL",
                            "solid x\r\n facet normal 0 0 1\r\n  outer loop\r\n   vertex 0 0 0\r\n"
                            "   vertex 1e0 0 0\r\n   vertex 0 +2 0\r\n  endloop\r\n endfacet\r\n")),
            corners);
  // A square of four corners, counted from the end, is two triangles.
  const Triangles square = read_mesh(
      write("c.obj", "# o\nv 0 0 0\nv 1 0 0\nvt 0 0\nv 1 1 0\nv 0 1 0\nf -4/1 -3//2 3 4\n"));
  EXPECT_THAT(square, ElementsAre(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0));
}

TEST_F(Mesh, DamagedFilesAreRefused) {
  EXPECT_THAT(refusal(write("a.stl", binary(7, std::vector<float>(9)))), HasSubstr("triangles"));
  EXPECT_THAT(refusal(write("b.stl", "")), HasSubstr("STL"));
  EXPECT_THAT(refusal(write("c.stl", "solid\nvertex 0 0 oops\n")), HasSubstr("c.stl:2"));
  EXPECT_THAT(refusal(write("d.obj", "v 0 0 0\nf 1 2 9999999999999999999\n")),
              HasSubstr("d.obj:2"));
  EXPECT_THAT(refusal(write("e.obj", "v 0 0 0\nf 0 1 1\n")), HasSubstr("number of a vertex"));
  EXPECT_THAT(refusal(write("f.dae", "<x/>")), HasSubstr(".stl or .obj"));
  EXPECT_THAT(refusal("/none.stl"), HasSubstr("cannot be read"));
  EXPECT_THAT(refusal(write("g.stl", binary(3, std::vector<float>(27))), 2),
              HasSubstr("at most 2"));
  EXPECT_THAT(refusal(write("h.stl", binary(1, std::vector<float>(9, NAN)))), HasSubstr("finite"));
}

TEST_F(Mesh, IsDrawnBesideTheRobotsFile) {
  write("arm.stl", binary(1, {0, 0, 0, 1, 0, 0, 0, 2, 0}));
  Robot robot = read_robot("scara").robot;
  robot.source = (folder_ / "robot.yaml").string();
  Geometry mesh;
  mesh.shape = Geometry::Shape::mesh;
  mesh.mesh = "arm.stl";
  mesh.scale = {0.001, 0.001, 0.001};
  robot.bodies[0].geometry = robot.bodies[1].geometry = {mesh};
  const Scene scene = scene_of(Model(robot));
  EXPECT_EQ(scene.meshes.size(), 1u);  // read once
  int drawn = 0;
  for (const SceneShape& shape : scene.shapes) drawn += shape.kind == SceneShape::Kind::mesh;
  EXPECT_EQ(drawn, 2);
  EXPECT_TRUE(scene.left_out.empty());
}

}  // namespace
}  // namespace ulna
