#include "metrics/exposition.hpp"

#include <array>
#include <charconv>

namespace nvmlkit::metrics {

void append_labels(std::string& out, std::span<const Label> labels) {
  char before = '{';
  for (const auto& [key, word] : labels) {
    out.append(1, before).append(key).append("=\"");
    before = ',';
    for (const char c : word) {
      if (c == '\n')
        out += "\\n";
      else
        out.append(c == '"' || c == '\\' ? "\\" : "").append(1, c);
    }
    out += '"';
  }
  if (before == ',') out += '}';
}

void Exposition::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  header_ = "# HELP " + name_ + " " + std::string(help) + "\n# TYPE " + name_ + " " + std::string(type) + "\n";
}

void Exposition::add(std::span<const Label> labels, const std::string& value) {
  text_ += header_;
  header_.clear();
  text_ += name_;
  append_labels(text_, labels);
  text_.append(" ").append(value).append("\n");
}

void Exposition::sample(std::span<const Label> labels, double value) {
  std::array<char, 64> out{};
  const auto end = std::to_chars(out.data(), out.data() + out.size(), value).ptr;
  add(labels, {out.data(), end});
}

void Exposition::sample(Labels labels, std::uint64_t value) {
  add({labels.begin(), labels.size()}, std::to_string(value));
}

}  // namespace nvmlkit::metrics
