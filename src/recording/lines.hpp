// The lines of a text, their words and their cells.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace nvmlkit::recording {

struct TextLine {
  std::string_view text;     // without its end
  std::uint32_t number = 0;  // from 1
};

// One after the other, without a copy of the text.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}
  bool next(TextLine& line);

 private:
  std::string_view rest_;
  std::uint32_t number_ = 0;
};

std::string_view trimmed(std::string_view text);

// Between blanks.
std::vector<std::string_view> words_between_blanks(std::string_view text);

// Between commas, trimmed; commas in double quotes do not count.
std::vector<std::string_view> cells_of(std::string_view text);

}  // namespace nvmlkit::recording
