#include "yaml/yaml_beam.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "ulna/formats/internal/mode_table_file.hpp"
#include "wording.hpp"
#include "yaml/yaml_mode_table.hpp"
#include "yaml/yaml_parts.hpp"

namespace ulna {
namespace {

const std::vector<std::string> product_keys = {
    "EA", "EI", "EIy", "EIz", "GJ", "kGA", "kGAy", "kGAz", "mass_per_length", "polar_inertia"};
const std::vector<std::string> shape_names = {"round", "tube", "rectangle", "box", "i"};
const std::vector<std::string> family_names = {
    "clamped-free",   "clamped-tip-body",    "pinned-pinned", "clamped-clamped",
    "finite-element", "geometrically-exact", "file"};

/// Of one kind: beyond, shapes differ by less than the integrals over them can tell.
constexpr int most_modes = 50;

int whole_number(const YamlMap& map, const std::string& key, int fallback) {
  if (!map.has(key)) return fallback;
  const double value = map.number(key, quantity::number, fallback);
  if (value == std::floor(value) && std::abs(value) <= 1e6) return static_cast<int>(value);
  map.complain(key, fmt::format("{}: {}", key, value), "a whole number");
  return fallback;
}

void optional_number(const YamlMap& map, const char* key, const Quantity& quantity,
                     std::optional<double>& field) {
  if (map.has(key)) field = map.number(key, quantity, 0);
}

class BeamReader {
 public:
  BeamReader(YamlContext& context, const YamlNode& node, const std::string& element)
      : context_(context), map_(context, node, element, keys()) {}

  BeamData read() {
    beam_.mark = map_.mark();
    beam_.name = map_.text("name");
    read_axis();
    if (has_products()) read_products();
    if (const YamlNode* material = map_.find("material"))
      beam_.material = read_material(context_, *material, map_.element() + ", material");
    read_sections();
    const int sections = static_cast<int>(beam_.sections.size());
    beam_.elements = whole_number(map_, "elements", sections > 1 ? sections : beam_.elements);
    if (const YamlNode* list = map_.find("attached"))
      for (const YamlNode& item : read_list(context_, *list, map_.element() + ", attached"))
        beam_.attached.push_back(read_attached(item));
    if (map_.has("flexible")) read_flexible();
    return beam_;
  }

  /// From a table of modes; null where there is none, or where something is wrong.
  std::shared_ptr<const ModalBody> modal() {
    if (!table_ || context_.problems.count() > 0 || !check(beam_, map_.element()).empty())
      return {};
    try {
      return std::make_shared<const ModalBody>(
          modal_body(beam_, map_.element(), table_, table_damping_));
    } catch (const InputError& error) {
      for (const Problem& p : error.problems())
        context_.problems.add(p.where, p.element, p.message, p.expectation, p.hint);
      return {};
    }
  }

 private:
  static std::vector<std::string> keys() {
    std::vector<std::string> all = {"name",      "from",     "to",      "length",
                                    "reference", "material", "section", "sections",
                                    "elements",  "attached", "flexible"};
    all.insert(all.end(), product_keys.begin(), product_keys.end());
    return all;
  }

  bool has_products() const {
    for (const std::string& key : product_keys)
      if (map_.has(key)) return true;
    return false;
  }

  void read_axis() {
    beam_.from = map_.vector("from", quantity::length, beam_.from);
    if (map_.has("to") == map_.has("length"))
      map_.complain({}, map_.has("to") ? "it has both to and length" : "it has no end",
                    "to: [x, y, z], or length: along the body's x axis");
    beam_.to = map_.vector("to", quantity::length, beam_.from);
    const double length = map_.number("length", quantity::length, 1);
    if (map_.has("length")) beam_.to.x() += length;
    if (!(length > 0))
      map_.complain("length", fmt::format("length: {:g}", length), "a length above zero",
                    "a beam along -x has to: [x, y, z] instead");
    if (map_.has("reference"))
      beam_.reference = map_.vector("reference", quantity::number, Vector3<double>::UnitY());
  }

