// A YAML document with the place of every node. Anchors are shared, not copied: a small file stays small in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sim/problem/problem.hpp"

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

  Place place() const;

  // null, ~, nothing, or N/A in any spelling of YAML
  bool absent() const;

  struct Entry;
  // Calls `visit(node)` for every item of a sequence. Where it returns Expected<void>, the first problem ends it and is
  // returned.
  template <class Visit>
  auto items(Visit&& visit) const;
  // Calls `visit(key, value)` for every entry of a mapping, with problems as in items(). Merge keys (<<) are resolved:
  // their entries come behind the mapping's own, and only where it lacks the key. A key may come twice; it is the
  // caller who minds.
  template <class Visit>
  auto entries(Visit&& visit) const;

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
  // Problems: syntax, more than one document, nesting deeper than 64, unknown alias, impossible merges. `name` is what
  // messages call the file.
  static Expected<Document> parse(std::string name, std::string_view text);

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

  Expected<void> flatten(std::uint32_t mapping, int depth, std::vector<Node::Entry>& out) const;
  Expected<void> check_merges() const;
  Expected<void> merge(const Node& source, int depth, std::size_t first, std::vector<Node::Entry>& out) const;

  std::string name_;
  std::string text_;
  std::vector<Record> nodes_;
  std::vector<std::uint32_t> links_;  // children; of mappings key, value, key, value
  mutable std::size_t merge_work_ = 0;
};

template <class Visit>
auto Node::items(Visit&& visit) const {
  using Result = std::invoke_result_t<Visit&, const Node&>;
  const auto& record = document_->nodes_[index_];
  for (std::uint32_t i = 0; i < record.size; ++i) {
    const Node item(*document_, document_->links_[record.at + i]);
    if constexpr (std::is_void_v<Result>)
      visit(item);
    else if (Result done = visit(item); !done)
      return done;
  }
  if constexpr (!std::is_void_v<Result>) return Result();
}

template <class Visit>
auto Node::entries(Visit&& visit) const {
  using Result = std::invoke_result_t<Visit&, const Node&, const Node&>;
  const auto& record = document_->nodes_[index_];
  std::vector<Entry> flat;
  if (record.merges) static_cast<void>(document_->flatten(index_, 0, flat));  // parse() saw that it can be done
  const std::size_t count = record.merges ? flat.size() : record.size / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = record.at + 2 * i;
    const Entry entry =
        record.merges ? flat[i]
                      : Entry{Node(*document_, document_->links_[at]), Node(*document_, document_->links_[at + 1])};
    if constexpr (std::is_void_v<Result>)
      visit(entry.key, entry.value);
    else if (Result done = visit(entry.key, entry.value); !done)
      return done;
  }
  if constexpr (!std::is_void_v<Result>) return Result();
}

}  // namespace nvmlkit::sim::config
