#include "fmu/zip_writer.hpp"

#ifdef ULNA_ZLIB
#include <zlib.h>
#endif

#include <array>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

void put(std::string& to, std::uint32_t value, int bytes) {
  for (int k = 0; k < bytes; ++k) to += static_cast<char>((value >> (8 * k)) & 0xff);
}

/// Of ISO 3309, with the polynomial reversed.
std::uint32_t crc32_of(const std::string& content) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t n = 0; n < 256; ++n) {
      std::uint32_t c = n;
      for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xedb88320u ^ (c >> 1) : c >> 1;
      made[n] = c;
    }
    return made;
  }();
  std::uint32_t crc = 0xffffffffu;
  for (const char x : content)
    crc = table[(crc ^ static_cast<unsigned char>(x)) & 0xff] ^ (crc >> 8);
  return crc ^ 0xffffffffu;
}

constexpr std::uint32_t first_day = 0x21;  // 1 January 1980: equal content gives equal archives

#ifdef ULNA_ZLIB
/// Deflated without zlib's own header; empty where that is not shorter.
std::string deflated(const std::string& content) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  std::string out(content.size(), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool shorter = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(shorter ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}
#else
std::string deflated(const std::string&) { return {}; }
#endif

/// What the two headers of an entry have in common.
void put_common(std::string& to, const ZipWriter::Entry& e) {
  put(to, 20, 2);                         // version needed
  put(to, 0x0800, 2);                     // names are UTF-8
  put(to, e.packed < e.size ? 8 : 0, 2);  // deflated or stored
  put(to, 0, 2);                          // midnight
  put(to, first_day, 2);
  put(to, e.crc, 4), put(to, e.packed, 4), put(to, e.size, 4);
  put(to, static_cast<std::uint32_t>(e.name.size()), 2);
  put(to, 0, 2);  // no further fields
}

}  // namespace

void ZipWriter::add(const std::string& name, const std::string& content) {
  constexpr std::size_t most = 0xf0000000u;
  if (data_.size() + content.size() > most)
    throw InputError("the archive would pass 4 GB", "smaller files");
  const std::string packed = deflated(content);
  const std::string& kept = packed.empty() ? content : packed;
  entries_.push_back({name, crc32_of(content), static_cast<std::uint32_t>(content.size()),
                      static_cast<std::uint32_t>(kept.size()),
                      static_cast<std::uint32_t>(data_.size())});
  put(data_, 0x04034b50, 4);
  put_common(data_, entries_.back());
  data_ += name;
  data_ += kept;
}

std::string ZipWriter::finish() const {
  std::string out = data_;
  for (const Entry& e : entries_) {
    put(out, 0x02014b50, 4);
    put(out, 0x0314, 2);  // made on Unix
    put_common(out, e);
    put(out, 0, 2), put(out, 0, 2), put(out, 0, 2);  // comment, disk, kind
    put(out, 0100644u << 16, 4);
    put(out, e.offset, 4);
    out += e.name;
  }
  const auto begin = static_cast<std::uint32_t>(data_.size());
  const auto length = static_cast<std::uint32_t>(out.size() - data_.size());
  const auto count = static_cast<std::uint32_t>(entries_.size());
  put(out, 0x06054b50, 4);
  put(out, 0, 2), put(out, 0, 2), put(out, count, 2), put(out, count, 2);
  put(out, length, 4), put(out, begin, 4), put(out, 0, 2);
  return out;
}

}  // namespace ulna
