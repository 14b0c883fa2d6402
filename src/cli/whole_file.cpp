#include "cli/whole_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace nvmlkit::cli {
namespace fs = std::filesystem;

void write_whole(const fs::path& path, const std::string& text) {
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  // Programs that read a folder leave out hidden files. One name for all processes: a killed one leaves no more than
  // this.
  const auto temporary = path.parent_path() / fmt::format(".{}.new", path.filename().string());
  std::ofstream stream(temporary, std::ios::binary);
  if (!(stream << text).flush())
    throw fs::filesystem_error("cannot be written", path, {errno, std::generic_category()});
  stream.close();
  fs::permissions(temporary, static_cast<fs::perms>(0644));
  fs::rename(temporary, path);
}

}  // namespace nvmlkit::cli