  void read_products() {
    BeamProperties p;
    if (map_.has("EI") && (map_.has("EIy") || map_.has("EIz")))
      map_.complain("EI", "EI and EIy or EIz", "EI for both planes, or EIy and EIz");
    const double EI = map_.number("EI", quantity::bending_stiffness, 0);
    const double kGA = map_.number("kGA", quantity::force, 0);
    p.EA = map_.number("EA", quantity::force, 0);
    p.EIy = map_.number("EIy", quantity::bending_stiffness, EI);
    p.EIz = map_.number("EIz", quantity::bending_stiffness, EI);
    p.GJ = map_.number("GJ", quantity::bending_stiffness, 0);
    p.kGAy = map_.number("kGAy", quantity::force, kGA);
    p.kGAz = map_.number("kGAz", quantity::force, kGA);
    p.mass = map_.number("mass_per_length", quantity::mass_per_length, 0);
    p.polar_inertia = map_.number("polar_inertia", quantity::inertia_per_length, 0);
    beam_.products = p;
  }

  void read_sections() {
    const YamlNode* one = map_.find("section");
    const YamlNode* several = map_.find("sections");
    if (one && several) map_.complain("sections", "section and sections", "one of the two");
    if (one) beam_.sections.push_back(read_section(*one, map_.element() + ", section"));
    if (!several) return;
    for (const YamlNode& item : read_list(context_, *several, map_.element() + ", sections"))
      beam_.sections.push_back(read_section(item, map_.element() + ", sections"));
  }

  Section read_section(const YamlNode& node, const std::string& element) {
    std::vector<std::string> known = {"A", "Iy", "Iz", "J", "Ip", "ky", "kz"};
    known.insert(known.end(), shape_names.begin(), shape_names.end());
    const YamlMap map(context_, node, element, known);
    Section s;
    int shapes = 0;
    for (const std::string& name : shape_names)
      if (map.has(name)) ++shapes;
    if (shapes > 1) map.complain({}, "it has several shapes", one_of(shape_names));
    if (map.has("round")) read_round(map, s);
    if (map.has("tube")) read_hollow(map, "tube", Section::Shape::tube, s);
    if (map.has("box")) read_hollow(map, "box", Section::Shape::box, s);
    if (map.has("rectangle")) read_rectangle(map, s);
    if (map.has("i")) read_i(map, s);
    optional_number(map, "A", quantity::area, s.A);
    optional_number(map, "Iy", quantity::second_moment, s.Iy);
    optional_number(map, "Iz", quantity::second_moment, s.Iz);
    optional_number(map, "Ip", quantity::second_moment, s.Ip);
    optional_number(map, "ky", quantity::number, s.ky);
    optional_number(map, "kz", quantity::number, s.kz);
    if (const YamlNode* J = map.find("J")) {
      if (J->text == "polar")
        s.J = polar_moment(s);
      else
        s.J = map.number("J", quantity::second_moment, 0);
    }
    return s;
  }

  static double polar_moment(const Section& s) {
    const Section n = numbers_of(s);
    return n.Iy.value_or(0) + n.Iz.value_or(0);
  }

  void read_round(const YamlMap& map, Section& s) {
    s.shape = Section::Shape::round;
    const YamlNode& node = *map.find("round");
    if (node.kind != YamlNode::Kind::map) {
      s.height = s.width = map.number("round", quantity::length, 0);
      return;
    }
    const YamlMap size(context_, node, map.element() + ", round", {"diameter"});
    size.need("diameter", "the diameter");
    s.height = s.width = size.number("diameter", quantity::length, 0);
  }

  // {outer, inner} or {outer, thickness}; a box also {height, width, thickness} or with
  // {inner_height, inner_width}.
  void read_hollow(const YamlMap& map, const char* key, Section::Shape shape, Section& s) {
    s.shape = shape;
    std::vector<std::string> known = {"outer", "inner", "thickness"};
    if (shape == Section::Shape::box)
      known.insert(known.end(), {"height", "width", "inner_height", "inner_width"});
    const YamlMap size(context_, *map.find(key), map.element() + ", " + key, known);
    const double outer = size.number("outer", quantity::length, 0);
    s.height = size.number("height", quantity::length, outer);
    s.width = size.number("width", quantity::length, outer);
    if (!size.has("outer") && !(size.has("height") && size.has("width")))
      size.complain({}, "its outer size is missing",
                    shape == Section::Shape::tube ? "outer: the diameter"
                                                  : "outer: the side, or height: and width:");
    const double inner = size.number("inner", quantity::length, 0);
    s.inner_height = size.number("inner_height", quantity::length, inner);
    s.inner_width = size.number("inner_width", quantity::length, inner);
    const bool both = size.has("inner_height") && size.has("inner_width");
    if (int(size.has("inner")) + int(size.has("thickness")) + int(both) != 1)
      size.complain({}, "its hollow is missing or given twice", "inner: or thickness:");
    if (!size.has("thickness")) return;
    const double t = size.number("thickness", quantity::length, 0);
    s.inner_height = s.height - 2 * t;
    s.inner_width = s.width - 2 * t;
  }

