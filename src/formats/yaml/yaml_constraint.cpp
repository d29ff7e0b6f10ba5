#include "yaml/yaml_constraint.hpp"

#include <fmt/format.h>

#include "ulna/model/joints/joint_traits.hpp"
#include "wording.hpp"

namespace ulna {

namespace {

const std::vector<std::string> constraint_type_names = {"distance", "coupling"};

void read_distance(YamlContext& context, const YamlMap& map, ConstraintData& rod) {
  for (const char* key : {"terms", "offset"})
    if (map.has(key)) map.complain(key, fmt::format("a distance has no {}", key));
  rod.parent = map.needed_text("parent", "the name of a body, or world");
  rod.child = map.needed_text("child", "the name of a body");
  rod.parent_point = map.vector("parent_point", quantity::length, rod.parent_point);
  rod.child_point = map.vector("child_point", quantity::length, rod.child_point);
  if (map.need("length", "the distance of the two points, such as 300 mm"))
    rod.length = map.number("length", quantity::length, 0);
  context.report.used.push_back(
      {rod.mark, "distance " + in_quotes(rod.name),
       fmt::format("rod from {} to {}", in_quotes(rod.parent), in_quotes(rod.child))});
}

/// Coefficients of the coordinate, its square, its cube and so on, in place of a factor.
void read_polynomial(YamlContext& context, const YamlMap& map, const YamlNode& node,
                     ConstraintData::Term& term) {
  constexpr std::size_t most = 16;
  const std::string element = map.element() + ", polynomial";
  const std::size_t count = read_list(context, node, element).size();
  if (map.has("factor"))
    map.complain("polynomial", "a term has a factor or a polynomial", "one of them");
  if (count < 1 || count > most) {
    map.complain("polynomial", fmt::format("a list of {} coefficients", count),
                 fmt::format("1 to {}, of the coordinate, its square and so on", most));
    return;
  }
  const std::vector<double> given = read_numbers(context, node, element, quantity::number, count);
  term.factor = given[0];
  term.higher.assign(given.begin() + 1, given.end());
  while (!term.higher.empty() && term.higher.back() == 0) term.higher.pop_back();
}

ConstraintData::Term read_term(YamlContext& context, const YamlNode& node,
                               const std::string& element) {
  const YamlMap map(context, node, element + ", terms",
                    {"joint", "factor", "degree", "polynomial"});
  ConstraintData::Term term;
  term.joint = map.needed_text("joint", "the name of a joint");
  term.factor = map.number("factor", quantity::number, 1);
  if (const YamlNode* list = map.find("polynomial")) read_polynomial(context, map, *list, term);
  const double degree = map.number("degree", quantity::number, 1);
  if (degree != 1 && degree != 2 && degree != 3)
    map.complain("degree", fmt::format("degree of freedom {}", degree), "1, 2 or 3");
  else
    term.degree = static_cast<int>(degree) - 1;
  return term;
}

// An angle may be in degrees and a length in millimetres, where all terms are of that kind.
bool all_measure(const ConstraintData& coupling, const std::vector<JointData>& joints,
                 Dimension dimension) {
  for (const ConstraintData::Term& term : coupling.terms)
    for (const JointData& joint : joints) {
      const std::span<const Degree> degrees = traits_of(joint.type).speeds;
      if (joint.name == term.joint && (term.degree >= static_cast<int>(degrees.size()) ||
                                       degrees[term.degree].dimension != dimension))
        return false;
    }
  return true;
}

void read_coupling(YamlContext& context, const YamlMap& map, const std::vector<JointData>& joints,
                   ConstraintData& coupling) {
  for (const char* key : {"parent", "child", "parent_point", "child_point", "length"})
    if (map.has(key)) map.complain(key, fmt::format("a coupling has no {}", key));
  if (const YamlNode* terms = map.need("terms", "a list of {joint, factor}"))
    for (const YamlNode& item : read_list(context, *terms, map.element() + ", terms"))
      coupling.terms.push_back(read_term(context, item, map.element()));
  const Quantity& unit = all_measure(coupling, joints, Dimension::angle)    ? quantity::angle
                         : all_measure(coupling, joints, Dimension::length) ? quantity::length
                                                                            : quantity::number;
  coupling.offset = map.number("offset", unit, 0);
  context.report.used.push_back({coupling.mark, "coupling " + in_quotes(coupling.name),
                                 fmt::format("of {} joints", coupling.terms.size())});
}

}  // namespace

ConstraintData read_constraint(YamlContext& context, const YamlNode& node,
                               const std::vector<JointData>& joints) {
  const YamlMap map(context, node, "constraint",
                    {"name", "type", "parent", "child", "parent_point", "child_point", "length",
                     "terms", "offset"});
  ConstraintData constraint;
  constraint.mark = map.mark();
  constraint.name = map.needed_text("name", "the constraint's name");
  const std::string type = map.needed_text("type", one_of(constraint_type_names));
  if (type == "distance") {
    read_distance(context, map, constraint);
  } else if (type == "coupling") {
    constraint.type = ConstraintData::Type::coupling;
    read_coupling(context, map, joints, constraint);
  } else if (!type.empty()) {
    map.complain("type", "unknown constraint type " + in_quotes(type),
                 one_of(constraint_type_names), nearest_name_hint(type, constraint_type_names));
  }
  return constraint;
}

}  // namespace ulna
