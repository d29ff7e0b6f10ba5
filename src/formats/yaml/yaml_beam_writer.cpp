#include <fmt/format.h>

#include "yaml/yaml_beam.hpp"
#include "yaml/yaml_mode_table.hpp"
#include "yaml/yaml_write.hpp"

namespace ulna {
namespace {

/// Entries of one flow map, in the order they are added.
class FlowMap {
 public:
  FlowMap& add(const char* key, const std::string& value) {
    if (!value.empty()) text_ += fmt::format("{}{}: {}", text_.empty() ? "" : ", ", key, value);
    return *this;
  }
  FlowMap& add(const char* key, double value) { return add(key, yaml::number(value)); }
  FlowMap& add(const char* key, const std::optional<double>& value) {
    return value ? add(key, *value) : *this;
  }
  FlowMap& add_nonzero(const char* key, double value) {
    return value != 0 ? add(key, value) : *this;
  }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

std::string material(const Material& m) {
  if (!m.name.empty()) return m.name;
  return FlowMap().add("E", m.E).add("G", m.G).add("density", m.density).text();
}

std::string section(const Section& s) {
  FlowMap map, size;
  switch (s.shape) {
    case Section::Shape::numbers:
      break;
    case Section::Shape::round:
      map.add("round", s.height);
      break;
    case Section::Shape::tube:
      map.add("tube", size.add("outer", s.height).add("inner", s.inner_height).text());
      break;
    case Section::Shape::rectangle:
      map.add("rectangle", size.add("height", s.height).add("width", s.width).text());
      break;
    case Section::Shape::box:
      size.add("height", s.height).add("width", s.width);
      size.add("inner_height", s.inner_height).add("inner_width", s.inner_width);
      map.add("box", size.text());
      break;
    case Section::Shape::i:
      size.add("height", s.height).add("width", s.width);
      map.add("i", size.add("flange", s.flange).add("web", s.web).text());
      break;
  }
  map.add("A", s.A).add("Iy", s.Iy).add("Iz", s.Iz).add("J", s.J).add("Ip", s.Ip);
  return map.add("ky", s.ky).add("kz", s.kz).text();
}

std::string sections(const std::vector<Section>& all) {
  std::string out;
  for (const Section& s : all) out += (out.empty() ? "[" : ", ") + section(s);
  return out + "]";
}

void add_products(FlowMap& map, const BeamProperties& p) {
  map.add_nonzero("EA", p.EA).add_nonzero("EIy", p.EIy).add_nonzero("EIz", p.EIz);
  map.add_nonzero("GJ", p.GJ).add_nonzero("kGAy", p.kGAy).add_nonzero("kGAz", p.kGAz);
  map.add_nonzero("mass_per_length", p.mass).add_nonzero("polar_inertia", p.polar_inertia);
}

std::string attached(const std::vector<AttachedBody>& bodies) {
  std::string out;
  for (const AttachedBody& body : bodies) {
    FlowMap map;
    map.add("at", body.station).add("mass", body.inertial.mass);
    if (!body.inertial.centre.isZero(0)) map.add("centre", yaml::list(body.inertial.centre));
    if (!body.inertial.inertia.isZero(0)) map.add("inertia", yaml::inertia(body.inertial.inertia));
    out += (out.empty() ? "[" : ", ") + map.text();
  }
  return out.empty() ? out : out + "]";
}

std::string flexible(const FlexibleData& f) {
  FlowMap modes, map;
  modes.add("bending_y", double(f.bending_y)).add("bending_z", double(f.bending_z));
  modes.add("torsion", double(f.torsion)).add("axial", double(f.axial));
  map.add("modes", modes.text()).add("family", name_of(f.family));
  if (f.rayleigh)
    map.add("damping", fmt::format("{{rayleigh: [{}, {}]}}", yaml::number(f.rayleigh->first),
                                   yaml::number(f.rayleigh->second)));
  else if (!f.damping.empty())
    map.add("damping", f.damping.size() == 1 ? yaml::number(f.damping[0]) : yaml::list(f.damping));
  return map.text();
}

}  // namespace

std::string write_beam(const BeamData& beam, const ModalBody* modal) {
  FlowMap map;
  if (!beam.name.empty()) map.add("name", yaml::quoted(beam.name));
  if (!beam.from.isZero(0)) map.add("from", yaml::list(beam.from));
  map.add("to", yaml::list(beam.to));
  if (beam.reference) map.add("reference", yaml::list(*beam.reference));
  if (beam.material) map.add("material", material(*beam.material));
  if (beam.sections.size() == 1) map.add("section", section(beam.sections[0]));
  if (beam.sections.size() > 1) map.add("sections", sections(beam.sections));
  if (beam.products) add_products(map, *beam.products);
  map.add("elements", double(beam.elements));
  map.add("attached", attached(beam.attached));
  if (beam.flexible) map.add("flexible", flexible(*beam.flexible));
  if (const auto table = modal ? mode_table_of(*modal) : nullptr) {
    ModeTable whole = *table;
    const int k = modal->modes;
    whole.damping = Eigen::Map<const Eigen::MatrixXd>(modal->damping.data(), k, k);
    map.add("flexible", FlowMap().add("modes", mode_table_map(whole)).add("family", "file").text());
  }
  return map.text();
}

}  // namespace ulna
