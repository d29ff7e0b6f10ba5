#pragma once
// xacro files, which are programs that write a URDF. They are expanded by the program of that name,
// and only when somebody asks for it: it evaluates expressions of the file.

#include <string>
#include <vector>

namespace ulna {

/// The URDF that `xacro FILE NAME:=VALUE ...` prints. InputError with what it says when it fails,
/// or when it is not installed.
std::string expand_xacro(const std::string& file, const std::vector<std::string>& arguments);

}  // namespace ulna
