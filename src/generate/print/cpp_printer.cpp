// A C++ header (C++11): name.hpp and name_test.cpp.

#include <fmt/format.h>

#include "print/printing.hpp"

namespace ulna::generate {

Sources print_cpp(const TracedFunction& f, const TestTable& test) {
  const std::string name = f.identifier();
  std::string header = "#pragma once\n";
  if (f.prepare) header += block(header_lines(*f.prepare), "// ") + "//\n";
  header += block(header_lines(f), "// ");
  header += "// Arrays must not overlap.\n\n#include <cmath>\n\n" +
            c_function(f, {"__restrict", "inline ", "std::", 0, 0, test.single});
  return {{name + ".hpp", header},
          {name + "_test.cpp", c_test(f, test, fmt::format("#include \"{}.hpp\"\n", name))}};
}

}  // namespace ulna::generate
