#include "smi_log/pasted.hpp"

#include <algorithm>
#include <cctype>

namespace nvmlkit::smi_log {
namespace {

void append_utf8(std::string& out, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) return add(0xC0 | code >> 6), add(0x80 | (code & 0x3F));
  if (code < 0x10000) return add(0xE0 | code >> 12), add(0x80 | (code >> 6 & 0x3F)), add(0x80 | (code & 0x3F));
  add(0xF0 | code >> 18), add(0x80 | (code >> 12 & 0x3F)), add(0x80 | (code >> 6 & 0x3F)), add(0x80 | (code & 0x3F));
}

std::string from_utf16(std::string_view text, bool big_endian) {
  std::string out;
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(text[at]), second = static_cast<unsigned char>(text[at + 1]);
    return static_cast<std::uint32_t>(big_endian ? first << 8 | second : second << 8 | first);
  };
  for (std::size_t at = 2; at + 1 < text.size(); at += 2) {
    std::uint32_t code = unit(at);
    const bool high = code >= 0xD800 && code < 0xDC00 && at + 3 < text.size();
    if (high && unit(at + 2) >= 0xDC00 && unit(at + 2) < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10) + (unit(at + 2) - 0xDC00);
      at += 2;
    } else if (code >= 0xD800 && code < 0xE000) {
      code = '?';
    }
    append_utf8(out, code);
  }
  return out;
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  std::string out;
  std::size_t at = 0;
  for (auto next = text.find(what); next != std::string::npos; next = text.find(what, at)) {
    out.append(text, at, next - at).append(with);
    at = next + what.size();
  }
  text = out.append(text, at);
}

// The same text, where any digit is as good as another.
bool alike(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return x == y || (std::isdigit(x) != 0 && std::isdigit(y) != 0);
  });
}

std::string_view without_end(std::string_view text) {
  const auto last = text.find_last_not_of(" \t\r");
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

// What stands in front of the first head; empty for nothing but space.
std::string_view front_of_mark(std::string_view text) {
  const auto mark = text.find(kTextLogMark);
  if (mark == std::string_view::npos) return {};
  const auto line = text.rfind('\n', mark);
  const auto begin = line == std::string_view::npos ? 0 : line + 1;
  const auto front = text.substr(begin, mark - begin);
  return trim(front).empty() ? std::string_view() : front;
}

}  // namespace

std::string as_printed(std::string text) {
  if (text.starts_with("\xFF\xFE")) text = from_utf16(text, false);
  if (text.starts_with("\xFE\xFF")) text = from_utf16(text, true);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  replace_all(text, "\xC2\xA0", " ");
  if (text.find("&lt;nvidia_smi_log") != std::string::npos)
    for (const auto& [what, with] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
      replace_all(text, what, with);
  return text;
}

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> out;
  std::uint32_t number = 0;
  auto front = front_of_mark(text);
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find(kTextLogMark) != std::string_view::npos) front = front_of_mark(line);
    if (line.size() >= front.size() && alike(line.substr(0, front.size()), front))
      line.remove_prefix(front.size());
    else if (alike(without_end(line), without_end(front)))
      line = {};
    out.push_back({line, ++number});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace nvmlkit::smi_log
