#pragma once
// Where the tests find files and the program.

#include <string>

namespace ulna::testing {

std::string data_file(const std::string& name);     ///< in tests/data
std::string example_file(const std::string& name);  ///< in examples
std::string shared_folder();                        ///< beside the source tree; need not exist
std::string ulna_program();                         ///< the command line that was built

}  // namespace ulna::testing
