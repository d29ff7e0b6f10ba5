#include "fmu/library_files.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "beside_library.hpp"

namespace ulna {
namespace {

/// The C and C++ libraries belong to the system: two of them in one program would not do.
bool is_of_system(const std::string& name) {
  constexpr std::array own = {"libc.so",       "libm.so",     "libdl.so", "libpthread.so",
                              "librt.so",      "libgcc_s.so", "ld-linux", "libstdc++.so",
                              "linux-vdso.so", "libresolv.so"};
  return std::any_of(own.begin(), own.end(), [&](const char* x) { return name.starts_with(x); });
}

std::string name_of(const char* path) {
  return path ? std::filesystem::path(path).filename().string() : std::string();
}

/// The names in the dynamic section.
std::vector<std::string> needed_by(const link_map* object) {
  const char* strings = nullptr;
  for (const ElfW(Dyn)* d = object->l_ld; d->d_tag != DT_NULL; ++d)
    if (d->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(d->d_un.d_ptr);
  std::vector<std::string> names;
  for (const ElfW(Dyn)* d = object->l_ld; strings && d->d_tag != DT_NULL; ++d)
    if (d->d_tag == DT_NEEDED) names.emplace_back(strings + d->d_un.d_val);
  return names;
}

void collect(const link_map* first, const link_map* object, const std::string& name,
             std::vector<LibraryFile>& files) {
  const auto has = [&](const std::string& n) {
    return std::any_of(files.begin(), files.end(),
                       [&](const LibraryFile& f) { return f.name == n; });
  };
  if (has(name)) return;
  for (const std::string& needed : needed_by(object)) {
    if (is_of_system(needed)) continue;
    for (const link_map* other = first; other; other = other->l_next)
      if (name_of(other->l_name) == needed) collect(first, other, needed, files);
  }
  if (!has(name)) files.push_back({object->l_name, name});
}

/// An object of this process with all that it needs.
std::vector<LibraryFile> files_of(const link_map* object) {
  const link_map* first = object;
  while (first->l_prev) first = first->l_prev;
  std::vector<LibraryFile> files;
  collect(first, object, name_of(object->l_name), files);
  return files;
}

/// The part of the library that is made for FMUs, in one of the folders where it is installed.
std::vector<LibraryFile> made_for_fmus() {
  for (const std::filesystem::path& file : beside_library("libulna_fmu.so")) {
    void* handle = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!handle) continue;
    link_map* object = nullptr;
    std::vector<LibraryFile> files;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &object) == 0 && object) files = files_of(object);
    dlclose(handle);
    if (!files.empty()) return files;
  }
  return {};
}

}  // namespace

std::vector<LibraryFile> library_files() {
  Dl_info here{};
  link_map* own = nullptr;
  if (dladdr1(reinterpret_cast<void*>(&library_files), &here, reinterpret_cast<void**>(&own),
              RTLD_DL_LINKMAP) == 0 ||
      !here.dli_fname)
    return {};
  std::vector<LibraryFile> files = made_for_fmus();
  if (!files.empty()) return files;
  // The whole library, where it is one by itself: neither a program nor a module of an interpreter.
  if (!own || !own->l_name || !name_of(own->l_name).starts_with("libulna.so")) return {};
  return files_of(own);
}

}  // namespace ulna
