// Lists and mappings in the flow style of YAML, item by item: [1, 2] and {id: 3, name: "a"}.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nvmlkit::sim::text {

class FlowList {
 public:
  void add(std::string item) { items_.push_back(std::move(item)); }
  void add(std::uint64_t number) { add(std::to_string(number)); }
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  void cut(std::size_t size) { items_.resize(size); }

  std::string yaml() const {
    std::string out = "[";
    for (const auto& item : items_) out.append(out.size() > 1 ? ", " : "").append(item);
    return out + "]";
  }

 private:
  std::vector<std::string> items_;
};

class FlowMap {
 public:
  void add(std::string_view key, std::string_view yaml) {
    text_.append(text_.empty() ? "" : ", ").append(key).append(": ").append(yaml);
  }
  void add(std::string_view key, std::uint64_t number) { add(key, std::to_string(number)); }

  std::string yaml() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

}  // namespace nvmlkit::sim::text
