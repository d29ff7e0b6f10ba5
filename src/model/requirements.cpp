#include "ulna/model/internal/requirements.hpp"

#include <fmt/format.h>

namespace ulna {

void require_loops(const Model& model, const std::string& element, const std::string& so,
                   const std::string& expected) {
  if (!model.is_tree()) return;
  throw InputError(Problem{
      {}, element, fmt::format("robot '{}' has no loops{}", model.name(), so), expected, {}});
}

void require_flexible(const Model& model, const std::string& element) {
  if (model.flexible()) return;
  throw InputError(Problem{{},
                           element,
                           fmt::format("robot '{}' is rigid", model.name()),
                           "a robot with flexible bodies",
                           {}});
}

void refuse_word(const std::string& element, const std::string& word,
                 const std::vector<std::string>& known) {
  throw InputError(Problem{{},
                           element,
                           fmt::format("'{}' found", word),
                           fmt::format("{}{}", known.size() > 2 ? "one of " : "",
                                       fmt::join(known, known.size() > 2 ? ", " : " or ")),
                           nearest_name_hint(word, known)});
}

}  // namespace ulna
