#include <dlfcn.h>

#include "beside_library.hpp"
#include "problems.hpp"
#include "sdf/sdf_part.hpp"

namespace ulna {
namespace {

LoadSdf* find_part(std::string& reason) {
  reason = "libulna_sdf.so is not beside the library of Ulna";
  for (const std::filesystem::path& file : beside_library("libulna_sdf.so")) {
    void* part = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    void* function = part ? dlsym(part, load_sdf_name) : nullptr;
    if (function) return reinterpret_cast<LoadSdf*>(function);
    if (const char* said = dlerror()) reason = said;
  }
  return nullptr;
}

}  // namespace

SdfModel load_sdf(const std::string& text, const std::string& file) {
  static std::string reason;
  static LoadSdf* const load = find_part(reason);
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
