// What an Expected holds, for tests that compare the text of a problem.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "sim/problem/text.hpp"

namespace nvmlkit::sim {

inline std::string text_of(const Expected<void>& done) { return done ? std::string() : text_of(done.error()); }

// The value, or null with the text of the problem.
template <class T>
std::unique_ptr<T> taken(Expected<std::unique_ptr<T>> expected, std::string& error) {
  if (expected) return std::move(*expected);
  error = text_of(expected.error());
  return nullptr;
}

inline bool taken(const Expected<void>& expected, std::string& error) {
  error = text_of(expected);
  return error.empty();
}

}  // namespace nvmlkit::sim
