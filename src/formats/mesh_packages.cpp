#include "ulna/formats/internal/mesh_packages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "wording.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

constexpr const char* package_scheme = "package://";

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// The <name> of a package.xml; empty where there is none.
std::string package_name(const fs::path& folder) {
  std::ifstream stream(folder / "package.xml", std::ios::binary);
  if (!stream) return {};
  std::string text(65536, '\0');  // the name stands near the beginning
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  const std::size_t begin = text.find("<name>"), end = text.find("</name>");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  std::string name = text.substr(begin + 6, end - begin - 6);
  const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  std::erase_if(name, blank);
  return name;
}

std::vector<fs::path> folders_in(const char* variable) {
  std::vector<fs::path> list;
  const char* value = std::getenv(variable);
  const std::string text = value ? value : "";
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin) list.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

/// Collects what is tried until something is there.
class PackageSearch {
 public:
  explicit PackageSearch(std::string name) : name_(std::move(name)) {}

  bool take(const fs::path& folder) {
    if (is_folder(folder)) {
      found.folder = folder.lexically_normal().string();
      return true;
    }
    found.tried.push_back(folder.lexically_normal().string());
    return false;
  }
  /// The package that a file is in, or one beside it.
  bool above(const fs::path& file) {
    std::error_code ignored;
    fs::path folder = fs::absolute(file, ignored).parent_path();
    for (; folder.has_relative_path(); folder = folder.parent_path()) {
      if (folder.filename() == name_ || package_name(folder) == name_) return take(folder);
      if (is_folder(folder / name_)) return take(folder / name_);
    }
    found.tried.push_back(fmt::format("the folders above {}", file.string()));
    return false;
  }
  bool ros() {
    for (const fs::path& folder : folders_in("ROS_PACKAGE_PATH")) {
      if (folder.filename() == name_ && take(folder)) return true;
      if (take(folder / name_)) return true;
    }
    for (const fs::path& prefix : folders_in("AMENT_PREFIX_PATH"))
      if (take(prefix / "share" / name_)) return true;
    return false;
  }

  PackageFolder found;

 private:
  std::string name_;
};

std::string package_of(const std::string& mesh, std::string& rest) {
  const std::size_t begin = std::string(package_scheme).size();
  const std::size_t slash = std::min(mesh.find('/', begin), mesh.size());
  rest = mesh.substr(slash);
  return mesh.substr(begin, slash - begin);
}

}  // namespace

PackageFolder find_package(const std::string& name, const std::string& robot_file,
                           const std::map<std::string, std::string>& given) {
  if (const auto known = given.find(name); known != given.end()) {
    std::error_code ignored;  // relative to where the program runs, not to the robot file
    return {fs::absolute(known->second, ignored).lexically_normal().string(), {}};
  }
  PackageSearch search(name);
  if (name.empty() || name.find("..") != std::string::npos) return search.found;
  if (!robot_file.empty() && search.above(robot_file)) return search.found;
  search.ros();
  return search.found;
}

std::vector<std::string> resolve_meshes(Robot& robot,
                                        const std::map<std::string, std::string>& packages,
                                        const std::string& option) {
  std::vector<std::string> notes;
  std::map<std::string, PackageFolder> known;
  std::set<std::string> missing_packages, missing_files;
  for (BodyData& body : robot.bodies)
    for (Geometry& shape : body.geometry) {
      if (shape.shape != Geometry::Shape::mesh) continue;
      if (shape.mesh.starts_with(package_scheme)) {
        std::string rest;
        const std::string name = package_of(shape.mesh, rest);
        const auto [at, added] = known.try_emplace(name);
        if (added) at->second = find_package(name, robot.source, packages);
        if (at->second.folder.empty()) {
          if (missing_packages.insert(name).second)
            notes.push_back(
                fmt::format("meshes of package {} were not found; tried {}; {} names their folder",
                            in_quotes(name), fmt::join(at->second.tried, ", "),
                            fmt::format(fmt::runtime(option), name)));
          continue;
        }
        shape.mesh = at->second.folder + rest;
      }
      if (shape.use != Geometry::Use::visual) continue;
      const std::string file = shape.mesh.substr(shape.mesh.starts_with("file://") ? 7 : 0);
      const fs::path path = fs::path(robot.source).parent_path() / file;
      std::error_code ignored;
      if (!fs::is_regular_file(path, ignored) && missing_files.insert(path.string()).second)
        notes.push_back(fmt::format("mesh {} of body {} was not found; tried {}",
                                    in_quotes(shape.mesh), in_quotes(body.name), path.string()));
    }
  constexpr std::size_t most = 5;
  if (notes.size() > most) {
    const std::size_t more = notes.size() - most;
    notes.resize(most);
    notes.push_back(fmt::format("{} more meshes were not found", more));
  }
  return notes;
}

}  // namespace ulna
