#pragma once
// A few statements of C that are the same for every column of a robot: traced once with symbols for
// the entries of a column and written on the vector type `lanes`, one column in each lane
// (column_form.hpp).
//
//   LaneBlock block;
//   const Expressions s = block.columns("s", 6);       // s[0..5] of the columns at hand
//   block.put("twice", {s[0] + s[0]});                 // twice[0] of the same columns
//   block.text("    ");

#include <memory>
#include <string>

#include "trace/tracing.hpp"

namespace ulna::generate {

class LaneBlock {
 public:
  /// Scalar statements instead, for what differs from column to column.
  enum class Of { lanes, scalars };
  explicit LaneBlock(Of of = Of::lanes);

  /// Rows of an array, at the lanes of the columns at hand: ULNA_AT(name[k]).
  Expressions columns(const std::string& array, int rows);
  /// Rows of an array at column i, the same number for all lanes: name[k][i].
  Expressions of_column_i(const std::string& array, int rows);
  /// Entries of an array by their number: name[k].
  Expressions entries(const std::string& array, int count);

  /// Rows of an array get values at the columns at hand.
  void put(const std::string& array, const Expressions& values);
  /// Entries of an array, or a variable declared before, get values.
  void put_entries(const std::string& array, const Expressions& values);
  void put_variable(const std::string& name, const Expression& value);

  std::string text(const std::string& indent) const;
  OperationCount operations() const { return function_.operations(); }

 private:
  Expressions inputs(const std::string& format, int count);
  void outputs(const std::string& format, const Expressions& values);

  Of of_;
  TracedFunction function_;
  Graph::Scope scope_;
};

/// vec3, and what the kernels make of them, from six expressions and back.
inline Spatial<Expression> spatial(const Expressions& x, std::size_t first = 0) {
  return {{x[first], x[first + 1], x[first + 2]}, {x[first + 3], x[first + 4], x[first + 5]}};
}
inline Expressions list(const Spatial<Expression>& x) {
  return {x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z};
}

}  // namespace ulna::generate
