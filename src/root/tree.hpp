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
};
struct Link {
  std::string target;
};
// The file itself, not what it links to.
struct Copy {
  std::filesystem::path from;
  unsigned int mode = 0755;
};
// A character device. Where this user may make none, an empty file stands in its place.
struct Node {
  unsigned int major, minor, mode;
};

// By the path below the root, without a slash in front.
using Tree = std::map<std::string, std::variant<Text, Link, Copy, Node>>;

// Throws std::filesystem::filesystem_error.
void write(const Tree& tree, const std::filesystem::path& root);

// A link at `path` to `target`, both below the root, as a path that holds wherever the root is.
Link link_between(const std::string& path, const std::string& target);

}  // namespace nvmlkit::root
