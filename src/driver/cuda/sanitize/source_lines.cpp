#include "driver/cuda/sanitize/source_lines.hpp"

#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace nvmlkit::cuda::sanitizer {
namespace {

using Position = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  // file, line, column

// .loc 1 12 5, function_name $L__info_string0, inlined_at 1 30 3
struct Location {
  Position at{};
  std::string_view function;  // a label
  std::optional<Position> inlined_at;
};

std::string_view trimmed(std::string_view text) {
  const auto start = text.find_first_not_of(" \t");
  if (start == text.npos) return {};
  return text.substr(start, text.find_last_not_of(" \t\r") - start + 1);
}

std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const auto end = std::min(text.find_first_of(" \t,"), text.size());
  const auto out = text.substr(0, end);
  text.remove_prefix(std::min(end + (end < text.size() && text[end] == ',' ? 1 : 0), text.size()));
  return out;
}

std::uint64_t take_number(std::string_view& text) {
  const auto word = take_word(text);
  std::uint64_t out = 0;
  std::from_chars(word.data(), word.data() + word.size(), out);
  return out;
}

Position take_position(std::string_view& text) {
  const auto file = take_number(text), line = take_number(text);
  return {file, line, take_number(text)};
}

Location location_of(std::string_view text) {
  Location out;
  out.at = take_position(text);
  while (!trimmed(text).empty()) {
    const auto word = take_word(text);
    if (word == "function_name") out.function = take_word(text);
    if (word == "inlined_at") out.inlined_at = take_position(text);
  }
  return out;
}

std::string_view part_of(std::string_view text, std::uint32_t number) {
  for (; number > 0; --number) text.remove_prefix(std::min(text.find('\f') + 1, text.size()));
  return text.substr(0, text.find('\f'));
}

// The bytes behind a label: .b8 95,90,...
std::string bytes_at(std::string_view text, std::string_view label) {
  auto at = text.find(std::string(label) + ':');
  std::string out;
  if (at == text.npos) return out;
  text.remove_prefix(at + label.size() + 1);
  while (true) {
    text = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with(".b8")) return out;
    auto line = text.substr(3, text.find('\n') - 3);
    text.remove_prefix(std::min(text.find('\n'), text.size()));
    while (!trimmed(line).empty()) {
      const auto byte = take_number(line);
      if (byte == 0) return out;
      out += static_cast<char>(byte);
    }
  }
}

// What the text says up to a line.
class Reader {
 public:
  Reader(std::string_view text, int wanted) : text_(text) {
    int number = 0;
    for (auto rest = text; !rest.empty();) {
      const auto end = std::min(rest.find('\n'), rest.size());
      const auto line = trimmed(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      ++number;
      if (line.starts_with(".file")) file(line.substr(5));
      if (number == wanted) instruction_ = line;
      if (is_head(line)) {
        is_over_ = number > wanted;
        if (!is_over_) locations_.clear();
        if (!is_over_) has_location_ = false;
      }
      if (is_over_ || !line.starts_with(".loc") || line.starts_with(".local")) continue;
      const auto here = location_of(line.substr(4));
      locations_[here.at] = here;
      if (number <= wanted) {
        last_ = here;
        has_location_ = true;
      }
    }
  }

  std::vector<sanitize::DevicePlace> places(const std::string& function) const {
    std::vector<sanitize::DevicePlace> out;
    auto at = has_location_ ? last_ : Location{};
    for (int depth = 0; at.inlined_at && depth < 64; ++depth) {
      out.push_back(place(bytes_at(text_, at.function), at.at));
      const auto caller = locations_.find(*at.inlined_at);
      at = caller != locations_.end() ? caller->second : Location{*at.inlined_at, {}, {}};
    }
    out.push_back(place(function, at.at));
    out.front().instruction = instruction_;
    return out;
  }

 private:
  static bool is_head(std::string_view line) {
    return line.find(".entry") != line.npos || line.find(".func") != line.npos;
  }
  void file(std::string_view text) {
    const auto number = take_number(text);
    const auto first = text.find('"'), last = text.find('"', first + 1);
    if (last != text.npos) files_[number] = text.substr(first + 1, last - first - 1);
  }
  sanitize::DevicePlace place(std::string function, const Position& at) const {
    const auto known = files_.find(std::get<0>(at));
    return {std::move(function), 0, std::string(known == files_.end() ? "" : known->second), std::get<1>(at), 0, {}};
  }

  std::string_view text_, instruction_;
  std::map<std::uint64_t, std::string_view> files_;
  std::map<Position, Location> locations_;
  Location last_;
  bool has_location_ = false, is_over_ = false;
};

}  // namespace

std::vector<sanitize::DevicePlace> source_lines(const ptx::Module& module, const ptx::Function& function, int line) {
  if (!module.text) return {{function.name, 0, {}, 0, 0, {}}};
  auto out = Reader(part_of(*module.text, function.part), line).places(function.name);
  out.front().ptx_line = static_cast<std::uint64_t>(line);
  return out;
}

}  // namespace nvmlkit::cuda::sanitizer
