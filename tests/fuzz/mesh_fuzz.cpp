// Whatever is in a mesh file, reading it gives triangles, or an InputError. The first byte says the
// kind of file: s for STL, o for OBJ, d for COLLADA.

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "ulna/formats/internal/mesh.hpp"

namespace {

/// Kept for the life of the process.
std::string mesh_place() {
  const char* place = std::getenv("TMPDIR");
  const std::filesystem::path folder = std::filesystem::path(place ? place : "/tmp") /
                                       ("ulna-mesh-fuzz-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  return (folder / "mesh").string();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  static const std::string place = mesh_place();
  const std::string file = place + (data[0] == 's' ? ".stl" : data[0] == 'o' ? ".obj" : ".dae");
  // A kept seed has a line end after its kind.
  const std::size_t from = size > 1 && data[1] == '\n' ? 2 : 1;
  std::ofstream(file, std::ios::binary)
      << std::string(reinterpret_cast<const char*>(data + from), size - from);
  try {
    if (ulna::read_mesh(file, 10'000).size() % 9 != 0) std::abort();
  } catch (const ulna::InputError&) {
  }
  return 0;
}
