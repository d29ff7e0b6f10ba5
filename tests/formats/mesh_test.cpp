// Mesh files: the three forms give the same triangles; damaged ones are refused.

#include "ulna/formats/internal/mesh.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "ulna/formats/read_robot.hpp"
#include "ulna/report/internal/scene.hpp"

namespace ulna {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Mesh : public ::testing::Test {
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
  EXPECT_THAT(refusal(write("f.ply", "ply")), HasSubstr(".stl, .obj or .dae"));
  EXPECT_THAT(refusal("/none.stl"), HasSubstr("cannot be read"));
  EXPECT_THAT(refusal(write("g.stl", binary(3, std::vector<float>(27))), 2),
              HasSubstr("at most 2"));
  EXPECT_THAT(refusal(write("h.stl", binary(1, std::vector<float>(9, NAN)))), HasSubstr("finite"));
}

/// Four corners of a unit square and what else is given.
std::string collada(const std::string& faces, const std::string& scene,
                    const std::string& asset = "") {
  return R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>)" +
         asset + R"(</asset><library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="a" count="12">0 0 0  1 0 0  1 1 0  0 1 0</float_array>
<technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>)" +
         faces + "</mesh></geometry></library_geometries>" + scene + "</COLLADA>";
}
std::string in_scene(const std::string& nodes) {
  return R"(<library_visual_scenes><visual_scene id="w">)" + nodes +
         R"(</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#w"/></scene>)";
}
constexpr const char* one_triangle =
    R"(<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>)";
constexpr const char* here = R"(<instance_geometry url="#g"/>)";

TEST_F(Mesh, FacesOfColladaBecomeTriangles) {
  const Triangles square = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0};
  const auto read = [&](const std::string& faces) {
    return read_mesh(write("a.dae", collada(faces, "")));
  };
  const std::string input = R"(<input semantic="VERTEX" source="#v" offset="0"/>)";
  EXPECT_EQ(read("<polygons>" + input + "<p>0 1 2 3</p></polygons>"), square);
  EXPECT_EQ(read("<trifans>" + input + "<p>0 1 2 3</p></trifans>"), square);
  // With normals between, which are passed over.
  EXPECT_EQ(read(R"(<polylist count="1"><input semantic="NORMAL" source="#s" offset="0"/>
<input semantic="VERTEX" source="#v" offset="1"/><vcount>4</vcount><p>9 0 9 1 9 2 9 3</p></polylist>)"),
            square);
  // Of a strip all triangles face the same way: the normal is along z for both.
  const Triangles strip = read("<tristrips>" + input + "<p>0 1 3 2</p></tristrips>");
  ASSERT_EQ(strip.size(), 18u);
  for (const std::size_t k : {0u, 9u}) {
    const float* t = &strip[k];
    EXPECT_GT((t[3] - t[0]) * (t[7] - t[1]) - (t[4] - t[1]) * (t[6] - t[0]), 0);
  }
  EXPECT_EQ(read(one_triangle).size(), 9u);
}

TEST_F(Mesh, NodesOfColladaPlaceTheirGeometries) {
  const auto read = [&](const std::string& nodes, const std::string& asset = "") {
    return read_mesh(write("a.dae", collada(one_triangle, in_scene(nodes), asset)));
  };
  // Turned first, then shifted, within a node twice as large; millimetres.
  const Triangles placed =
      read(std::string("<node><scale>2 2 2</scale><node><translate>1 2 3</translate>"
                       "<rotate>0 0 1 90</rotate>") +
               here + "</node></node>",
           R"(<unit meter="0.001"/><up_axis>Y_UP</up_axis>)");
  EXPECT_THAT(placed,
              ::testing::Pointwise(::testing::FloatNear(1e-8F),
                                   {.002F, .004F, .006F, .002F, .006F, .006F, 0.F, .006F, .006F}));
  const Triangles moved = read(
      std::string("<node><matrix>1 0 0 5  0 0 -1 6  0 1 0 7  0 0 0 1</matrix>") + here + "</node>");
  EXPECT_THAT(moved, ElementsAre(5, 6, 7, 6, 6, 7, 6, 6, 8));
  // A node may be used twice.
  EXPECT_EQ(read(std::string(R"(<node id="n">)") + here +
                 R"(</node><node><instance_node url="#n"/></node>)")
                .size(),
            18u);
}

TEST_F(Mesh, DamagedColladaIsRefused) {
  const auto of = [&](const std::string& text) { return refusal(write("a.dae", text)); };
  EXPECT_THAT(of("<COLLADA>"), HasSubstr("XML"));
  EXPECT_THAT(of("<x/>"), HasSubstr("COLLADA"));
  EXPECT_THAT(of("<COLLADA/>"), HasSubstr("triangles"));
  const std::string input = R"(<input semantic="VERTEX" source="#v" offset="0"/>)";
  EXPECT_THAT(of(collada("<triangles>" + input + "<p>0 1 4</p></triangles>", "")),
              HasSubstr("vertex 4 of 4"));
  EXPECT_THAT(of(collada("<triangles>" + input + "<p>0 1 x</p></triangles>", "")),
              HasSubstr("'x'"));
  EXPECT_THAT(of(collada("<polylist>" + input + "<vcount>99</vcount><p>0 1 2</p></polylist>", "")),
              HasSubstr("corners"));
  EXPECT_THAT(of(collada(one_triangle, in_scene(R"(<node><instance_geometry url="#no"/></node>)"))),
              HasSubstr("#no"));
  EXPECT_THAT(
      of(collada(one_triangle, in_scene(R"(<node id="n"><instance_node url="#n"/></node>)"))),
      HasSubstr("without end"));
  // Each node names the next one twice: two to the power of thirty.
  std::string bomb;
  for (int k = 0; k < 30; ++k) {
    const std::string next = "<instance_node url=\"#n" + std::to_string(k + 1) + "\"/>";
    bomb += "<node id=\"n" + std::to_string(k) + "\">" + next + next + "</node>";
  }
  EXPECT_THAT(of(collada(one_triangle, in_scene(bomb + R"(<node id="n30"/>)"))),
              HasSubstr("without end"));
  EXPECT_THAT(of(collada(one_triangle, "", R"(<unit meter="-1"/>)")), HasSubstr("unit"));
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

TEST_F(Mesh, AFaceWithMoreCornersThanTrianglesAreAllowedIsRefusedBeforeItIsCut) {
  std::string face = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf";
  for (int k = 0; k < 5000; ++k) face += " 1";
  EXPECT_THAT(refusal(write("big.obj", face + "\n")), HasSubstr("triangles or more"));
}

}  // namespace
}  // namespace ulna
