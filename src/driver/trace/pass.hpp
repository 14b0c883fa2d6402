// From the exported functions to the one place where calls are recorded or answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace nvmlkit::trace {

using Word = std::uintptr_t;

// `symbol`: its place in nvml::symbols().
Word on_call(std::size_t symbol, const Word* words) noexcept;

template <class T>
Word as_word(T value) noexcept {
  static_assert(sizeof(T) <= sizeof(Word) && !std::is_floating_point_v<T> && !std::is_class_v<T>);
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<Word>(value);
  else
    return static_cast<Word>(value);
}

template <class Result, std::size_t symbol, class... Arguments>
Result pass(Arguments... arguments) noexcept {
  const Word words[sizeof...(Arguments) + 1] = {as_word(arguments)..., 0};
  const Word result = on_call(symbol, words);
  if constexpr (std::is_pointer_v<Result>)
    return reinterpret_cast<Result>(result);
  else
    return static_cast<Result>(result);
}

}  // namespace nvmlkit::trace
