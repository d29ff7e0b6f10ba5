#include "output/json_output.hpp"

#include "output/json_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "output/terminal.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::cli {
namespace {

using LibraryJson = nlohmann::ordered_json;

LibraryJson to_library(const Json& json);

struct ToLibrary {
  LibraryJson operator()(const Json::Array& items) const {
    LibraryJson list = LibraryJson::array();
    for (const Json& item : items) list.push_back(to_library(item));
    return list;
  }
  LibraryJson operator()(const Json::Object& members) const {
    LibraryJson object = LibraryJson::object();
    for (const auto& [key, value] : members) object[key] = to_library(value);
    return object;
  }
  LibraryJson operator()(const auto& scalar) const { return scalar; }
};

LibraryJson to_library(const Json& json) { return std::visit(ToLibrary{}, json.value()); }

Json from_library(const LibraryJson& value) {
  switch (value.type()) {
    case LibraryJson::value_t::boolean:
      return value.get<bool>();
    case LibraryJson::value_t::number_integer:
      return value.get<std::int64_t>();
    case LibraryJson::value_t::number_unsigned:
      return value.get<std::uint64_t>();
    case LibraryJson::value_t::number_float:
      return value.get<double>();
    case LibraryJson::value_t::string:
      return value.get<std::string>();
    case LibraryJson::value_t::array: {
      Json list = Json::array();
      for (const LibraryJson& item : value) list.push_back(from_library(item));
      return list;
    }
    case LibraryJson::value_t::object: {
      Json object = Json::object();
      for (const auto& [key, item] : value.items()) object[key] = from_library(item);
      return object;
    }
    default:
      return {};
  }
}

// A member as it is written in a list of members: {"key", value}.
bool is_member(const Json& json) {
  const auto* pair = std::get_if<Json::Array>(&json.value());
  return pair && pair->size() == 2 && std::holds_alternative<std::string>((*pair)[0].value());
}

}  // namespace

Json::Json(std::nullptr_t) noexcept : value_(nullptr) {}
Json::Json(double number) : value_(number) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(Value value) : value_(std::move(value)) {}

Json::Json(std::initializer_list<Json> list) {
  if (!std::all_of(list.begin(), list.end(), is_member)) {
    value_ = Array(list);
    return;
  }
  value_ = Object();
  for (const Json& member : list) {
    const Array& pair = std::get<Array>(member.value_);
    (*this)[std::get<std::string>(pair[0].value_)] = pair[1];
  }
}

Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json Json::array(std::initializer_list<Json> list) { return Json(Value(Array(list))); }

Json Json::object() { return Json(Value(Object())); }

Json& Json::operator[](const std::string& key) {
  if (std::holds_alternative<std::nullptr_t>(value_)) value_ = Object();
  Object& members = std::get<Object>(value_);
  for (auto& [name, value] : members)
    if (name == key) return value;
  return members.emplace_back(key, Json()).second;
}

void Json::push_back(Json item) {
  if (std::holds_alternative<std::nullptr_t>(value_)) value_ = Array();
  std::get<Array>(value_).push_back(std::move(item));
}

Json json_object() {
  Json out;
  out["ulna"] = 1;
  return out;
}

Json parse_json(const std::string& text) { return from_library(LibraryJson::parse(text)); }

std::optional<Json> json_from(const std::string& text) {
  const LibraryJson parsed = LibraryJson::parse(text, nullptr, false);
  if (parsed.is_discarded()) return {};
  return from_library(parsed);
}

Json to_json(const Eigen::Ref<const Eigen::VectorXd>& values) {
  Json list = Json::array();
  for (const double x : values) list.push_back(x);
  return list;
}

Json matrix_to_json(const Eigen::Ref<const Eigen::MatrixXd>& values) {
  Json rows = Json::array();
  for (Eigen::Index row = 0; row < values.rows(); ++row)
    rows.push_back(to_json(values.row(row).transpose()));
  return rows;
}

Json limits_to_json(const Eigen::Ref<const Eigen::VectorXd>& values) {
  Json list = Json::array();
  for (const double x : values) list.push_back(std::isfinite(x) ? Json(x) : Json());
  return list;
}

std::string json_text(const Json& value) {
  // Names come from files: bytes that are not UTF-8 are replaced.
  return to_library(value).dump(-1, ' ', false, LibraryJson::error_handler_t::replace);
}

void print_json(const Json& object) { print(json_text(object) + "\n"); }

void require_finite(const Eigen::Ref<const Eigen::MatrixXd>& values, const std::string& what) {
  if (!values.allFinite())
    throw ComputationError(fmt::format("{} is not finite: numbers this large overflow", what));
}

}  // namespace ulna::cli
