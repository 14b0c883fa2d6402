// The output of nvidia-smi as a tree: the same shape for the text of `-q` and the XML of `-q -x`.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlkit::smi_log {

struct Place {
  std::string file;
  std::uint32_t line = 0;  // from 1; 0 = the file as a whole

  std::string text() const { return line > 0 ? file + ":" + std::to_string(line) : file; }
};

// Input that cannot be used. what() is one line that begins with FILE:LINE.
struct Refused : std::runtime_error {
  Refused(const Place& place, const std::string& message) : runtime_error(place.text() + ": " + message) {}
};

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
