#include "root/needed.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "root/elf.hpp"
#include "root/processor.hpp"

namespace nvmlkit::root {
namespace fs = std::filesystem;
namespace {

// Where loaders look of themselves, on systems of either custom.
const fs::path kLibraryFolders[] = {
    fs::path("/lib") / kTriple, fs::path("/usr/lib") / kTriple, "/lib64", "/usr/lib64", "/lib", "/usr/lib"};

ElfNeeds needs_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return elf_needs({std::istreambuf_iterator<char>(file), {}});
}

fs::path find_library(const std::string& name, std::uint16_t machine, const fs::path& wanted_by) {
  for (const auto& folder : kLibraryFolders)
    if (std::error_code error; fs::is_regular_file(folder / name, error) && needs_of(folder / name).machine == machine)
      return folder / name;
  throw fs::filesystem_error("missing", wanted_by, std::error_code(ELIBACC, std::generic_category()));
}

}  // namespace

std::vector<fs::path> needed_by(const std::vector<fs::path>& files) {
  std::vector<fs::path> out, open(files);
  while (!open.empty()) {
    const auto file = open.back();
    open.pop_back();
    const auto needs = needs_of(file);
    std::vector<fs::path> found;
    if (!needs.interpreter.empty()) found.push_back(needs.interpreter);
    for (const auto& name : needs.libraries) {
      // The loader is a library, too, and has one place only.
      if (!name.starts_with("ld-linux")) found.push_back(find_library(name, needs.machine, file));
    }
    for (auto& path : found)
      if (std::find(out.begin(), out.end(), path) == out.end()) {
        out.push_back(path);
        open.push_back(std::move(path));
      }
  }
  return out;
}

void add_needed(Tree& tree, const std::vector<fs::path>& files) {
  for (const auto& file : needed_by(files)) {
    const auto below = file.relative_path();
    const auto place = *below.begin() == "usr" ? below : "usr" / below;
    tree.try_emplace(place.string(), Copy{fs::canonical(file)});
  }
}

}  // namespace nvmlkit::root
