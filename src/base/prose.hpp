// Words for people. An error keeps its text as Prose, which no code can read by accident: code decides by the values of
// the error, and only what writes for people includes base/words.hpp. The test house.texts lists those files.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace nvmlkit {

class Prose {
 public:
  Prose() = default;
  Prose(std::string text) : text_(std::move(text)) {}  // NOLINT(google-explicit-constructor)
  Prose(const char* text) : text_(text) {}             // NOLINT(google-explicit-constructor)
  Prose(std::string_view text) : text_(text) {}        // NOLINT(google-explicit-constructor)

 private:
  friend const std::string& words_of(const Prose& prose);
  std::string text_;
};

}  // namespace nvmlkit
