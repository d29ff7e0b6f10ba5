#pragma once
// Force elements of a robot as tendons of a MuJoCo model: a spring-damper runs from site to site, a
// torsion spring along a joint is a fixed tendon over that joint.

#include <map>
#include <pugixml.hpp>
#include <string>

#include "write/written_tree.hpp"

namespace ulna {

/// `bodies`: the nodes of the bodies by name. False where MuJoCo has no tendon like it.
bool write_mjcf_element(const WrittenTree& tree, const ElementData& element,
                        std::map<std::string, pugi::xml_node>& bodies, pugi::xml_node tendons);

}  // namespace ulna
