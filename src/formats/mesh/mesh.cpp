#include "ulna/formats/internal/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "mesh/collada.hpp"

namespace ulna {
namespace {

constexpr std::uintmax_t largest_file = 200'000'000;

[[noreturn]] void refuse_mesh(const std::string& file, int line, const std::string& found,
                              const std::string& expected = {}) {
  throw InputError(Problem{{file, line, 0}, {}, found, expected, {}});
}

std::string mesh_content(const std::string& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error) refuse_mesh(file, 0, "cannot be read", "a mesh file");
  if (size > largest_file) refuse_mesh(file, 0, fmt::format("{} bytes", size), "at most 200 MB");
  std::ifstream in(file, std::ios::binary);
  std::string text(size, '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(size)))
    refuse_mesh(file, 0, "cannot be read", "a mesh file");
  return text;
}

class MeshReader {
 public:
  MeshReader(std::string file, std::size_t most)
      : file_(std::move(file)), most_(most), text_(mesh_content(file_)) {}

  Triangles stl() {
    // A text begins with "solid", but so do some binary files: their length tells.
    std::uint32_t count = 0;
    if (text_.size() >= 84) std::memcpy(&count, text_.data() + 80, 4);
    if (text_.size() >= 84 && text_.size() == 84 + 50 * static_cast<std::size_t>(count))
      return binary_stl(count);
    if (!text_.starts_with("solid")) refuse_mesh(file_, 0, "not an STL file", "binary or text STL");
    return text_stl();
  }

  Triangles dae() {
    for (MeshPart& part : read_collada(file_, text_, most_))
      triangles_.insert(triangles_.end(), part.triangles.begin(), part.triangles.end());
    return finished();
  }
  std::vector<MeshPart> dae_parts() {
    std::vector<MeshPart> parts = read_collada(file_, text_, most_);
    for (MeshPart& part : parts) {
      triangles_ = std::move(part.triangles);
      part.triangles = finished();
    }
    return parts;
  }

  Triangles obj() {
    std::vector<float> points;
    std::vector<long> face;
    each_line([&](std::string_view line) {
      const std::string_view word = next(line);
      if (word == "v") {
        for (int k = 0; k < 3; ++k) points.push_back(number(next(line)));
      } else if (word == "f") {
        face.clear();
        for (std::string_view corner = next(line); !corner.empty(); corner = next(line)) {
          face.push_back(index(corner, static_cast<long>(points.size() / 3)));
          if (face.size() > most_ + 2) refuse_count(face.size() - 2);
        }
        for (std::size_t k = 2; k < face.size(); ++k)  // a fan
          for (const long at : {face[0], face[k - 1], face[k]})
            triangles_.insert(triangles_.end(), points.begin() + 3 * at,
                              points.begin() + 3 * at + 3);
        check_count();
      }
    });
    return finished();
  }

 private:
  Triangles binary_stl(std::uint32_t count) {
    if (count > most_) refuse_count(count);
    triangles_.resize(9 * static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < count; ++k)  // after the normal
      std::memcpy(&triangles_[9 * k], text_.data() + 84 + 50 * k + 12, 36);
    return finished();
  }

  Triangles text_stl() {
    each_line([&](std::string_view line) {
      if (next(line) != "vertex") return;
      for (int k = 0; k < 3; ++k) triangles_.push_back(number(next(line)));
      check_count();
    });
    return finished();
  }

  template <class Use>
  void each_line(Use use) {
    std::string_view rest = text_;
    for (line_ = 1; !rest.empty(); ++line_) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      use(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    line_ = 0;
  }

  static std::string_view next(std::string_view& line) {
    const std::size_t first = std::min(line.find_first_not_of(" \t\r"), line.size());
    const std::size_t last = std::min(line.find_first_of(" \t\r", first), line.size());
    const std::string_view word = line.substr(first, last - first);
    line.remove_prefix(last);
    return word;
  }
  float number(std::string_view word) const {
    float x = 0;
    if (word.starts_with('+')) word.remove_prefix(1);
    const auto [at, error] = std::from_chars(word.data(), word.data() + word.size(), x);
    if (error != std::errc() || at != word.data() + word.size() || word.empty())
      refuse_mesh(file_, line_, fmt::format("'{}' found", word.substr(0, 40)), "a number");
    return x;
  }
  /// "7", "7/1/2" or "-1" (counted from the last), to an index from 0.
  long index(std::string_view word, long count) const {
    long k = 0;
    const auto [at, error] = std::from_chars(word.data(), word.data() + word.size(), k);
    const long from_zero = k < 0 ? count + k : k - 1;
    if (error != std::errc() || from_zero < 0 || from_zero >= count)
      refuse_mesh(file_, line_, fmt::format("'{}' found", word.substr(0, 40)),
                  "the number of a vertex");
    return from_zero;
  }

  void check_count() const {
    if (triangles_.size() > 9 * most_) refuse_count(triangles_.size() / 9);
  }
  [[noreturn]] void refuse_count(std::size_t count) const {
    refuse_mesh(file_, 0, fmt::format("{} triangles or more", count),
                fmt::format("at most {}", most_));
  }
  Triangles finished() {
    if (triangles_.empty() || triangles_.size() % 9 != 0)
      refuse_mesh(file_, 0, "holds no whole triangles", "a mesh");
    if (!std::all_of(triangles_.begin(), triangles_.end(),
                     [](float x) { return std::isfinite(x); }))
      refuse_mesh(file_, 0, "holds a corner that is not finite", "a mesh");
    return std::move(triangles_);
  }

  std::string file_;
  std::size_t most_;
  std::string text_;
  Triangles triangles_;
  int line_ = 0;
};

std::string mesh_ending(const std::string& file) {
  std::string out = std::filesystem::path(file).extension().string();
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return out;
}

}  // namespace

Triangles read_mesh(const std::string& file, std::size_t most) {
  const std::string kind = mesh_ending(file);
  if (kind == ".stl") return MeshReader(file, most).stl();
  if (kind == ".obj") return MeshReader(file, most).obj();
  if (kind == ".dae") return MeshReader(file, most).dae();
  refuse_mesh(file, 0, fmt::format("meshes of kind '{}' are not read", kind), ".stl, .obj or .dae");
}

std::vector<MeshPart> read_mesh_parts(const std::string& file, std::size_t most) {
  if (mesh_ending(file) == ".dae") return MeshReader(file, most).dae_parts();
  std::vector<MeshPart> parts(1);
  parts[0].triangles = read_mesh(file, most);
  return parts;
}

}  // namespace ulna
