// Whatever is in a Matrix Market file, reading it gives a matrix, or one of the library's errors.

#include <cstdint>
#include <string>

#include "ulna/formats/internal/matrix_market.hpp"
#include "ulna/numerics/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    ulna::read_matrix_market_text(text, "matrix.mtx");
  } catch (const ulna::InputError&) {
  }
  return 0;
}
