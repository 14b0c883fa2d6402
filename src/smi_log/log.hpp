// The output of nvidia-smi as a tree: the same shape for the text of `-q` and the XML of `-q -x`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/problem/problem.hpp"

namespace nvmlkit::smi_log {

using sim::Expected;
using sim::Place;

// Input that cannot be used.
inline detail::unexpected<sim::Problem> refuse(Place place, Prose what) {
  return sim::fail(sim::Problem{.kind = sim::ProblemKind::syntax, .what = std::move(what), .place = std::move(place)});
}

struct Node {
  std::string name;   // "FB Memory Usage", or the XML tag
  std::string value;  // empty for a group
  std::uint32_t line = 0;
  std::vector<Node> children;

  const Node* find(std::string_view child) const {
    for (const auto& node : children)
      if (node.name == child) return &node;
    return nullptr;
  }
};

enum class Format : std::uint8_t { text, xml };

// One output of `nvidia-smi -q`. The children of its root are the values of the host and, named "GPU" (text) or "gpu"
// (XML) with the PCI address as value, the GPUs.
struct Log {
  Format format;
  std::string file;
  Node root;
};

std::string_view trim(std::string_view text);

}  // namespace nvmlkit::smi_log
