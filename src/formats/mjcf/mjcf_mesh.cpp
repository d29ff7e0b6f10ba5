// Meshes of a MuJoCo model: where their files are, and the mass of the solid they enclose. A file
// is opened only when a body has no other mass.

#include <fmt/format.h>

#include <filesystem>

#include "mesh/convex_hull.hpp"
#include "mjcf/mjcf_parts.hpp"
#include "orientation.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

// The corners of a mesh stand in the model only where it is small.
constexpr std::size_t most_inline_numbers = 300'000;

/// The hull of the corners of triangles, or of points.
Triangles hull_of(const std::vector<double>& numbers) {
  std::vector<Vector3<double>> points;
  for (std::size_t k = 0; k + 3 <= numbers.size(); k += 3)
    points.emplace_back(numbers[k], numbers[k + 1], numbers[k + 2]);
  const auto before = [](const Vector3<double>& a, const Vector3<double>& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  };
  std::sort(points.begin(), points.end(), before);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return convex_hull(points);
}

/// Triangles of `vertex` and `face`; without `face` those of the convex hull.
Triangles inline_triangles(const XmlElement& mesh) {
  if (!mesh.has("vertex")) return {};
  const std::size_t numbers = mesh.count("vertex"),
                    corners = mesh.has("face") ? mesh.count("face") : 3;
  if (numbers % 3 != 0 || corners % 3 != 0 || corners == 0 || numbers > most_inline_numbers ||
      corners > most_inline_numbers) {
    mesh.complain(fmt::format("{} numbers of vertex and {} of face", numbers, corners),
                  fmt::format("multiples of 3, at most {}", most_inline_numbers));
    return {};
  }
  const std::vector<double> vertices = mesh.numbers("vertex", numbers);
  if (!mesh.has("face")) {
    try {
      return hull_of(vertices);
    } catch (const InputError&) {
      mesh.complain(fmt::format("{} corners are left to a convex hull", numbers / 3),
                    "fewer corners, or faces");
      return {};
    }
  }
  const std::vector<double> faces = mesh.numbers("face", corners);
  Triangles triangles;
  for (const double corner : faces) {
    if (!(corner >= 0 && corner < static_cast<double>(numbers / 3))) {
      mesh.complain(fmt::format("face names vertex {}", corner),
                    fmt::format("0 to {}", numbers / 3 - 1));
      return {};
    }
    const auto at = 3 * static_cast<std::size_t>(corner);
    for (std::size_t k = 0; k < 3; ++k) triangles.push_back(static_cast<float>(vertices[at + k]));
  }
  return triangles;
}

Pose<double> mesh_reference(const XmlElement& mesh) {
  Pose<double> X;
  X.position = mesh.vector("refpos", Vector3<double>::Zero());
  if (!mesh.has("refquat")) return X;
  const std::vector<double> v = mesh.numbers("refquat", 4);
  const Eigen::Vector4d wxyz(v[0], v[1], v[2], v[3]);
  if (wxyz.norm() > 0)
    X.rotation = rotation_from_wxyz(wxyz.normalized());
  else
    mesh.complain("refquat is zero", "a quaternion w, x, y, z");
  return X;
}

/// The corners in the frame of the reference, then scaled.
Triangles in_reference(const MjcfMesh& mesh, Triangles triangles) {
  const Pose<double> X_RM = mesh.X_MR.inverse();
  for (std::size_t k = 0; k + 3 <= triangles.size(); k += 3) {
    const Vector3<double> p =
        X_RM * Vector3<double>(triangles[k], triangles[k + 1], triangles[k + 2]);
    for (int i = 0; i < 3; ++i)
      triangles[k + static_cast<std::size_t>(i)] = static_cast<float>(p[i]);
  }
  return scaled(std::move(triangles), mesh.scale);
}

Triangles triangles_of(const MjcfContext& context, const MjcfMesh& mesh) {
  if (!mesh.triangles.empty()) return mesh.triangles;
  if (mesh.file.empty()) throw InputError("its corners enclose no volume", {}, {});
  const fs::path folder = fs::path(context.lines.file()).parent_path();
  return read_mesh((folder / mesh.file).string());
}

}  // namespace

void read_mjcf_meshes(MjcfContext& context, pugi::xml_node asset) {
  for (const pugi::xml_node node : asset.children("mesh")) {
    const XmlElement mesh = context.element(node);
    context.account(mesh, node,
                    {"file", "scale", "vertex", "face", "refpos", "refquat", "inertia"});
    MjcfMesh read;
    read.scale = mesh.vector("scale", read.scale);
    read.triangles = inline_triangles(mesh);
    read.X_MR = mesh_reference(mesh);
    read.inertia = mesh.text("inertia");
    std::string file = mesh.text("file");
    if (context.settings.strip_paths) file = file.substr(file.find_last_of("/\\") + 1);
    const std::string folder = context.settings.mesh_folder;
    read.file = folder.empty() || file.empty() || fs::path(file).is_absolute()
                    ? file
                    : folder + (folder.ends_with('/') ? "" : "/") + file;
    std::string name = mesh.text("name");
    if (name.empty()) name = file.substr(file.find_last_of('/') + 1);
    if (mesh.text("name").empty()) name = name.substr(0, name.find_last_of('.'));
    context.meshes[name] = read;
  }
}

std::optional<MeshMass> mjcf_mesh_mass(MjcfContext& context, const std::string& name,
                                       std::string& complaint) {
  MjcfMesh& mesh = context.meshes.at(name);
  if (!mesh.mass && mesh.complaint.empty()) {
    const bool exact =
        mesh.inertia == "exact" || (mesh.inertia.empty() && context.settings.exact_meshes);
    const MeshVolume rule = mesh.inertia == "shell" ? MeshVolume::shell
                            : exact                 ? MeshVolume::exact
                                                    : MeshVolume::absolute;
    try {
      Triangles triangles = triangles_of(context, mesh);
      if (mesh.inertia == "convex") triangles = hull_of({triangles.begin(), triangles.end()});
      const MeshMass mass = mass_of_mesh(in_reference(mesh, std::move(triangles)), rule);
      if (mass.volume > 0)
        mesh.mass = mass;
      else
        mesh.complaint = "it encloses no volume, or its triangles face inwards";
    } catch (const InputError& error) {
      mesh.complaint = error.what();
    }
  }
  complaint = mesh.complaint;
  return mesh.mass;
}

}  // namespace ulna
