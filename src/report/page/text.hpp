#pragma once
// Names from files as text in XML and HTML: whatever they hold, they show as text.

#include <string>
#include <string_view>

namespace ulna {

/// Valid UTF-8 without control characters; what is neither becomes U+FFFD.
std::string clean_utf8(std::string_view text);
/// clean_utf8, with & < > " ' as entities.
std::string xml_escaped(std::string_view text);
/// At most `most` characters, the last of them an ellipsis when it was cut.
std::string shortened(const std::string& utf8, int most);
/// The same with the ellipsis in the middle, for names that differ at their ends.
std::string shortened_inside(const std::string& utf8, int most);
/// Characters of valid UTF-8.
int characters(std::string_view utf8);

}  // namespace ulna
