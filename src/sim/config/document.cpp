#include "sim/config/document.hpp"

#include <yaml.h>

#include <limits>
#include <map>

namespace nvmlkit::sim::config {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr int kMaxMergeDepth = 16;
constexpr std::size_t kMaxMergeWork = 100'000;           // comparisons of keys for one mapping
constexpr std::size_t kMaxMergeWorkOfAll = 100'000'000;  // for all mappings of a document
constexpr std::uint32_t kOpenAnchor = std::numeric_limits<std::uint32_t>::max();

detail::unexpected<Problem> fail_at(const std::string& file, const yaml_mark_t& mark, Problem problem) {
  return fail(std::move(problem).at(
      {file, static_cast<std::uint32_t>(mark.line + 1), static_cast<std::uint32_t>(mark.column + 1)}));
}

Problem not_yaml(Prose what) { return {.kind = ProblemKind::syntax, .what = std::move(what)}; }

Problem unsuitable(Prose expected, Prose given = {}) {
  return {.kind = ProblemKind::syntax, .expected = std::move(expected), .given = std::move(given)};
}

}  // namespace

class YamlParser {
 public:
  YamlParser(const std::string& file, std::string_view text) : file_(file) {
    if (!yaml_parser_initialize(&parser_)) throw std::bad_alloc();
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    // The encoding is not up to a byte order mark: what is not UTF-8 is refused.
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
  }
  ~YamlParser() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }
  YamlParser(const YamlParser&) = delete;
  YamlParser& operator=(const YamlParser&) = delete;

  // The event is the parser's own and changes with every step.
  Expected<const yaml_event_t*> next() {
    yaml_event_delete(&event_);
    if (!yaml_parser_parse(&parser_, &event_)) return refusal();
    return &event_;
  }

 private:
  detail::unexpected<Problem> refusal() const {
    if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    std::string message = "not YAML: ";
    message += parser_.problem != nullptr ? parser_.problem : "cannot be parsed";
    if (parser_.error == YAML_READER_ERROR) return fail_at(file_, parser_.mark, not_yaml(std::move(message)));
    if (parser_.context != nullptr) message.append(" ").append(parser_.context);
    return fail_at(file_, parser_.problem_mark, not_yaml(std::move(message)));
  }

  const std::string& file_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
};

// Builds the nodes out of the parser's events.
class Builder {
 public:
  Builder(Document& document, std::string_view text) : document_(document), parser_(document.name_, text) {
    document_.text_.reserve(text.size() / 2);
    document_.nodes_.reserve(text.size() / 16 + 8);
    document_.links_.reserve(text.size() / 16 + 8);
  }

  Expected<void> build() {
    if (const auto start = parser_.next(); !start) return fail(start.error());
    const auto first = parser_.next();
    if (!first) return fail(first.error());
    if ((*first)->type == YAML_STREAM_END_EVENT) return {};
    const auto root = parser_.next();
    if (!root) return fail(root.error());
    if (const auto built = node(**root, 0); !built) return fail(built.error());
    if (const auto end = parser_.next(); !end) return fail(end.error());
    const auto last = parser_.next();
    if (!last) return fail(last.error());
    if ((*last)->type != YAML_STREAM_END_EVENT)
      return fail_at(document_.name_, (*last)->start_mark, unsuitable("one document", "a second one"));
    return {};
  }

 private:
  std::uint32_t add(const yaml_event_t& event, Kind kind, const unsigned char* anchor) {
    const auto index = static_cast<std::uint32_t>(document_.nodes_.size());
    document_.nodes_.push_back({kind, false, false, static_cast<std::uint32_t>(event.start_mark.line + 1),
                                static_cast<std::uint32_t>(event.start_mark.column + 1), 0, 0});
    if (anchor != nullptr) anchors_[reinterpret_cast<const char*>(anchor)] = kind == Kind::scalar ? index : kOpenAnchor;
    return index;
  }

