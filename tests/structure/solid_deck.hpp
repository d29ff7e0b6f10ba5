#pragma once
// A deck of solid bricks (C3D20R) for a frame of straight members: each member a prism with several
// elements across its section, the first clamped at its start, and all ends that meet held together
// by a rigid body, as the nodes of a frame are.

#include <Eigen/Geometry>
#include <array>
#include <functional>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ulna::test {

struct Prism {
  Eigen::Vector3d from, to;
  Eigen::Matrix3d axes;
};

class SolidDeck {
 public:
  double height, width;                ///< along the second and third axis
  int across_height, across_width;     ///< elements
  std::function<bool(int, int)> full;  ///< whether an element is there
  std::string elastic = "70e9, 0", density = "2700";

  /// The second prism begins where the first ends.
  std::string write(const Prism& first, const Prism& second, int along, int modes) {
    const auto [root, end] = add(first, along);
    const std::vector<int> begin = add(second, along).first;
    std::vector<int> knot = end;
    knot.insert(knot.end(), begin.begin(), begin.end());
    const int reference = node(first.to), turn = node(first.to);
    return "*NODE\n" + nodes_ + "*ELEMENT, TYPE=C3D20R, ELSET=E\n" + elements_ + set("ROOT", root) +
           set("KNOT", knot) + "*MATERIAL, NAME=M\n*ELASTIC\n" + elastic + "\n*DENSITY\n" +
           density + "\n*SOLID SECTION, ELSET=E, MATERIAL=M\n" +
           "*RIGID BODY, NSET=KNOT, REF NODE=" + std::to_string(reference) +
           ", ROT NODE=" + std::to_string(turn) + "\n*BOUNDARY\nROOT, 1, 3\n*STEP\n*FREQUENCY\n" +
           std::to_string(modes) + "\n*END STEP\n";
  }

 private:
  int node(const Eigen::Vector3d& p) {
    std::ostringstream line;
    line << ++node_count_ << std::setprecision(15) << ", " << p.x() << ", " << p.y() << ", "
         << p.z() << "\n";
    nodes_ += line.str();
    return node_count_;
  }
  static std::string set(const std::string& name, const std::vector<int>& nodes) {
    std::string text = "*NSET, NSET=" + name + "\n";
    for (const int n : nodes) text += std::to_string(n) + ",\n";
    return text;
  }

  // Nodes of the first and of the last section.
  std::pair<std::vector<int>, std::vector<int>> add(const Prism& prism, int along) {
    static constexpr int order[20][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2},
                                         {2, 0, 2}, {2, 2, 2}, {0, 2, 2}, {1, 0, 0}, {2, 1, 0},
                                         {1, 2, 0}, {0, 1, 0}, {1, 0, 2}, {2, 1, 2}, {1, 2, 2},
                                         {0, 1, 2}, {0, 0, 1}, {2, 0, 1}, {2, 2, 1}, {0, 2, 1}};
    const double length = (prism.to - prism.from).norm();
    std::map<std::array<int, 3>, int> known;  // by half elements
    const auto at = [&](int i, int j, int k) {
      const auto [found, added] = known.try_emplace({i, j, k}, 0);
      if (added)
        found->second = node(
            prism.from + prism.axes * Eigen::Vector3d(length * i / (2 * along),
                                                      height * (j / (2.0 * across_height) - 0.5),
                                                      width * (k / (2.0 * across_width) - 0.5)));
      return found->second;
    };
    for (int i = 0; i < along; ++i)
      for (int j = 0; j < across_height; ++j)
        for (int k = 0; k < across_width; ++k) {
          if (!full(j, k)) continue;
          elements_ += std::to_string(++element_count_);
          for (int n = 0; n < 20; ++n)
            elements_ +=
                (n == 10 ? ",\n" : ", ") +
                std::to_string(at(2 * i + order[n][0], 2 * j + order[n][1], 2 * k + order[n][2]));
          elements_ += "\n";
        }
    std::pair<std::vector<int>, std::vector<int>> ends;
    for (const auto& [place, n] : known) {
      if (place[0] == 0) ends.first.push_back(n);
      if (place[0] == 2 * along) ends.second.push_back(n);
    }
    return ends;
  }

  std::string nodes_, elements_;
  int node_count_ = 0, element_count_ = 0;
};

}  // namespace ulna::test
