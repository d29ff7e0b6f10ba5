#pragma once
// A ZIP archive in memory, its entries stored as they are.

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

 private:
  struct Entry {
    std::string name;
    std::uint32_t crc, size, offset;
  };
  std::string data_;
  std::vector<Entry> entries_;
};

}  // namespace ulna
