// A tree of files in memory, to be written as a whole.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <variant>

namespace nvmlkit::root {

struct Text {
  std::string text;
  unsigned int mode = 0444;

  bool operator==(const Text&) const = default;
};
struct Link {
  std::string target;

  bool operator==(const Link&) const = default;
};
// The file itself, not what it links to.
struct Copy {
  std::filesystem::path from;
  unsigned int mode = 0755;

  bool operator==(const Copy&) const = default;
};
// A character device. Where this user may make none, an empty file stands in its place.
struct Node {
  unsigned int major, minor, mode;

  bool operator==(const Node&) const = default;
};

using Entry = std::variant<Text, Link, Copy, Node>;
// By the path below the root, without a slash in front.
using Tree = std::map<std::string, Entry>;

// Makes the file, which is not there yet, in a folder that is. Throws std::filesystem::filesystem_error. A reader may
// see half of it: `src/node/` makes it elsewhere and moves it to its place.
void write(const Entry& entry, const std::filesystem::path& path);

// Makes every file, in a folder without them.
void write(const Tree& tree, const std::filesystem::path& root);

// A link at `path` to `target`, both below the root, as a path that holds wherever the root is.
Link link_between(const std::string& path, const std::string& target);

}  // namespace nvmlkit::root