  void read_rectangle(const YamlMap& map, Section& s) {
    s.shape = Section::Shape::rectangle;
    const YamlMap size(context_, *map.find("rectangle"), map.element() + ", rectangle",
                       {"height", "width"});
    size.need("height", "the size along the section's y axis");
    size.need("width", "the size along the section's z axis");
    s.height = size.number("height", quantity::length, 0);
    s.width = size.number("width", quantity::length, 0);
  }

  void read_i(const YamlMap& map, Section& s) {
    s.shape = Section::Shape::i;
    const YamlMap size(context_, *map.find("i"), map.element() + ", i",
                       {"height", "width", "flange", "web"});
    for (const char* key : {"height", "width", "flange", "web"})
      size.need(key, "height: and width: of the profile, flange: and web: thicknesses");
    s.height = size.number("height", quantity::length, 0);
    s.width = size.number("width", quantity::length, 0);
    s.flange = size.number("flange", quantity::length, 0);
    s.web = size.number("web", quantity::length, 0);
  }

  AttachedBody read_attached(const YamlNode& node) {
    const YamlMap map(context_, node, map_.element() + ", attached",
                      {"at", "mass", "centre", "inertia"});
    AttachedBody body;
    const YamlNode* at = map.need("at", "start, end or a fraction of the length");
    if (at && at->text == "start")
      body.station = 0;
    else if (at && at->text != "end")
      body.station = map.number("at", quantity::number, 1);
    body.inertial = read_inertial(context_, map);
    return body;
  }

  void read_flexible() {
    FlexibleData f;
    const YamlMap map(context_, *map_.find("flexible"), map_.element() + ", flexible",
                      {"modes", "family", "damping"});
    if (const YamlNode* modes = map.find("modes")) {
      std::vector<std::string> known = {"bending_y", "bending_z", "torsion", "axial", "file"};
      known.insert(known.end(), mode_table_keys().begin(), mode_table_keys().end());
      const YamlMap counts(context_, *modes, map.element() + ", modes", known);
      f.bending_y = whole_number(counts, "bending_y", 0);
      f.bending_z = whole_number(counts, "bending_z", 0);
      f.torsion = whole_number(counts, "torsion", 0);
      f.axial = whole_number(counts, "axial", 0);
      for (const auto& [key, number] :
           {std::pair{"bending_y", &f.bending_y}, std::pair{"bending_z", &f.bending_z},
            std::pair{"torsion", &f.torsion}, std::pair{"axial", &f.axial}}) {
        if (*number <= most_modes) continue;
        counts.complain(key, fmt::format("{} modes", *number),
                        fmt::format("at most {}", most_modes), "2 to 8 serve most robots");
        *number = 0;
      }
      read_table(counts, f.modes());
    }
    const std::string family = map.text("family", asks_for_table_ ? "file" : "clamped-free");
    bool known = false;
    for (std::size_t k = 0; k < family_names.size(); ++k)
      if (family == family_names[k]) f.family = static_cast<ModeFamily>(k), known = true;
    if (!known)
      map.complain("family", "unknown family " + in_quotes(family), one_of(family_names),
                   nearest_name_hint(family, family_names));
    if (known && (family == "file") != asks_for_table_)
      map.complain("family", "family " + in_quotes(family),
                   asks_for_table_ ? "file, for the modes are from one" : "modes: {file: NAME}");
    if (const YamlNode* damping = map.find("damping")) read_damping(map, *damping, f);
    if (f.rayleigh && asks_for_table_)
      map.complain("damping", "rayleigh given together with modes from a file",
                   "ratios, or damping in the file");
    table_damping_ = f.damping;
    if (!asks_for_table_ && family != "file") beam_.flexible = f;
  }

