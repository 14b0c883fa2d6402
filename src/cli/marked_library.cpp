#include "cli/marked_library.hpp"

#include <fstream>
#include <sstream>
#include <string_view>

#include "cli/command_error.hpp"
#include "driver/search/mark.hpp"

namespace nvmlkit::cli {

std::string read_marked(const std::filesystem::path& library) {
  std::ifstream file(library, std::ios::binary);
  std::ostringstream read;
  if (!(read << file.rdbuf())) throw CommandError(sim::unusable_file(library.string(), "cannot be read"));
  auto bytes = std::move(read).str();

  constexpr driver::search::Mark kMark;
  const std::string_view name(kMark.name, sizeof kMark.name);
  const auto at = bytes.find(name);
  if (at == bytes.npos || bytes.find(name, at + 1) != bytes.npos)
    throw CommandError(sim::unusable_file(library.string(), "is no driver library of this version of nvmlkit"));
  bytes[at + name.size()] = driver::search::Mark::kSet;
  return bytes;
}

}  // namespace nvmlkit::cli
