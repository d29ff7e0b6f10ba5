// Whatever is in a table of numbers, reading it gives finite numbers, or an InputError.

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "ulna/formats/read_table.hpp"

namespace {

/// Kept for the life of the process.
std::string table_place() {
  const char* place = std::getenv("TMPDIR");
  return (std::filesystem::path(place ? place : "/tmp") /
          ("ulna-csv-fuzz-" + std::to_string(getpid()) + ".csv"))
      .string();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string file = table_place();
  std::ofstream(file, std::ios::binary) << std::string(reinterpret_cast<const char*>(data), size);
  try {
    if (!ulna::read_table(file).values.allFinite()) std::abort();
  } catch (const ulna::InputError&) {
  }
  return 0;
}
