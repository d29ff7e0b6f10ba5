#include "beside_library.hpp"
#include "problems.hpp"
#include "sdf/sdf_part.hpp"

namespace ulna {
SdfModel load_sdf(const std::string& text, const std::string& file) {
  static std::string reason;
  static auto* const load =
      reinterpret_cast<LoadSdf*>(function_of_part("libulna_sdf.so", load_sdf_name, reason));
  if (!load)
    throw InputError(Problem{
        {file},
        {},
        "this is an SDF file, and the part of Ulna that reads those cannot be loaded: " + reason,
        "a robot in YAML, URDF or MuJoCo's format",
        "install Ulna and libsdformat again"});
  SdfModel model;
  std::vector<Problem> found;
  load(text, file, model, found);
  Problems problems;
  for (Problem& each : found)
    problems.add(std::move(each.where), {}, std::move(each.message), std::move(each.expectation));
  problems.throw_if_any();
  return model;
}

}  // namespace ulna
