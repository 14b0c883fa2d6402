// Arguments and results as words.
#pragma once

#include <cstring>
#include <nvmlkit/interpose/hook.hpp>
#include <type_traits>

namespace nvmlkit::nvml::interpose {

template <class T>
Word to_word(T value) noexcept {
  static_assert(sizeof(T) <= sizeof(Word) && !std::is_floating_point_v<T> && !std::is_class_v<T>);
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<Word>(value);
  else
    return static_cast<Word>(value);
}

template <class T>
T from_word(Word word) noexcept {
  static_assert(sizeof(T) <= sizeof(Word) && !std::is_floating_point_v<T> && !std::is_class_v<T>);
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<T>(word);
  else
    return static_cast<T>(word);
}

// What stands behind a pointer argument.
inline const unsigned char* bytes_at(Word word) noexcept { return from_word<const unsigned char*>(word); }

// How many elements an array or text argument has now: 1 where it has no length, 0 where that is unknown.
inline std::size_t elements_of(const Call& call, std::size_t index) noexcept {
  const int length = call.signature().arguments[index].length;
  if (length < 0) return 1;
  const auto at = static_cast<std::size_t>(length);
  const Word word = call.arguments()[at];
  if (call.signature().arguments[at].kind == ArgumentKind::value) return static_cast<std::uint32_t>(word);
  std::uint32_t count = 0;
  if (word) std::memcpy(&count, bytes_at(word), sizeof count);
  return count;
}

}  // namespace nvmlkit::nvml::interpose
