// Whatever is in a table of modes, reading it gives one, or one of the library's errors.

#include <cstdint>
#include <string>

#include "ulna/formats/internal/mode_table_file.hpp"
#include "ulna/numerics/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    ulna::read_mode_table_text(text, "modes.json");
  } catch (const ulna::InputError&) {
  }
  return 0;
}
