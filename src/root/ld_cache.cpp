#include "root/ld_cache.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "root/processor.hpp"

namespace nvmlkit::root {
namespace {

// The format of glibc since 2.2, as 2.32 and later write it: nothing of the older format in front.
constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
constexpr std::size_t kHeaderSize = 48, kEntrySize = 24;
constexpr char kLittleEndian = 2;
// A library of the GNU C library 2, of the 64-bit calling convention.
#ifdef __aarch64__
constexpr std::uint32_t kLibraryFlags = 0x0a03;
#else
constexpr std::uint32_t kLibraryFlags = 0x0303;
#endif

struct Library {
  std::string name, path;
};

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

// The loader's own order: runs of digits count as numbers, and are behind all other letters.
int compare(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) != is_digit(b[0])) return is_digit(a[0]) ? 1 : -1;
    if (is_digit(a[0])) {
      const auto number = [](std::string_view& text) {
        unsigned long long value = 0;
        for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1))
          value = value * 10 + static_cast<unsigned>(text[0] - '0');
        return value;
      };
      const auto first = number(a), second = number(b);
      if (first != second) return first < second ? -1 : 1;
    } else {
      if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
      a.remove_prefix(1), b.remove_prefix(1);
    }
  }
  return a.empty() == b.empty() ? 0 : a.empty() ? -1 : 1;
}

bool is_searched(const std::filesystem::path& folder) {
  return folder == "usr/lib" || folder == "usr/lib64" || folder == kLibraryFolder;
}

// A file that has links beside it is known by their names, as the loader's own tool has it.
std::vector<Library> libraries_of(const Tree& tree) {
  std::set<std::string> linked;
  for (const auto& [path, entry] : tree)
    if (const auto* link = std::get_if<Link>(&entry))
      linked.insert((std::filesystem::path(path).parent_path() / link->target).lexically_normal().string());
  std::vector<Library> out;
  for (const auto& [text, entry] : tree) {
    const std::filesystem::path path(text);
    const auto name = path.filename().string();
    const bool is_library = name.starts_with("lib") && name.find(".so") != std::string::npos;
    if (!is_searched(path.parent_path()) || !is_library || std::holds_alternative<Directory>(entry)) continue;
    if (std::holds_alternative<Link>(entry) || !linked.contains(text)) out.push_back({name, "/" + text});
  }
  std::sort(out.begin(), out.end(),
            [](const Library& a, const Library& b) { return compare(a.name, b.name) > 0; });  // the highest first
  return out;
}

void append(std::string& out, std::uint32_t value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

}  // namespace

void add_ld_cache(Tree& tree) {
  const auto libraries = libraries_of(tree);
  std::string entries, strings;
  const auto place_of = [&](const std::string& text) {
    const auto place = kHeaderSize + libraries.size() * kEntrySize + strings.size();
    strings += text + '\0';
    return static_cast<std::uint32_t>(place);
  };
  for (const auto& library : libraries) {
    append(entries, kLibraryFlags);
    append(entries, place_of(library.name));
    append(entries, place_of(library.path));
    for (int i = 0; i < 3; ++i) append(entries, 0);  // no kernel version, no capability of the CPU
  }
  std::string cache(kMagic);
  append(cache, static_cast<std::uint32_t>(libraries.size()));
  append(cache, static_cast<std::uint32_t>(strings.size()));
  cache += kLittleEndian;
  cache.resize(kHeaderSize, '\0');  // no extension
  tree["etc/ld.so.cache"] = Text{cache + entries + strings, 0644};
}

}  // namespace nvmlkit::root
