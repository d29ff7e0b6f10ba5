#include "ulna/formats/import_report.hpp"

#include <fmt/format.h>

#include "problems.hpp"
#include "ulna/numerics/internal/visible_text.hpp"

namespace ulna {

std::string ImportNote::text() const {
  std::string out;
  if (where.line > 0) out += fmt::format("line {}: ", where.line);
  if (!element.empty()) out += element + ": ";
  return visible(out + what);
}

void refuse_losses(const ImportReport& report) {
  Problems problems;
  const std::string hint = "strict reading refuses this; read without --strict to accept it";
  for (const ImportNote& note : report.changed)
    problems.add(note.where, note.element, note.what, {}, hint);
  for (const ImportNote& note : report.ignored)
    problems.add(note.where, note.element, note.what, {}, hint);
  problems.throw_if_any();
}

}  // namespace ulna
