#include "sdf/sdf_model.hpp"

namespace ulna {

SdfModel load_sdf(const std::string&, const std::string& file) {
  throw InputError(Problem{{file},
                           {},
                           "this is an SDF file, and Ulna was built without libsdformat",
                           "a robot in YAML, URDF or MuJoCo's format",
                           "tools/install-packages sdf, then build again"});
}

}  // namespace ulna
