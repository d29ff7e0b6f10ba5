#include "run/folder_content.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "ulna/numerics/error.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

/// Removes these files and then the folder, if that leaves it empty: what is not ours stays.
void remove_files(const std::string& folder, const FolderContent& content) {
  std::error_code error;
  for (const std::string& name : content.files)
    for (const char* suffix : {"", ".new"}) fs::remove(fs::path(folder) / (name + suffix), error);
  fs::remove(folder, error);
}

/// A folder beside `directory` that did not exist before.
std::string new_folder_beside(const std::string& directory) {
  std::string name = directory + ".replaced-XXXXXX";
  if (!mkdtemp(name.data()))
    throw ComputationError(fmt::format("{}: cannot be written: {}", name, std::strerror(errno)));
  return name;
}

}  // namespace

void require_only(const std::string& folder, const FolderContent& content) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status))
    throw InputError(
        Problem{{folder}, {}, "is a file", fmt::format("a folder for the {}", content.what), {}});
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    if (name.ends_with(".new")) name.resize(name.size() - 4);
    if (!content.files.count(name))
      throw InputError(
          Problem{{folder},
                  {},
                  fmt::format("holds {}, which is not part of a {}", in_quotes(name), content.what),
                  fmt::format("a folder that does not exist yet, or an earlier {}", content.what),
                  "name another folder"});
  }
}

void put_in_place(const std::string& made, const std::string& directory,
                  const FolderContent& content) {
  const auto moved = [](const std::string& from, const std::string& to) {
    return std::rename(from.c_str(), to.c_str()) == 0;
  };
  std::error_code error;
  bool placed = false;
  if (!fs::exists(directory, error)) {
    placed = moved(made, directory);
  } else {
    const std::string aside = new_folder_beside(directory);
    if (renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, directory.c_str(), RENAME_EXCHANGE) == 0)
      placed = moved(made, aside);  // now the earlier one
    else
      placed = moved(directory, aside) && moved(made, directory);
    if (placed) remove_files(aside, content);
  }
  if (!placed)
    throw ComputationError(fmt::format("{}: the {} is complete but cannot be renamed: {}", made,
                                       content.what, std::strerror(errno)));
}

}  // namespace ulna
