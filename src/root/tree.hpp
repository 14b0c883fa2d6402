// A tree of files in memory, to be written as a whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
// Another value for the byte after `text`. The file holds the text once; the text lives for ever.
struct Patch {
  std::string_view text;
  char value;

  bool operator==(const Patch&) const = default;
};
// The file itself, not what it links to.
struct Copy {
  std::filesystem::path from;
  unsigned int mode = 0755;
  std::optional<Patch> patch = std::nullopt;

  bool operator==(const Copy&) const = default;
};
// A character device. Where this user may make none, an empty file stands in its place.
struct Node {
  unsigned int major, minor, mode;

  bool operator==(const Node&) const = default;
};

// A folder that may be empty. Those of other entries need none.
struct Directory {
  unsigned int mode = 0755;

  bool operator==(const Directory&) const = default;
};

using Entry = std::variant<Text, Link, Copy, Node, Directory>;
// By the path below the root, without a slash in front.
using Tree = std::map<std::string, Entry>;

// A link at `path` to `target`, both below the root, as a path that holds wherever the root is.
Link link_between(const std::string& path, const std::string& target);

// A folder of the tree, to put files of one line into it.
class Place {
 public:
  Place(Tree& tree, std::string path) : tree_(tree), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  Place below(std::string_view name) const { return {tree_, path_ + "/" + std::string(name)}; }

  // The kernel ends a value with a new line.
  void add(std::string_view name, std::string_view value, unsigned int mode = 0444) const;
  void add(std::string_view name, std::uint64_t value) const { add(name, std::to_string(value)); }
  void add_bytes(std::string_view name, std::string bytes, unsigned int mode = 0444) const;
  void link(std::string_view name, const std::string& target) const;

 private:
  Tree& tree_;
  std::string path_;
};

}  // namespace nvmlkit::root
