#include "cli/marked_library.hpp"

#include <cerrno>
#include <string_view>

#include "cli/command_error.hpp"
#include "driver/search/mark.hpp"
#include "node/source.hpp"

namespace nvmlkit::cli {

root::Copy marked_copy(const std::filesystem::path& library) try {
  static constexpr driver::search::Mark kMark;
  constexpr std::string_view kText(kMark.name, sizeof kMark.name);
  root::Copy copy{library, 0644, root::Patch{kText, driver::search::Mark::kSet}};
  const node::Source tried(copy);
  return copy;
} catch (const std::filesystem::filesystem_error& error) {
  throw CommandError(sim::unusable_file(library.string(), error.code().value() == EINVAL
                                                              ? "is no driver library of this version of nvmlkit"
                                                              : error.code().message()));
}

}  // namespace nvmlkit::cli
