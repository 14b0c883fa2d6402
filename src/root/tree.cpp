#include "root/tree.hpp"

namespace nvmlkit::root {
namespace fs = std::filesystem;

Link link_between(const std::string& path, const std::string& target) {
  return {fs::path("/" + target).lexically_relative(fs::path("/" + path).parent_path()).string()};
}

void Place::add(std::string_view name, std::string_view value, unsigned int mode) const {
  add_bytes(name, std::string(value) + "\n", mode);
}

void Place::add_bytes(std::string_view name, std::string bytes, unsigned int mode) const {
  tree_[below(name).path_] = Text{std::move(bytes), mode};
}

void Place::link(std::string_view name, const std::string& target) const {
  const auto from = below(name).path_;
  tree_[from] = link_between(from, target);
}

}  // namespace nvmlkit::root
