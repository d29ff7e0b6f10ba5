#pragma once
// What the title of a column in a log means for a model: "q.elbow", "elbow_position [deg]",
// "actual_q_0", "time_ms".

#include <optional>
#include <string>
#include <vector>

#include "ulna/model/internal/quantity.hpp"
#include "ulna/model/model.hpp"

namespace ulna {

/// The kinds of what a log may hold.
enum class LogKind { time, q, v, a, tau };

/// A title without its unit, and the unit.
struct TitleParts {
  std::string name, unit;
};
TitleParts title_parts(const std::string& title);
/// A title that ends in its unit without brackets: "time_ms", "elbow_deg", "M elbow Nm". Without a
/// unit where it does not.
TitleParts parts_without_brackets(const TitleParts& title);

/// What a title may mean. `rest`: words that say nothing.
struct Reading {
  LogKind kind;
  int place = -1;   ///< by name
  int number = -1;  ///< by number
  std::size_t rest = 0;
  bool said = false;  ///< whether a word said the kind
  std::string unit = {};
};

std::optional<Reading> reading_of(const Model& model, const std::string& title);

/// Of coordinates, or of speeds.
const std::vector<std::string>& names_for(const Model& model, LogKind kind);
/// What a column of this kind measures; null for quaternions and the like.
const Quantity* quantity_of(const Model& model, LogKind kind, int place);

bool unit_fits(const Model& model, LogKind kind, int place, const std::string& unit);

}  // namespace ulna
