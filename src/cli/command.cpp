#include "cli/command.hpp"

#include <algorithm>

namespace nvmlkit::cli {

std::string CommandNode::full_name() const { return parent == nullptr ? word : parent->full_name() + " " + word; }

const CommandNode* CommandNode::child(std::string_view name) const {
  const auto found =
      std::find_if(children.begin(), children.end(), [&](const auto& each) { return each.word == name; });
  return found == children.end() ? nullptr : &*found;
}

}  // namespace nvmlkit::cli
