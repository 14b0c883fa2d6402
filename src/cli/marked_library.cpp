#include "cli/marked_library.hpp"

#include <fstream>
#include <string_view>
#include <system_error>

#include "cli/command_error.hpp"
#include "driver/search/mark.hpp"

namespace nvmlkit::cli {

std::shared_ptr<const std::string> read_marked(const std::filesystem::path& library) {
  std::error_code error;
  const auto size = std::filesystem::file_size(library, error);
  const auto read = std::make_shared<std::string>(error ? 0 : size, '\0');
  auto& bytes = *read;
  std::ifstream file(library, std::ios::binary);
  if (error || !file.read(bytes.data(), static_cast<std::streamsize>(size)))
    throw CommandError(sim::unusable_file(library.string(), "cannot be read"));

  constexpr driver::search::Mark kMark;
  const std::string_view name(kMark.name, sizeof kMark.name);
  const auto at = bytes.find(name);
  if (at == bytes.npos || bytes.find(name, at + 1) != bytes.npos)
    throw CommandError(sim::unusable_file(library.string(), "is no driver library of this version of nvmlkit"));
  bytes[at + name.size()] = driver::search::Mark::kSet;
  return read;
}

}  // namespace nvmlkit::cli
