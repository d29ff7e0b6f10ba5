#pragma once
// Straight-line code from a traced function, for any language: statements get names, values used
// once are written where they are used, and long functions are cut into parts. A language says how
// its numbers, elements and calls look (Syntax).
//
// Names say where a value comes from: s3 and c34 are the sine of q3 and the cosine of q3 + q4
// (counted from one), q34 the sum itself; a minus is an m: c3m4; a constant offset an o: s3o.
// Quantities of mechanics have their own (landmarks.hpp): w3_x; other values are x1, x2, ... in
// order. Values that a later part needs are kept in an array m.

#include <functional>
#include <string>
#include <vector>

#include "ulna/generate/traced_function.hpp"

namespace ulna::generate {

struct Syntax {
  std::function<std::string(double)> number;  ///< of a number that is not negative
  std::function<std::string(const Argument&, int)> element;
  std::function<std::string(const std::string&)> sine, cosine, root;
  /// x where a < b, else y.
  std::function<std::string(const std::string& a, const std::string& b, const std::string& x,
                            const std::string& y)>
      choose;
  std::function<std::string(const std::string&name, const std::string&value)> declare, assign;
  std::function<std::string(const std::string& above, const std::string& below)> divide;
  std::string times = "*";
  std::function<std::string(const std::string&)> name;  ///< of a value; as it is when empty
  std::function<std::string(int)> memory;               ///< an element of m
  std::size_t width = 78;                               ///< values up to this length are written in
};

/// Shortest text that reads back as the same number, always with a point or an exponent.
std::string number_text(double value);

class CodeWriter {
 public:
  /// Parts hold at most `most` statements; 0: one part whatever its length.
  CodeWriter(const TracedFunction& function, Syntax syntax, std::size_t most);

  int parts() const { return parts_; }
  /// Length of the array m.
  int memory() const { return memory_; }
  /// Lines of one part, in order of execution. Parts must be asked for in order.
  std::vector<std::string> lines(int part);
  /// Whether a part reads or writes an argument; those of the whole function for part -1.
  bool uses(int part, const Argument& argument) const;
  const OperationCount& operations() const { return operations_; }

 private:
  /// Text of a value with its sign apart. Rank: 0 sum, 1 product, 2 anything that binds tighter.
  struct Text {
    bool negative = false;
    std::string body;
    int rank = 2;
  };
  struct Value {
    int uses = 0;
    int part = 0;
    int last_part = 0;  ///< that uses it
    int slot = -1;      ///< in m
    bool written_in = false;
    std::string name;
    Text text;  ///< when written in
  };

  void count_uses();
  void cut(std::size_t most);
  void name_values();
  /// The name of what a statement computes; nothing when the function has no landmarks.
  std::function<std::string(std::uint32_t)> meanings() const;
  std::string angle_name(std::uint32_t id) const;
  std::string angle_terms(const Expression& e, bool& known, bool& wide) const;
  const Argument& argument_of(std::uint32_t input, int& index) const;

  bool may_be_written_in(std::uint32_t id, const Text& text) const;
  std::string reference(std::uint32_t id) const;
  Text operand(const Expression& e) const;
  Text text_of(const Node& node) const;
  Text sum(Text a, Text b) const;
  Text product(Text a, Text b) const;
  std::string plain(const Text& text) const;
  std::string wrapped(const Text& text, int least_rank) const;

  const TracedFunction& function_;
  Syntax syntax_;
  Program program_;
  OperationCount operations_;
  std::vector<Value> values_;
  std::vector<std::vector<std::uint32_t>> outputs_of_part_;
  std::vector<std::vector<char>> used_;  ///< by part and argument, inputs first
  int parts_ = 1, memory_ = 0, next_ = 1;
};

}  // namespace ulna::generate
