#include "page/page_data.hpp"

#include <cstring>
#include <nlohmann/json.hpp>

#include "page/page.hpp"
#include "page/robot_json.hpp"
#include "page/text.hpp"
#include "ulna/report/report.hpp"

namespace ulna {

using Json = nlohmann::ordered_json;

bool has_report_page() { return page_template[0] != '\0'; }

// '<' never appears, so that nothing in the data can end the element it stands in.
std::string script_safe(const Json& data) {
  std::string out;
  for (const char c : data.dump(-1, ' ', true, Json::error_handler_t::replace))
    c == '<' ? out += "\\u003c" : out += c;
  return out;
}

Json head_json(const char* kind, const Model& model, const std::string& title) {
  Json out;
  out["ulna"] = 1;
  out["kind"] = kind;
  out["title"] = clean_utf8(title);
  out["robot"] = robot_json(model);
  return out;
}

std::string page_with(const std::string& title, const std::string& data,
                      const std::string& script) {
  if (!has_report_page())
    throw ComputationError(
        "this Ulna was built without the page of the report: npm was missing or could not fetch "
        "its "
        "packages; install npm and build again");
  std::string page = page_template;
  const auto replace = [&](const char* mark, const std::string& text) {
    const std::size_t at = page.find(mark);
    if (at == std::string::npos)
      throw ComputationError("the page of the report has no place for its data");
    page.replace(at, std::strlen(mark), text);
  };
  // From the end, so that no mark is looked for in what was put in.
  replace("@ULNA_KINEMATICS@", script);
  replace("@ULNA_DATA@", data);
  replace("@ULNA_TITLE@", xml_escaped(title));
  return page;
}

}  // namespace ulna