  /// Shapes and matrices, in a file beside this one or here.
  void read_table(const YamlMap& map, int counted) {
    const bool here = map.has("nodes");
    asks_for_table_ = here || map.has("file");
    if (!asks_for_table_) return;
    if (here && map.has("file")) map.complain("file", "a file and nodes", "one of the two");
    if (counted > 0)
      map.complain({}, "numbers of modes given together with a table of modes", "one of the two");
    if (here) {
      table_ = std::make_shared<const ModeTable>(read_mode_table(context_, map));
      return;
    }
    const std::filesystem::path beside =
        std::filesystem::path(context_.file).parent_path() / map.text("file");
    try {
      table_ = std::make_shared<const ModeTable>(read_mode_table(beside.string()));
    } catch (const InputError& error) {
      for (const Problem& p : error.problems())
        context_.problems.add(p.where.file.empty() ? map.mark() : p.where,
                              map.element() + (p.element.empty() ? "" : ": " + p.element),
                              p.message, p.expectation, p.hint);
    }
  }

  void read_damping(const YamlMap& map, const YamlNode& node, FlexibleData& f) {
    if (node.kind == YamlNode::Kind::map) {
      const YamlMap rule(context_, node, map.element() + ", damping", {"rayleigh"});
      const YamlNode* values = rule.need("rayleigh", "[a, b] of a M + b K");
      if (!values) return;
      const std::vector<double> ab =
          read_numbers(context_, *values, rule.element() + ", rayleigh", quantity::number, 2);
      f.rayleigh = {ab[0], ab[1]};
    } else if (node.kind == YamlNode::Kind::sequence) {
      f.damping = read_numbers(context_, node, map.element() + ", damping", quantity::number,
                               node.items.size());
    } else {
      f.damping = {map.number("damping", quantity::number, 0)};
    }
  }

  YamlContext& context_;
  YamlMap map_;
  BeamData beam_;
  bool asks_for_table_ = false;
  std::shared_ptr<const ModeTable> table_;
  std::vector<double> table_damping_;
};

}  // namespace

static BeamData read_one_of_several(YamlContext& context, const YamlNode& node,
                                    const std::string& element) {
  BeamReader reader(context, node, element);
  BeamData beam = reader.read();
  if (reader.modal())
    context.problems.add(context.mark(node), element,
                         "modes from a file, and its body has other beams", "a body of its own");
  return beam;
}

std::optional<Material> read_material(YamlContext& context, const YamlNode& node,
                                      const std::string& element) {
  if (node.kind != YamlNode::Kind::map) {
    const std::string name = read_text(context, node, element);
    const std::optional<Material> material = material_named(name);
    if (!material && !name.empty())
      context.problems.add(context.mark(node), element, "unknown material " + in_quotes(name),
                           one_of(material_names()) + ", or {E:, nu:, density:}",
                           nearest_name_hint(name, material_names()));
    return material;
  }
  const YamlMap map(context, node, element, {"E", "G", "nu", "density"});
  Material material;
  map.need("E", "Young's modulus, such as 200 GPa");
  map.need("density", "the density, such as 7800 kg/m^3");
  material.E = map.number("E", quantity::modulus, 0);
  material.density = map.number("density", quantity::density, 0);
  if (map.has("G") && map.has("nu")) map.complain("nu", "G and nu", "one of the two");
  const double nu = map.number("nu", quantity::number, 0.3);
  material.G = map.number("G", quantity::modulus, material.E / (2 * (1 + nu)));
  return material;
}

std::vector<BeamData> read_beams(YamlContext& context, const YamlMap& body,
                                 std::shared_ptr<const ModalBody>& modal) {
  std::vector<BeamData> beams;
  const YamlNode* one = body.find("beam");
  const YamlNode* several = body.find("beams");
  if (one && several) body.complain("beams", "beam and beams", "one of the two");
  if (one) {
    BeamReader reader(context, *one, body.element() + ", beam");
    beams.push_back(reader.read());
    modal = reader.modal();
  }
  if (several)
    for (const YamlNode& item : read_list(context, *several, body.element() + ", beams"))
      beams.push_back(read_one_of_several(context, item, body.element() + ", beam"));
  return beams;
}

}  // namespace ulna
