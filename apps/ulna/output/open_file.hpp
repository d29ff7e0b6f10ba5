#pragma once
// What the commands that write a page share: its name, the word that it was written, opening it.

#include <string>

namespace ulna::cli {

/// InputError unless the name ends in .html or .htm.
void require_html_name(const std::string& file);
/// "wrote FILE", or {"file": FILE}.
void say_written(const std::string& file, bool json);
/// Whether a window could be shown.
bool has_display();
/// By xdg-open, which is not waited for. A warning when there is none.
void open_in_browser(const std::string& file);

}  // namespace ulna::cli
