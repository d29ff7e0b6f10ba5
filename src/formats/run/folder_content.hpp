#pragma once
// Folders of results: they appear complete or not at all, and only what is ours is ever removed.

#include <set>
#include <string>

namespace ulna {

/// Which files a folder may hold, and what it is, for messages: "run".
struct FolderContent {
  const char* what;
  std::set<std::string> files;
};

/// InputError unless the folder is absent or holds nothing but these files.
void require_only(const std::string& folder, const FolderContent& content);

/// Puts the folder `made` into the place of `directory`, in one step where the file system can
/// exchange names. An earlier one there is removed; nothing else is.
void put_in_place(const std::string& made, const std::string& directory,
                  const FolderContent& content);

}  // namespace ulna
