#pragma once
// The text of a column form as it grows (column_form.hpp): arrays with a row per component and a
// column per joint, blocks of statements on them, tables of constants.

#include <string>
#include <vector>

#include "compile/lane_block.hpp"

namespace ulna::generate {

class ColumnCode {
 protected:
  ColumnCode(const Model& model, const TracedFunction& described);

  void add(const std::string& line) { body_ += "  " + line + "\n"; }
  void array(const char* name, int rows);
  /// For the columns at hand, pack after pack.
  void add_block(const LaneBlock& block);
  void add_scalars(const LaneBlock& block);
  /// `call` for every row c.
  void sums(const std::string& call, int rows);
  /// An argument by speeds into a row.
  void take(const char* row, const char* argument);
  void count(const OperationCount& each, int times);

  /// A number per column. Zeros everywhere need no table; nor do equal numbers, where it does no
  /// harm that lanes without a column have them too.
  Expression constant(LaneBlock& block, const std::string& name, const std::vector<double>& values,
                      bool may_pad = false);
  template <class Get>
  std::vector<double> of_nodes(Get get) const {
    std::vector<double> out;
    for (int i = 1; i <= n_; ++i) out.push_back(get(i));
    return out;
  }

  /// Added to diagonals. In the formats {0} is a column and {1} its place in a matrix by speeds.
  void rotors(const std::string& format);
  void passive_slopes(const std::string& q_format, const std::string& v_format);

  /// All of it, as a function of C.
  std::string text() const;

  const Model& model_;
  const TracedFunction& described_;
  const std::vector<TreeNode>& nodes_;
  const int n_;
  Parameters<Expression> parameters_;  ///< grouped: numbers
  std::vector<int> speed_;             ///< of each column
  bool in_order_ = true;               ///< columns are in the order of speeds
  bool chain_ = true;                  ///< every column carries the next
  std::string tables_, body_;
  OperationCount operations_;

 private:
  void make_tables();
  std::string entry(const std::string& format, int column) const;
};

}  // namespace ulna::generate
