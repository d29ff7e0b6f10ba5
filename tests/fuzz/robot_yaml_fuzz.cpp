// Whatever is in a robot file, reading it gives a robot that can be used, or an InputError.

#include "use_robot.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ulna::fuzz::read_and_use(
      [](const std::string& text) { return ulna::read_robot_yaml_text(text, "robot.yaml"); }, data,
      size);
  return 0;
}
