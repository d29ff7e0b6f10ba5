#pragma once
// SHA-256 (FIPS 180-4), to name and to verify files of the cache.

#include <string>
#include <string_view>

namespace ulna::generate {

/// 64 hexadecimal digits.
std::string sha256(std::string_view data);

}  // namespace ulna::generate