  Expected<void> check_tag(const yaml_event_t& event, const unsigned char* tag) const {
    if (tag == nullptr) return {};
    const std::string_view name = reinterpret_cast<const char*>(tag);
    if (name == "!" || name.starts_with("tag:yaml.org,2002:")) return {};
    return fail_at(document_.name_, event.start_mark, unsuitable("no tag", "'" + std::string(name) + "'"));
  }

  Expected<std::uint32_t> alias(const yaml_event_t& event) {
    const std::string name = reinterpret_cast<const char*>(event.data.alias.anchor);
    const auto it = anchors_.find(name);
    if (it == anchors_.end())
      return fail_at(
          document_.name_, event.start_mark,
          {.kind = ProblemKind::unknown_name, .what = "there is no anchor '&" + name + "' before this alias"});
    if (it->second == kOpenAnchor)
      return fail_at(document_.name_, event.start_mark,
                     {.kind = ProblemKind::syntax, .what = "alias '*" + name + "' stands inside what it names"});
    return it->second;
  }

  Expected<std::uint32_t> scalar(const yaml_event_t& event) {
    const auto& s = event.data.scalar;
    if (const auto good = check_tag(event, s.tag); !good) return fail(good.error());
    const auto index = add(event, Kind::scalar, s.anchor);
    auto& record = document_.nodes_[index];
    record.plain = s.style == YAML_PLAIN_SCALAR_STYLE && s.tag == nullptr;
    record.at = static_cast<std::uint32_t>(document_.text_.size());
    record.size = static_cast<std::uint32_t>(s.length);
    document_.text_.append(reinterpret_cast<const char*>(s.value), s.length);
    return index;
  }

  Expected<std::uint32_t> node(const yaml_event_t& event, std::size_t depth) {
    if (depth > kMaxDepth)
      return fail_at(document_.name_, event.start_mark,
                     unsuitable("at most " + std::to_string(kMaxDepth) + " levels of nesting"));
    if (event.type == YAML_ALIAS_EVENT) return alias(event);
    if (event.type == YAML_SCALAR_EVENT) return scalar(event);
    const bool list = event.type == YAML_SEQUENCE_START_EVENT;
    if (const auto good = check_tag(event, list ? event.data.sequence_start.tag : event.data.mapping_start.tag); !good)
      return fail(good.error());
    if (list)
      return collection(event, Kind::sequence, event.data.sequence_start.anchor, YAML_SEQUENCE_END_EVENT, depth);
    return collection(event, Kind::mapping, event.data.mapping_start.anchor, YAML_MAPPING_END_EVENT, depth);
  }

  Expected<std::uint32_t> collection(const yaml_event_t& event, Kind kind, const unsigned char* anchor,
                                     yaml_event_type_t end, std::size_t depth) {
    const std::string name = anchor != nullptr ? reinterpret_cast<const char*>(anchor) : "";
    const auto index = add(event, kind, anchor);
    const std::size_t first = pending_.size();
    while (true) {
      const auto next = parser_.next();
      if (!next) return fail(next.error());
      if ((*next)->type == end) break;
      const auto child = node(**next, depth + 1);
      if (!child) return child;
      pending_.push_back(*child);
      const bool key = kind == Kind::mapping && (pending_.size() - first) % 2 == 1;
      const auto& record = document_.nodes_[*child];
      if (key && record.kind == Kind::scalar && record.plain && Node(document_, *child).text() == "<<")
        document_.nodes_[index].merges = true;
    }
    auto& record = document_.nodes_[index];
    record.at = static_cast<std::uint32_t>(document_.links_.size());
    record.size = static_cast<std::uint32_t>(pending_.size() - first);
    document_.links_.insert(document_.links_.end(), pending_.begin() + static_cast<std::ptrdiff_t>(first),
                            pending_.end());
    pending_.resize(first);
    if (!name.empty()) anchors_[name] = index;
    return index;
  }

  Document& document_;
  YamlParser parser_;
  std::map<std::string, std::uint32_t> anchors_;
  std::vector<std::uint32_t> pending_;
};

