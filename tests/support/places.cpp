#include "support/places.hpp"

namespace ulna::testing {

std::string data_file(const std::string& name) { return ULNA_SOURCE_DIR "/tests/data/" + name; }
std::string example_file(const std::string& name) { return ULNA_SOURCE_DIR "/examples/" + name; }
std::string shared_folder() { return ULNA_SOURCE_DIR "/../shared"; }
std::string ulna_program() { return ULNA_CLI; }

}  // namespace ulna::testing
