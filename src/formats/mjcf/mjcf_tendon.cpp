// Tendons of a MuJoCo model. A fixed tendon is a weighted sum of coordinates, which equalities may
// hold. A spatial one runs straight from site to site. Springs and dampers along them become force
// elements (model/element.hpp).

#include <fmt/format.h>

#include <cmath>

#include "mjcf/mjcf_parts.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

class TendonReader {
 public:
  explicit TendonReader(MjcfContext& context) : context_(context) {}

  std::map<std::string, MjcfSum> run(pugi::xml_node tendons) {
    for (const pugi::xml_node node : tendons.children()) {
      if (node.type() != pugi::node_element) continue;
      const XmlElement tendon = context_.element(node);
      context_.account(
          tendon, node,
          {"stiffness", "damping", "frictionloss", "armature", "springlength", "range", "limited"});
      if (context_.settings.limits && tendon.has("range") && tendon.text("limited") != "false")
        tendon.note_ignored("range ignored: the length of a tendon has no limits here");
      for (const char* attribute : {"frictionloss", "armature"})
        if (tendon.number(attribute, 0) != 0 &&
            (context_.settings.friction || attribute != std::string("frictionloss")))
          tendon.complain(fmt::format("{} of a tendon is not read", attribute),
                          "stiffness, damping and springlength, or a tendon without forces",
                          "set friction and armature on the joints");
      if (tendon.tag() == "fixed")
        fixed(tendon, node);
      else if (tendon.tag() == "spatial")
        spatial(tendon, node);
      else
        refuse_misspelt(tendon, {"fixed", "spatial"});
    }
    return std::move(sums_);
  }

 private:
  double stiffness_of(const XmlElement& tendon) const {
    return context_.settings.springs ? tendon.number("stiffness", 0) : 0;
  }
  double damping_of(const XmlElement& tendon) const {
    return context_.settings.dampers ? tendon.number("damping", 0) : 0;
  }
  bool acts(const XmlElement& tendon) const {
    return stiffness_of(tendon) != 0 || damping_of(tendon) != 0;
  }

  /// Between two free lengths the spring is slack; -1 stands for the length at the springref of
  /// the joints.
  ElementLaw law_of(const XmlElement& tendon, double reference_length) const {
    ElementLaw law;
    law.stiffness = stiffness_of(tendon);
    law.damping = damping_of(tendon);
    law.rest = reference_length;
    if (!tendon.has("springlength")) return at_reference(tendon, law);
    const std::size_t count = tendon.count("springlength");
    if (count < 1 || count > 2) {
      tendon.complain("springlength has too many numbers or none", "one or two lengths");
      return law;
    }
    const std::vector<double> ends = tendon.numbers("springlength", count);
    const double lower = ends.front(), upper = ends.back();
    if (lower == -1 && upper == -1) return at_reference(tendon, law);
    if (!(lower >= 0 && upper >= lower)) {
      tendon.complain("springlength is neither -1 nor a length",
                      "-1, a length, or two lengths of which the second is not the smaller");
      return law;
    }
    law.rest = (lower + upper) / 2;
    law.backlash = (upper - lower) / 2;
    return law;
  }

  /// MuJoCo measures the free length where the springs of the joints are slack.
  const ElementLaw& at_reference(const XmlElement& tendon, const ElementLaw& law) const {
    if (law.stiffness != 0 && !context_.slack_at_reference)
      tendon.complain(
          "springlength is left to the compiler, and joints have a ref other than "
          "their springref",
          "springlength as a number");
    return law;
  }

  void fixed(const XmlElement& tendon, pugi::xml_node node) {
    MjcfSum sum;
    for (const pugi::xml_node term : node.children("joint")) {
      const XmlElement part = context_.element(term);
      std::optional<MjcfSum> joint = mjcf_joint_sum(context_, part, "joint");
      if (!joint) continue;
      joint->terms[0].factor = part.number("coef", 0);
      sum.reference += joint->terms[0].factor * joint->reference;
      sum.terms.push_back(joint->terms[0]);
    }
    if (acts(tendon)) add_joint_spring(tendon, sum);
    sums_[tendon.text("name")] = std::move(sum);
  }

