#include "ulna/model/parts/element.hpp"

namespace ulna {

const char* name_of(ElementData::Type type) {
  constexpr const char* names[] = {"spring-damper", "actuator", "bushing", "torsion"};
  return names[static_cast<int>(type)];
}

}  // namespace ulna
