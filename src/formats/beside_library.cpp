#include "beside_library.hpp"

#include <dlfcn.h>

namespace ulna {

std::vector<std::filesystem::path> beside_library(const char* name) {
  Dl_info here{};
  if (dladdr(reinterpret_cast<void*>(&beside_library), &here) == 0 || !here.dli_fname) return {};
  std::error_code ignored;
  const std::filesystem::path self = std::filesystem::canonical(here.dli_fname, ignored);
  std::vector<std::filesystem::path> files;
  if (self.empty()) return files;
  for (const char* below : {".", "ulna", "lib"}) {
    std::filesystem::path file = self.parent_path() / below / name;
    if (std::filesystem::exists(file, ignored)) files.push_back(std::move(file));
  }
  return files;
}

void* function_of_part(const char* library, const char* function, std::string& reason) {
  reason = std::string(library) + " is not beside the library of Ulna";
  for (const std::filesystem::path& file : beside_library(library)) {
    void* part = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (void* found = part ? dlsym(part, function) : nullptr) return found;
    if (const char* said = dlerror()) reason = said;
  }
  return nullptr;
}

}  // namespace ulna
