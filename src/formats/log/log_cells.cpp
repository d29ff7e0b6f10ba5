#include "log/log_cells.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include "text_file.hpp"  // trimmed
#include "ulna/numerics/internal/visible_text.hpp"

namespace ulna {
namespace {

std::optional<int> digits_in(std::string_view text) {
  int value = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || at != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// Three whole numbers with a sign between them.
std::optional<std::array<int, 3>> three_numbers(std::string_view text, char sign) {
  const std::size_t first = text.find(sign);
  const std::size_t second = first == text.npos ? first : text.find(sign, first + 1);
  if (second == text.npos) return std::nullopt;
  const auto a = digits_in(text.substr(0, first)),
             b = digits_in(text.substr(first + 1, second - first - 1)),
             c = digits_in(text.substr(second + 1));
  if (!a || !b || !c) return std::nullopt;
  return std::array{*a, *b, *c};
}

/// Days since 1970-01-01 of 2024-05-31, 2024/05/31 or 31.05.2024.
std::optional<double> days_of(std::string_view text) {
  for (const char sign : {'-', '/', '.'}) {
    const auto found = three_numbers(text, sign);
    if (!found) continue;
    auto [year, month, day] = *found;
    if (sign == '.') std::swap(year, day);
    const std::chrono::year_month_day date{std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (year < 1900 || year > 9999 || !date.ok()) return std::nullopt;
    return std::chrono::sys_days(date).time_since_epoch().count();
  }
  return std::nullopt;
}

std::optional<double> clock_time(std::string_view cell) {
  double days = 0;
  if (const std::size_t gap = cell.find_first_of("T "); gap != cell.npos) {
    const auto date = days_of(cell.substr(0, gap));
    if (!date) return std::nullopt;
    days = *date;
    cell = trimmed(cell.substr(gap + 1));
  }
  if (cell.ends_with('Z')) cell.remove_suffix(1);
  const std::size_t end = std::min(cell.find_first_of(".,"), cell.size());
  const auto time = three_numbers(cell.substr(0, end), ':');
  if (!time) return std::nullopt;
  const auto [hours, minutes, seconds] = *time;
  if (hours > 24 || minutes > 59 || seconds > 60) return std::nullopt;
  double fraction = 0;
  if (end < cell.size()) {
    const std::string digits = "0." + std::string(cell.substr(end + 1));
    const auto [at, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), fraction);
    if (error != std::errc() || at != digits.data() + digits.size()) return std::nullopt;
  }
  return 86400 * days + 3600.0 * hours + 60.0 * minutes + seconds + fraction;
}

bool says_that_there_is_none(std::string_view cell) {
  for (const std::string_view word : {"", "NaN", "nan", "NA", "-nan", "Inf", "inf", "-inf"})
    if (cell == word) return true;
  return false;
}

void append_utf8(std::string& out, unsigned long code) {
  const auto add = [&](unsigned long byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) return add(0xC0 | code >> 6), add(0x80 | (code & 0x3F));
  if (code < 0x10000) add(0xE0 | code >> 12);
  if (code >= 0x10000) add(0xF0 | code >> 18), add(0x80 | (code >> 12 & 0x3F));
  add(0x80 | (code >> 6 & 0x3F)), add(0x80 | (code & 0x3F));
}

std::string from_utf16(std::string_view text, bool low_byte_first) {
  const auto unit = [&](std::size_t k) {
    const auto a = static_cast<unsigned char>(text[k]), b = static_cast<unsigned char>(text[k + 1]);
    return low_byte_first ? a + 256UL * b : b + 256UL * a;
  };
  std::string out;
  for (std::size_t k = 2; k + 1 < text.size(); k += 2) {
    unsigned long code = unit(k);
    if (code >= 0xD800 && code < 0xDC00 && k + 3 < text.size()) {
      code = 0x10000 + ((code & 0x3FF) << 10) + (unit(k + 2) & 0x3FF);
      k += 2;
    }
    append_utf8(out, code);
  }
  return out;
}

bool is_utf8(const std::string& text) {
  for (std::size_t k = 0; k < text.size();) {
    const std::size_t length = utf8_length(text, k);
    if (length == 0) return false;
    k += length;
  }
  return true;
}

}  // namespace

std::optional<double> number_in(std::string_view cell, char decimal) {
  if (says_that_there_is_none(cell)) return NAN;
  std::string text(cell);
  if (decimal == ',' && text.find('.') == text.npos)
    if (const std::size_t comma = text.find(','); comma != text.npos) text[comma] = '.';
  if (decimal == '.' || cell.find('.') == cell.npos) {
    const char* first = text.data() + (text[0] == '+' ? 1 : 0);
    double value = 0;
    const auto [at, error] = std::from_chars(first, text.data() + text.size(), value);
    if (error == std::errc() && at == text.data() + text.size()) return value;
  }
  return clock_time(cell);
}

std::string as_utf8(std::string text) {
  if (text.starts_with("\xFF\xFE")) return from_utf16(text, true);
  if (text.starts_with("\xFE\xFF")) return from_utf16(text, false);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  if (is_utf8(text)) return text;
  std::string out;
  for (const char c : text) append_utf8(out, static_cast<unsigned char>(c));
  return out;
}

}  // namespace ulna
