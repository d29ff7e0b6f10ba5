#pragma once
// Flexible links for the page: points along each beam at every record.

#include <nlohmann/json_fwd.hpp>

#include "ulna/model/model.hpp"

namespace ulna {

/// Collects the deflections of all flexible links, record by record: of the beam itself, and of its
/// rigid ends, which lead from sections of the beam to the joints (or frames) of the body.
class BeamTrack {
 public:
  explicit BeamTrack(const Model& model);

  void add(const VectorRef& q);
  /// The list `beams`; `radius` of the tubes.
  nlohmann::ordered_json json(double radius) const;

 private:
  static constexpr int points = 17;  ///< along each beam: smooth up to its eighth mode
  /// A polyline that moves with a link. Each point is fixed to a section of the beam.
  struct Line {
    int link;
    bool end;  ///< rigid, not the beam
    std::vector<double> sections;
    std::vector<Vector3<double>> offsets;  ///< in the axes of the section
    std::vector<float> deflections;        ///< 3 for each point and record
  };
  void add_ends(int link);

  const Model& model_;
  std::vector<Line> lines_;
};

}  // namespace ulna
