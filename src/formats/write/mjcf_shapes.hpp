#pragma once
// Shapes of a robot as geoms of a MuJoCo model, without mass, and the meshes they name.

#include <map>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "write/written_tree.hpp"

namespace ulna {

/// pos and quat of an element; neither where they are zero.
void place_mjcf(pugi::xml_node node, const Pose<double>& X);

class MjcfShapes {
 public:
  /// Meshes become children of this <asset>.
  void assets_in(pugi::xml_node asset) { asset_ = asset; }
  /// A mesh that MuJoCo could not open is lost.
  void add(pugi::xml_node body_node, const WrittenBody& body, const Geometry& shape,
           std::vector<ImportNote>& lost);

 private:
  std::string mesh_name(const WrittenBody& body, const Geometry& shape,
                        std::vector<ImportNote>& lost);

  pugi::xml_node asset_;
  std::map<std::string, std::string> meshes_;  ///< by file and scale
};

}  // namespace ulna
