// Whatever is in a file of generalized speeds, reading it gives speeds, or one of the library's
// errors.

#include <cstdint>
#include <string>

#include "ulna/formats/internal/read_speeds.hpp"
#include "ulna/numerics/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    ulna::read_speeds_text(text, "speeds.yaml");
  } catch (const ulna::InputError&) {
  }
  return 0;
}
