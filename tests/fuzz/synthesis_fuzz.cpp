// Whatever is in a synthesis task, reading it for a four-bar gives a task, or one of the library's
// errors.

#include <cstdint>
#include <string>

#include "ulna/formats/internal/read_synthesis.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/numerics/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ulna::Robot robot = ulna::read_robot("four-bar").robot;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    ulna::read_synthesis_task_text(text, "task.yaml", robot);
  } catch (const ulna::InputError&) {
  } catch (const ulna::ComputationError&) {
  }
  return 0;
}
