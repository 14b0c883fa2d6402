// A YAML document with the place of every node. Anchors are shared, not copied: a small file stays small in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/error.hpp"

namespace nvmlkit::sim::config {

enum class Kind : std::uint8_t { scalar, sequence, mapping };

class Document;

// A node; cheap to copy, valid as long as its document.
class Node {
 public:
  Node() = default;
  Node(const Document& document, std::uint32_t index) : document_(&document), index_(index) {}

  explicit operator bool() const { return document_ != nullptr; }
  Kind kind() const;
  bool plain() const;  // a scalar without quotes
  std::string_view text() const;
  std::uint32_t line() const;
  std::uint32_t column() const;
  const std::string& file() const;
  std::uint32_t size() const;  // items of a sequence, entries of a mapping

  // The value of a key, merge keys included; no node if there is none.
  Node find(std::string_view key) const;

  [[noreturn]] void fail(std::string message) const;

  // null, ~, nothing, or N/A in any spelling of YAML
  bool absent() const;

  struct Entry;
  // Calls `visit(node)` for every item of a sequence.
  template <class Visit>
  void items(Visit&& visit) const;
  // Calls `visit(key, value)` for every entry of a mapping. Merge keys (<<) are resolved: their entries come behind the
  // mapping's own, and only where it lacks the key. A key may come twice; it is the caller who minds.
  template <class Visit>
  void entries(Visit&& visit) const;

 private:
  friend class Document;
  const Document* document_ = nullptr;
  std::uint32_t index_ = 0;
};

struct Node::Entry {
  Node key, value;
};

class Document {
 public:
  // Throws ConfigFailure: syntax, more than one document, nesting deeper than 64, unknown alias. `name` is what
  // messages call the file.
  static Document parse(std::string name, std::string_view text);

  // No node for a file without content.
  Node root() const { return nodes_.empty() ? Node() : Node(*this, 0); }

 private:
  friend class Node;
  friend class Builder;
  struct Record {
    Kind kind;
    bool plain;
    bool merges;  // a mapping with a merge key
    std::uint32_t line, column;
    std::uint32_t at, size;  // scalar: place in text_; else: place in links_, number of children
  };

  void flatten(std::uint32_t mapping, int depth, std::vector<Node::Entry>& out) const;

  std::string name_;
  std::string text_;
  std::vector<Record> nodes_;
  std::vector<std::uint32_t> links_;  // children; of mappings key, value, key, value
  mutable std::size_t merge_work_ = 0;
};

template <class Visit>
void Node::items(Visit&& visit) const {
  const auto& record = document_->nodes_[index_];
  for (std::uint32_t i = 0; i < record.size; ++i) visit(Node(*document_, document_->links_[record.at + i]));
}

template <class Visit>
void Node::entries(Visit&& visit) const {
  const auto& record = document_->nodes_[index_];
  if (record.merges) {
    std::vector<Entry> flat;
    document_->flatten(index_, 0, flat);
    for (const auto& entry : flat) visit(entry.key, entry.value);
    return;
  }
  for (std::uint32_t i = 0; i < record.size; i += 2)
    visit(Node(*document_, document_->links_[record.at + i]), Node(*document_, document_->links_[record.at + i + 1]));
}

}  // namespace nvmlkit::sim::config
