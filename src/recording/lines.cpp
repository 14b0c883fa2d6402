#include "recording/lines.hpp"

namespace nvmlkit::recording {
namespace {

constexpr std::string_view kBlank = " \t\r\n\v\f";

}  // namespace

bool LineReader::next(TextLine& line) {
  if (rest_.empty()) return false;
  const auto end = rest_.find('\n');
  line.text = rest_.substr(0, end);
  if (line.text.ends_with('\r')) line.text.remove_suffix(1);
  line.number = ++number_;
  rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
  return true;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> words_between_blanks(std::string_view text) {
  std::vector<std::string_view> out;
  for (auto at = text.find_first_not_of(kBlank); at != std::string_view::npos;) {
    const auto end = text.find_first_of(kBlank, at);
    out.push_back(text.substr(at, end - at));
    at = end == std::string_view::npos ? end : text.find_first_not_of(kBlank, end);
  }
  return out;
}

std::vector<std::string_view> cells_of(std::string_view text) {
  std::vector<std::string_view> out;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '"') quoted = !quoted;
    if (i < text.size() && (text[i] != ',' || quoted)) continue;
    auto cell = trimmed(text.substr(begin, i - begin));
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    out.push_back(cell);
    begin = i + 1;
  }
  return out;
}

}  // namespace nvmlkit::recording
