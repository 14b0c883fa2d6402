#include "smi/log/lines.hpp"

#include <iterator>

namespace nvmlkit::smi {
namespace {

constexpr unsigned kNarrowColumn = 42, kWideColumn = 55;
// 580.126.09 prints the narrow form, 580.159.03 the wide one.
constexpr Version kWideSince{580, 159};

void close_element(const Line& line, fmt::memory_buffer& out) {
  fmt::format_to(std::back_inserter(out), "{:\t>{}}</{}>\n", "", line.depth, line.element);
}

}  // namespace

unsigned value_column(Version version) { return version < kWideSince ? kNarrowColumn : kWideColumn; }

void append_text(const Lines& lines, Version version, fmt::memory_buffer& out) {
  const unsigned column = value_column(version);
  for (const auto& line : lines) {
    if (line.label.empty()) continue;
    const std::string label(4 * (line.depth + line.text_depth - 1), ' ');
    if (line.value)
      fmt::format_to(std::back_inserter(out), "{:<{}}: {}\n", label + line.label, line.narrow ? kNarrowColumn : column,
                     *line.value);
    else
      fmt::format_to(std::back_inserter(out), "{}{}\n", label, line.label);
  }
}

void append_xml(const Lines& lines, fmt::memory_buffer& out) {
  std::vector<const Line*> open;
  const auto close_to = [&](unsigned depth) {
    for (; !open.empty() && open.back()->depth >= depth; open.pop_back()) close_element(*open.back(), out);
  };
  for (const auto& line : lines) {
    if (line.element.empty()) continue;
    close_to(line.depth);
    fmt::format_to(std::back_inserter(out), "{:\t>{}}", "", line.depth);
    if (line.verbatim)
      fmt::format_to(std::back_inserter(out), "{}\n", line.element);
    else if (line.value)
      fmt::format_to(std::back_inserter(out), "<{0}>{1}</{0}>\n", line.element, escaped(*line.value));
    else {
      fmt::format_to(std::back_inserter(out), "<{}>\n", line.element);
      open.push_back(&line);
    }
  }
  close_to(0);
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

}  // namespace nvmlkit::smi