Expected<Document> Document::parse(std::string name, std::string_view text) {
  Document document;
  document.name_ = std::move(name);
  if (auto built = Builder(document, text).build(); !built) return fail(std::move(built.error()));
  if (auto good = document.check_merges(); !good) return fail(std::move(good.error()));
  return document;
}

// From the end: a mapping merges what stands before it, so that the deepest merges are met first and at once.
Expected<void> Document::check_merges() const {
  std::size_t work = 0;
  for (auto index = static_cast<std::uint32_t>(nodes_.size()); index-- > 0;) {
    if (!nodes_[index].merges) continue;
    std::vector<Node::Entry> merged;
    if (auto good = flatten(index, 0, merged); !good) return good;
    work += merge_work_;
    if (work > kMaxMergeWorkOfAll) return fail(unsuitable("fewer merged keys").at(Node(*this, index).place()));
  }
  return {};
}

Expected<void> Document::merge(const Node& source, int depth, std::size_t first, std::vector<Node::Entry>& out) const {
  if (source.kind() != Kind::mapping) return fail(unsuitable("a mapping to merge").at(source.place()));
  if (depth > kMaxMergeDepth)
    return fail(
        unsuitable("at most " + std::to_string(kMaxMergeDepth) + " merges inside each other").at(source.place()));
  std::vector<Node::Entry> more;
  if (auto good = flatten(source.index_, depth + 1, more); !good) return good;
  for (const auto& entry : more) {
    merge_work_ += out.size() - first + 1;
    if (merge_work_ > kMaxMergeWork) return fail(unsuitable("fewer merged keys").at(source.place()));
    bool known = false;
    for (std::size_t k = first; k < out.size() && !known; ++k)
      known = out[k].key.kind() == Kind::scalar && entry.key.kind() == Kind::scalar &&
              out[k].key.text() == entry.key.text();
    if (!known) out.push_back(entry);
  }
  return {};
}

Expected<void> Document::flatten(std::uint32_t mapping, int depth, std::vector<Node::Entry>& out) const {
  if (depth == 0) merge_work_ = 0;
  const Record& record = nodes_[mapping];
  const auto child = [&](std::uint32_t i) { return Node(*this, links_[record.at + i]); };
  const auto is_merge = [&](const Node& key) {
    return key.kind() == Kind::scalar && key.plain() && key.text() == "<<";
  };
  const std::size_t first = out.size();
  for (std::uint32_t i = 0; i < record.size; i += 2)
    if (!is_merge(child(i))) out.push_back({child(i), child(i + 1)});
  const auto merge_one = [&](const Node& source) { return merge(source, depth, first, out); };
  for (std::uint32_t i = 0; i < record.size; i += 2) {
    if (!is_merge(child(i))) continue;
    const Node value = child(i + 1);
    if (auto good = value.kind() == Kind::sequence ? value.items(merge_one) : merge_one(value); !good) return good;
  }
  return {};
}

Kind Node::kind() const { return document_->nodes_[index_].kind; }
bool Node::plain() const { return document_->nodes_[index_].plain; }
std::uint32_t Node::line() const { return document_->nodes_[index_].line; }
std::uint32_t Node::column() const { return document_->nodes_[index_].column; }
const std::string& Node::file() const { return document_->name_; }

std::uint32_t Node::size() const {
  const auto& record = document_->nodes_[index_];
  return record.kind == Kind::mapping ? record.size / 2 : record.size;
}

std::string_view Node::text() const {
  const auto& record = document_->nodes_[index_];
  return std::string_view(document_->text_).substr(record.at, record.size);
}

Node Node::find(std::string_view key) const {
  Node found;
  if (kind() != Kind::mapping) return found;
  entries([&](const Node& k, const Node& value) {
    if (!found && k.kind() == Kind::scalar && k.text() == key) found = value;
  });
  return found;
}

Place Node::place() const { return {file(), line(), column()}; }

bool Node::absent() const {
  if (kind() != Kind::scalar) return false;
  const std::string_view t = text();
  if (t == "N/A") return true;
  return plain() && (t.empty() || t == "~" || t == "null" || t == "Null" || t == "NULL");
}

}  // namespace nvmlkit::sim::config
