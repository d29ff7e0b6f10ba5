#include "mesh/collada.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>
#include <pugixml.hpp>
#include <string_view>

namespace ulna {
namespace {

using Transform = Eigen::Affine3d;
using XmlNode = pugi::xml_node;

constexpr int deepest = 64;          // nodes within nodes, also by reference
constexpr int most_nodes = 100'000;  // a few references can name each other without end
constexpr std::size_t most_numbers = 60'000'000;  // read in all, parts that come again included

class ColladaReader {
 public:
  ColladaReader(const std::string& file, std::size_t most) : file_(file), most_(most) {}

  std::vector<MeshPart> read(std::string& text) {
    const pugi::xml_parse_result parsed = document_.load_buffer_inplace(text.data(), text.size());
    if (!parsed)
      refuse(fmt::format("XML that cannot be read, at byte {}: {}", parsed.offset,
                         parsed.description()));
    root_ = document_.child("COLLADA");
    if (!root_) refuse("no COLLADA element", "a COLLADA file");
    index(root_, 0);
    const double metre = root_.child("asset").child("unit").attribute("meter").as_double(1);
    if (!(metre > 0) || !std::isfinite(metre)) refuse("a unit that is not a length");
    Transform whole = Transform::Identity();
    whole.linear() *= metre;
    if (const XmlNode scene = shown_scene())
      for (const XmlNode node : scene.children("node")) place(node, whole, 0);
    else
      for (const XmlNode library : root_.children("library_geometries"))
        for (const XmlNode geometry : library.children("geometry")) add(geometry, whole);
    if (parts_.empty()) parts_.emplace_back();
    return std::move(parts_);
  }

 private:
  using Points = std::vector<float>;

  [[noreturn]] void refuse(const std::string& found, const std::string& expected = {}) const {
    throw InputError(Problem{{file_, 0, 0}, {}, found, expected, {}});
  }

  /// Elements by their id. Those of a document are few levels deep.
  void index(const XmlNode& element, int depth) {
    if (depth > 4 * deepest) refuse("elements too deep within each other");
    for (const XmlNode child : element.children()) {
      if (const char* id = child.attribute("id").value(); *id) by_id_.emplace(id, child);
      index(child, depth + 1);
    }
  }
  /// What "#name" refers to in this file.
  XmlNode referred(const XmlNode& element, const char* attribute) const {
    const char* url = element.attribute(attribute).value();
    const auto found = *url == '#' ? by_id_.find(url + 1) : by_id_.end();
    if (found == by_id_.end())
      refuse(fmt::format("<{}> refers to '{:.60}'", element.name(), url), "an element of the file");
    return found->second;
  }
  XmlNode shown_scene() const {
    const XmlNode instance = root_.child("scene").child("instance_visual_scene");
    return instance ? referred(instance, "url")
                    : root_.child("library_visual_scenes").child("visual_scene");
  }

  template <class Number>
  std::vector<Number> numbers(const XmlNode& element) {
    std::vector<Number> list;
    const std::string_view text = element.text().get();
    constexpr std::string_view blank = " \t\r\n";
    for (std::size_t at = text.find_first_not_of(blank); at != std::string_view::npos;) {
      const std::size_t end = std::min(text.find_first_of(blank, at), text.size());
      const char* first = text.data() + at + (text[at] == '+');
      Number x{};
      const auto [stop, error] = std::from_chars(first, text.data() + end, x);
      if (error != std::errc() || stop != text.data() + end)
        refuse(fmt::format("'{:.40}' in <{}>", text.substr(at, end - at), element.name()),
               "a number");
      list.push_back(x);
      at = text.find_first_not_of(blank, end);
    }
    numbers_ += list.size();
    if (numbers_ > most_numbers)
      refuse(
          fmt::format("more than {} numbers, those of repeated geometries included", most_numbers),
          "a smaller mesh");
    return list;
  }
  std::vector<double> numbers(const XmlNode& element, std::size_t count) {
    std::vector<double> list = numbers<double>(element);
    if (list.size() != count)
      refuse(fmt::format("{} numbers in <{}>", list.size(), element.name()),
             fmt::format("{}", count));
    return list;
  }