  /// Of the length c q: c^2 times the stiffness and the damping, along the joint.
  void add_joint_spring(const XmlElement& tendon, const MjcfSum& sum) {
    if (sum.terms.size() != 1 || sum.terms[0].factor == 0) {
      tendon.complain("a spring or damper acts on a weighted sum of several coordinates",
                      "a fixed tendon over one joint, or one without stiffness and damping",
                      "let the tendon run over one joint and couple the others by an equality");
      return;
    }
    const double c = sum.terms[0].factor;
    ElementData element = begun(tendon);
    element.type = ElementData::Type::torsion;
    element.joint = sum.terms[0].joint;
    element.law = law_of(tendon, sum.reference);
    element.law.rest /= c;
    element.law.backlash /= std::abs(c);
    element.law.stiffness *= c * c;
    element.law.damping *= c * c;
    tendon.note_used("spring and damper along joint " + in_quotes(element.joint));
    context_.robot.elements.push_back(std::move(element));
  }

  void spatial(const XmlElement& tendon, pugi::xml_node node) {
    if (!acts(tendon)) {
      tendon.note_ignored("<spatial> tendon ignored: it has no forces of its own");
      return;
    }
    std::vector<ElementEnd> points;
    double length = 0;
    Vector3<double> before = Vector3<double>::Zero();
    for (const pugi::xml_node child : node.children()) {
      if (child.type() != pugi::node_element) continue;
      const XmlElement part = context_.element(child);
      if (part.tag() != "site") {
        part.complain(fmt::format("a tendon with a spring or damper has a <{}>", part.tag()),
                      "sites only: the tendon runs straight from one to the next");
        return;
      }
      const std::string wanted = part.needed_text("site");
      const auto site = context_.sites.find(wanted);
      if (site == context_.sites.end()) {
        if (!wanted.empty()) complain_unknown(part, "site", wanted, context_.sites);
        return;
      }
      ElementEnd point;
      point.body = site->second.body;
      point.X_BE = site->second.X_BS;
      const Vector3<double> here = place_of(point);
      if (!points.empty()) length += (here - before).norm();
      before = here;
      points.push_back(std::move(point));
    }
    constexpr std::size_t most = Element::most_points;
    if (points.size() < 2 || points.size() > most) {
      tendon.complain(fmt::format("this tendon has {} sites", points.size()),
                      fmt::format("2 to {} sites", most));
      return;
    }
    ElementData element = begun(tendon);
    element.from = points.front();
    element.to = points.back();
    element.through.assign(points.begin() + 1, points.end() - 1);
    element.law = law_of(tendon, length);
    tendon.note_used(fmt::format("spring and damper between {} points", points.size()));
    context_.robot.elements.push_back(std::move(element));
  }

  /// In the world, where every joint stands at its reference.
  Vector3<double> place_of(const ElementEnd& point) const {
    for (const auto& [name, body] : context_.bodies)
      if (body.name == point.body) return body.X_WB * point.X_BE.position;
    return point.X_BE.position;
  }

  ElementData begun(const XmlElement& tendon) {
    ElementData element;
    element.name = tendon.text("name");
    if (element.name.empty()) element.name = fmt::format("tendon{}", ++unnamed_);
    element.mark = tendon.mark();
    return element;
  }

  MjcfContext& context_;
  std::map<std::string, MjcfSum> sums_;
  int unnamed_ = 0;
};

}  // namespace

std::optional<MjcfSum> mjcf_joint_sum(const MjcfContext& context, const XmlElement& element,
                                      const char* attribute) {
  const std::string joint = element.needed_text(attribute);
  const auto known = context.joints.find(joint);
  if (known == context.joints.end()) {
    if (!joint.empty()) complain_unknown(element, "joint", joint, context.joints);
    return std::nullopt;
  }
  const JointData& data = context.robot.joints[known->second.index];
  if (size_of(data.type).speeds != 1) {
    element.complain("joint " + in_quotes(joint) + " has several degrees", "a hinge or a slide");
    return std::nullopt;
  }
  return MjcfSum{{{data.name, 1, 0}}, known->second.reference};
}

std::map<std::string, MjcfSum> read_mjcf_tendons(MjcfContext& context, pugi::xml_node root) {
  return TendonReader(context).run(root.child("tendon"));
}

}  // namespace ulna
