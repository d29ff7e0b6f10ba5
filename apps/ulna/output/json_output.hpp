#pragma once
// The JSON of `--json`: one object on one line, keys in the order they were set, every number with
// full precision, never NaN. Json is a plain value that this header can declare without the JSON
// library, which takes seconds to compile; json_output.cpp prints it with that library.

#include <Eigen/Core>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ulna::cli {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;
  using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string,
                             Array, Object>;

  Json(std::nullptr_t = nullptr) noexcept;
  Json(double number);
  Json(const char* text);
  Json(std::string text);
  template <std::integral Integer>
  Json(Integer number) : Json(widened(number)) {}
  template <class T>
  Json(const std::vector<T>& list) : Json(array()) {
    for (const auto& item : list) push_back(item);
  }
  /// {{"key", value}, ...} is an object; any other list is an array.
  Json(std::initializer_list<Json> list);

  // Not inline: every command makes and drops many of these.
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  static Json array(std::initializer_list<Json> list = {});
  static Json object();

  /// The member of that name, null when it is new. Null becomes an object.
  Json& operator[](const std::string& key);
  /// Null becomes an array.
  void push_back(Json item);

  const Value& value() const { return value_; }

 private:
  explicit Json(Value value);

  template <std::integral Integer>
  static Value widened(Integer number) {
    if constexpr (std::same_as<Integer, bool>)
      return number;
    else if constexpr (std::signed_integral<Integer>)
      return std::int64_t{number};
    else
      return std::uint64_t{number};
  }

  Value value_;
};

/// An object that holds the version of these formats, "ulna": 1.
Json json_object();
/// The value that a JSON text holds.
Json parse_json(const std::string& text);

Json to_json(const Eigen::Ref<const Eigen::VectorXd>& values);
/// Rows of numbers.
Json matrix_to_json(const Eigen::Ref<const Eigen::MatrixXd>& values);
/// Infinite entries (no limit) become null.
Json limits_to_json(const Eigen::Ref<const Eigen::VectorXd>& values);

/// On one line, without its end.
std::string json_text(const Json& value);
void print_json(const Json& object);

/// ComputationError when an entry overflowed: a result must be a number.
void require_finite(const Eigen::Ref<const Eigen::MatrixXd>& values, const std::string& what);

}  // namespace ulna::cli