  /// The transformation that one element of a node stands for; the identity for all others.
  Transform transform(const XmlNode& element) {
    const std::string_view name = element.name();
    Transform X = Transform::Identity();
    if (name == "translate") {
      const auto v = numbers(element, 3);
      X.translation() << v[0], v[1], v[2];
    } else if (name == "scale") {
      const auto v = numbers(element, 3);
      X.linear().diagonal() << v[0], v[1], v[2];
    } else if (name == "rotate") {
      const auto v = numbers(element, 4);
      const Eigen::Vector3d axis(v[0], v[1], v[2]);
      if (axis.norm() > 0)
        X.linear() =
            Eigen::AngleAxisd(v[3] * std::numbers::pi / 180, axis.normalized()).toRotationMatrix();
    } else if (name == "matrix") {
      const auto v = numbers(element, 16);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) X.matrix()(i, j) = v[static_cast<std::size_t>(4 * i + j)];
    } else if (name == "skew" || name == "lookat") {
      refuse(fmt::format("a <{}> among the transformations", name),
             "matrix, translate, rotate or scale");
    }
    return X;
  }

  void place(const XmlNode& node, const Transform& parent, int depth) {
    if (depth > deepest || ++nodes_ > most_nodes) refuse("nodes within nodes without end");
    Transform X = parent;  // in the order of the file, each within the one before
    for (const XmlNode child : node.children()) X = X * transform(child);
    for (const XmlNode child : node.children()) {
      const std::string_view name = child.name();
      if (name == "instance_geometry") {
        binding_ = child.child("bind_material").child("technique_common");
        add(referred(child, "url"), X);
      }
      if (name == "instance_node") place(referred(child, "url"), X, depth + 1);
      if (name == "node") place(child, X, depth + 1);
    }
  }

  /// x, y, z of every vertex of a source.
  Points points_of(const XmlNode& source) {
    const XmlNode accessor = source.child("technique_common").child("accessor");
    const long stride = accessor.attribute("stride").as_llong(3),
               offset = accessor.attribute("offset").as_llong(0);
    const std::vector<float> values = numbers<float>(source.child("float_array"));
    const long size = static_cast<long>(values.size());
    const long count = accessor ? accessor.attribute("count").as_llong(0) : size / 3;
    if (stride < 3 || stride > size + 3 || offset < 0 || offset > size || count < 0 ||
        count > size / 3 + 1 || (count > 0 && offset + (count - 1) * stride + 3 > size))
      refuse(fmt::format("a source with {} numbers for {} vertices", size, count));
    Points points;
    for (long k = 0; k < count; ++k)
      for (long axis = 0; axis < 3; ++axis)
        points.push_back(values[static_cast<std::size_t>(offset + k * stride + axis)]);
    return points;
  }
  /// The vertices that an element's indices count.
  const Points& vertices(const XmlNode& input) {
    const XmlNode list = referred(input, "source");
    const auto known = points_.find(list);
    if (known != points_.end()) return known->second;
    const XmlNode position = list.find_child_by_attribute("input", "semantic", "POSITION");
    if (!position) refuse("vertices without positions");
    return points_.emplace(list, points_of(referred(position, "source"))).first->second;
  }

  void add(const XmlNode& geometry, const Transform& X) {
    const XmlNode mesh = geometry.child("mesh");
    for (const XmlNode part : mesh.children()) {
      const std::string_view name = part.name();
      if (name == "triangles" || name == "polylist" || name == "polygons" || name == "tristrips" ||
          name == "trifans")
        add_part(part, name, X);
    }
  }

  /// "#name" or a name; null where nothing has it.
  XmlNode named(const char* name) const {
    const auto found = by_id_.find(*name == '#' ? name + 1 : name);
    return found == by_id_.end() ? XmlNode() : found->second;
  }
  /// The diffuse colour of the material that a part names, with the opacity of its effect.
  std::optional<std::array<double, 4>> colour_of(const XmlNode& part) {
    const char* symbol = part.attribute("material").value();
    if (!*symbol) return {};
    const XmlNode bound = binding_.find_child_by_attribute("instance_material", "symbol", symbol);
    const XmlNode material = named(bound ? bound.attribute("target").value() : symbol);
    const XmlNode effect = named(material.child("instance_effect").attribute("url").value());
    const XmlNode technique = effect.child("profile_COMMON").child("technique");
    for (const char* shading : {"phong", "lambert", "blinn", "constant"}) {
      const XmlNode colour = technique.child(shading).child("diffuse").child("color");
      if (!colour) continue;
      const std::vector<double> v = numbers(colour, 4);
      const auto share = [](double x) { return std::clamp(std::isfinite(x) ? x : 1, 0.0, 1.0); };
      return std::array<double, 4>{share(v[0]), share(v[1]), share(v[2]), share(v[3])};
    }
    return {};
  }
  /// The triangles of this colour.
  Triangles& triangles_of(const std::optional<std::array<double, 4>>& colour) {
    for (MeshPart& part : parts_)
      if (part.colour == colour) return part.triangles;
    constexpr std::size_t most_colours = 1000;
    if (parts_.size() >= most_colours) refuse("more colours than can be drawn");
    return parts_.emplace_back(MeshPart{{}, colour}).triangles;
  }

