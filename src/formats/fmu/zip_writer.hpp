#pragma once
// A ZIP archive in memory. Its entries are deflated where Ulna was built with zlib and that makes
// them shorter.

#include <cstdint>
#include <string>
#include <vector>

namespace ulna {

class ZipWriter {
 public:
  /// Names use slashes. InputError where the archive would pass 4 GB.
  void add(const std::string& name, const std::string& content);
  /// The whole archive.
  std::string finish() const;

  struct Entry {
    std::string name;
    std::uint32_t crc, size, packed, offset;  ///< packed: its length in the archive
  };

 private:
  std::string data_;
  std::vector<Entry> entries_;
};

}  // namespace ulna
