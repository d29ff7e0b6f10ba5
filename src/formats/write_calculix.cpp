#include "ulna/formats/internal/write_calculix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using elastic::StructureElement;
using Vec = Vector3<double>;

class Deck {
 public:
  Deck(const RobotStructure& structure, int modes) : structure_(structure), modes_(modes) {}

  std::string write() {
    out_ = fmt::format("** Structure of {} written by Ulna; SI units\n*NODE, NSET=ALL\n",
                       structure_.model().name());
    nodes();
    elements();
    masses();
    if (!clamped_.empty()) out_ += "*BOUNDARY\n";
    for (const int node : clamped_) out_ += fmt::format("{}, 1, 6\n", node);
    out_ += fmt::format("*STEP\n*FREQUENCY\n{}\n*NODE FILE\nU\n*END STEP\n", modes_);
    return std::move(out_);
  }
  const std::vector<std::string>& lost() const { return lost_; }

 private:
  // Nodes in one place that cannot move against each other are one node of the deck.
  int deck_node(int node) {
    if (const auto found = numbers_.find(node); found != numbers_.end()) return found->second;
    const elastic::StructureNode& n = structure_.frame().nodes()[node];
    for (const auto& [other, number] : numbers_) {
      const elastic::StructureNode& o = structure_.frame().nodes()[other];
      if ((o.position - n.position).norm() < 1e-9 && o.map.freedoms == n.map.freedoms)
        return numbers_[node] = number;
    }
    const int number = ++last_;
    numbers_[node] = number;
    point(number, n.position);
    if (n.map.freedoms.empty()) clamped_.push_back(number);
    return number;
  }
  void point(int number, const Vec& p) {
    out_ += fmt::format("{}, {:.15g}, {:.15g}, {:.15g}\n", number, p.x(), p.y(), p.z());
  }

  void nodes() {
    for (const StructureElement& e : structure_.frame().elements()) {
      const int a = deck_node(e.start), b = deck_node(e.end);
      const auto& all = structure_.frame().nodes();
      point(++last_, (all[e.start].position + all[e.end].position) / 2);
      beams_.push_back({a, last_, b});
    }
    if (!structure_.frame().springs().empty())
      throw InputError(Problem{{},
                               structure_.frame().springs()[0].name,
                               "has a spring or damper",
                               "a frame without them, which a deck cannot hold",
                               {}});
    if (beams_.empty()) throw InputError("the robot has no beam to export", "a link with a beam");
    for (const elastic::StructureBody& body : structure_.frame().bodies()) deck_node(body.node);
    if (structure_.frame().freedoms() !=
        6 * (static_cast<int>(numbers_of_nodes()) - static_cast<int>(clamped_.size())))
      throw InputError("the structure has released joints or rigid links", "all joints locked",
                       "--locked all");
  }
  std::size_t numbers_of_nodes() const { return static_cast<std::size_t>(last_) - beams_.size(); }

  void elements() {
    const auto& elements = structure_.frame().elements();
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const StructureElement& e = elements[k];
      const BeamData& beam = structure_.model().robot().bodies[e.group - 1].beams[e.member];
      if (!beam.material || beam.sections.empty())
        refuse(e, "has products EA, EI, ...", "a material and a section");
      const std::string set = fmt::format("E{}", k + 1), material = fmt::format("M{}", k + 1);
      out_ += fmt::format("*ELEMENT, TYPE=B32R, ELSET={}\n{}, {}, {}, {}\n", set, k + 1,
                          beams_[k][0], beams_[k][1], beams_[k][2]);
      out_ += fmt::format("*MATERIAL, NAME={}\n*ELASTIC\n{:.15g}, {:.15g}\n*DENSITY\n{:.15g}\n",
                          material, beam.material->E, beam.material->E / (2 * beam.material->G) - 1,
                          beam.material->density);
      section(e, beam.sections[beam.sections.size() > 1 ? e.section : 0], set, material);
    }
  }

  void section(const StructureElement& e, const Section& s, const std::string& set,
               const std::string& material) {
    note_numbers(e, s);
    // The first local direction of CalculiX is our y.
    const Vec n = e.axes.col(1);
    std::string kind, size;
    switch (s.shape) {
      case Section::Shape::round:
        kind = "CIRC", size = fmt::format("{0:.15g}, {0:.15g}", s.height);
        break;
      case Section::Shape::tube:
        kind = "PIPE",
        size = fmt::format("{:.15g}, {:.15g}", s.height / 2, (s.height - s.inner_height) / 2);
        break;
      case Section::Shape::rectangle:
        kind = "RECT", size = fmt::format("{:.15g}, {:.15g}", s.height, s.width);
        break;
      case Section::Shape::box: {
        const double ty = (s.height - s.inner_height) / 2, tz = (s.width - s.inner_width) / 2;
        kind = "BOX", size = fmt::format("{:.15g}, {:.15g}, {:.15g}, {:.15g}, {:.15g}, {:.15g}",
                                         s.height, s.width, ty, tz, ty, tz);
        break;
      }
      default:
        refuse(e, fmt::format("has a section by {}", name_of(s.shape)),
               "round, tube, rectangle or box");
    }
    out_ += fmt::format(
        "*BEAM SECTION, ELSET={}, MATERIAL={}, SECTION={}\n{}\n{:.15g}, {:.15g}, "
        "{:.15g}\n",
        set, material, kind, size, n.x(), n.y(), n.z());
  }

  // Once for each beam.
  void note_numbers(const StructureElement& e, const Section& s) {
    const std::string body = structure_.model().bodies()[e.group].name;
    for (const auto& [value, name] : {std::pair{s.A, "A"},
                                      {s.Iy, "Iy"},
                                      {s.Iz, "Iz"},
                                      {s.J, "J"},
                                      {s.ky, "ky"},
                                      {s.kz, "kz"},
                                      {s.Ip, "Ip"}}) {
      if (!value) continue;
      const std::string note = fmt::format(
          "body '{}': {} = {:.6g} of the robot file is not in the deck", body, name, *value);
      if (std::find(lost_.begin(), lost_.end(), note) != lost_.end()) continue;
      lost_.push_back(note);
      out_ += "** " + note + "\n";
    }
  }

  [[noreturn]] static void refuse(const StructureElement& e, const std::string& found,
                                  const std::string& expected) {
    throw InputError(Problem{{}, e.name, found, expected, {}});
  }

  void masses() {
    int element = static_cast<int>(beams_.size());
    for (const elastic::StructureBody& body : structure_.frame().bodies()) {
      if (!body.inertia.first_moment.isZero(1e-12 * body.inertia.mass) ||
          !body.inertia.about_origin.isZero(1e-12 * body.inertia.mass))
        throw InputError(
            Problem{{}, body.name, "is a rigid body with inertia", "point masses", {}});
      ++element;
      out_ +=
          fmt::format("*ELEMENT, TYPE=MASS, ELSET=P{0}\n{0}, {1}\n*MASS, ELSET=P{0}\n{2:.15g}\n",
                      element, deck_node(body.node), body.inertia.mass);
    }
  }

  const RobotStructure& structure_;
  int modes_, last_ = 0;
  std::map<int, int> numbers_;
  std::vector<std::array<int, 3>> beams_;
  std::vector<int> clamped_;
  std::vector<std::string> lost_;
  std::string out_;
};

}  // namespace

std::string write_calculix(const RobotStructure& structure, int modes,
                           std::vector<std::string>* lost) {
  Deck deck(structure, modes);
  std::string text = deck.write();
  if (lost) *lost = deck.lost();
  return text;
}

}  // namespace ulna