  void add_part(const XmlNode& part, std::string_view kind, const Transform& X) {
    triangles_ = &triangles_of(colour_of(part));
    long width = 0, offset = -1;
    const Points* points = nullptr;
    for (const XmlNode input : part.children("input")) {
      const long at = input.attribute("offset").as_llong(0);
      if (at < 0 || at > 1000) refuse("an input with a strange offset");
      width = std::max(width, at + 1);
      if (std::strcmp(input.attribute("semantic").value(), "VERTEX") == 0) {
        offset = at;
        points = &vertices(input);
      }
    }
    if (offset < 0) return;  // lines and the like have nothing to fill
    std::vector<long> counts;
    if (kind == "polylist") counts = numbers<long>(part.child("vcount"));
    for (const XmlNode list : part.children("p")) {
      const std::vector<long> all = numbers<long>(list);
      std::vector<long> corners;
      for (std::size_t k = static_cast<std::size_t>(offset); k < all.size();
           k += static_cast<std::size_t>(width)) {
        if (all[k] < 0 || all[k] >= static_cast<long>(points->size() / 3))
          refuse(fmt::format("vertex {} of {}", all[k], points->size() / 3));
        corners.push_back(all[k]);
      }
      if (kind == "triangles") counts.assign(corners.size() / 3, 3);
      if (kind != "triangles" && kind != "polylist")
        counts.assign(1, static_cast<long>(corners.size()));
      add_faces(corners, counts, kind == "tristrips", *points, X);
    }
  }

  void add_faces(const std::vector<long>& corners, const std::vector<long>& counts, bool strip,
                 const Points& points, const Transform& X) {
    std::size_t at = 0;
    for (const long count : counts) {
      if (count < 0 || at + static_cast<std::size_t>(count) > corners.size())
        refuse("faces with more corners than the file gives");
      if (static_cast<std::size_t>(count) > most_ + 2)
        refuse(fmt::format("a face with {} corners", count), fmt::format("at most {}", most_ + 2));
      for (long k = 2; k < count; ++k) {  // a fan about the first, or a strip of either sense
        const long a = strip ? k - 2 + k % 2 : 0, b = strip ? k - 1 - k % 2 : k - 1;
        for (const long corner : {a, b, k})
          add_corner(
              &points[3 * static_cast<std::size_t>(corners[at + static_cast<std::size_t>(corner)])],
              X);
      }
      at += static_cast<std::size_t>(count);
      if (floats_ > 9 * most_)
        refuse(fmt::format("{} triangles or more", floats_ / 9), fmt::format("at most {}", most_));
    }
  }
  void add_corner(const float* point, const Transform& X) {
    const Eigen::Vector3d p = X * Eigen::Vector3d(point[0], point[1], point[2]);
    for (const double x : p) triangles_->push_back(static_cast<float>(x));
    floats_ += 3;
  }

  std::string file_;
  std::size_t most_;
  pugi::xml_document document_;
  XmlNode root_;
  std::map<std::string, XmlNode, std::less<>> by_id_;
  std::map<XmlNode, Points> points_;
  XmlNode binding_;  ///< of materials, in the instance that is placed
  std::vector<MeshPart> parts_;
  Triangles* triangles_ = nullptr;  ///< of the part that is read
  std::size_t floats_ = 0;
  int nodes_ = 0;
  std::size_t numbers_ = 0;
};

}  // namespace

std::vector<MeshPart> read_collada(const std::string& file, std::string& text, std::size_t most) {
  return ColladaReader(file, most).read(text);
}

}  // namespace ulna
