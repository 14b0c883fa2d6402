// The building blocks of the generated structs of the model. All are trivially copyable, of fixed layout, and free of
// pointers. All zero bytes are a valid value (absent, empty): a model can be in a mapped file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sim/model/pci_bus_id.hpp"

namespace nvmlkit::sim::model {

// A text of at most N - 1 bytes.
template <std::size_t N>
struct Text {
  char data[N] = {};

  constexpr Text() = default;
  template <class S>
  requires std::is_convertible_v<const S&, std::string_view>
  constexpr Text(const S& text) {  // NOLINT(google-explicit-constructor)
    assign(text);
  }

  static constexpr std::size_t max_size() { return N - 1; }
  constexpr std::string_view view() const {
    if (std::is_constant_evaluated()) {
      std::size_t size = 0;
      while (size < N - 1 && data[size] != '\0') ++size;
      return {data, size};
    }
    const void* end = std::memchr(data, '\0', N - 1);
    return {data, end ? static_cast<std::size_t>(static_cast<const char*>(end) - data) : N - 1};
  }
  constexpr const char* c_str() const { return data; }
  // Cuts what does not fit.
  constexpr void assign(std::string_view text) {
    const std::size_t size = std::min(text.size(), N - 1);
    for (std::size_t i = 0; i < size; ++i) data[i] = text[i];
    for (std::size_t i = size; i < N; ++i) data[i] = '\0';
  }
  friend constexpr bool operator==(const Text& a, const Text& b) { return a.view() == b.view(); }
  friend constexpr bool operator==(const Text& a, std::string_view b) { return a.view() == b; }
};

// A value that a GPU may lack; what it lacks, the functions that read it do not support.
template <class T>
struct Field {
  T value{};
  bool present = false;
  bool stated = false;  // given by a machine file or by code, as a value or as N/A: nothing is derived for it

  constexpr Field() = default;
  constexpr Field(const T& v) : value(v), present(true), stated(true) {}  // NOLINT(google-explicit-constructor)

  constexpr explicit operator bool() const { return present; }
  constexpr const T& operator*() const { return value; }
  constexpr const T* operator->() const { return &value; }
  constexpr T value_or(const T& other) const { return present ? value : other; }

  template <class U>
  requires std::is_convertible_v<U, T> &&(!std::is_same_v<std::remove_cvref_t<U>, Field>)constexpr Field& operator=(
      U&& v) {
    value = static_cast<T>(std::forward<U>(v));
    present = stated = true;
    return *this;
  }
  constexpr void reset() {
    value = T{};
    present = false;
    stated = true;
  }
  // Derives the value unless it was stated or has a default; `source` is another field, or an optional.
  template <class Source>
  constexpr void derive_from(const Source& source) {
    if (present || stated || !source) return;
    value = static_cast<T>(*source);
    present = true;
  }
  // The same value, or both absent; who stated it does not count.
  friend constexpr bool operator==(const Field& a, const Field& b) {
    return a.present == b.present && (!a.present || a.value == b.value);
  }
};

// A value that time moves. What stands here is the configured or the pinned one; what a function answers is
// telemetry::Reading's. The driver's readers take no LiveField, so that none is shown as it stands by mistake.
template <class T, auto Id>
struct LiveField : Field<T> {
  static constexpr auto kId = Id;

  using Field<T>::Field;
  using Field<T>::operator=;
};

template <class T, std::size_t N>
struct List {
  std::uint32_t count = 0;
  T items[N] = {};

  static constexpr std::size_t capacity() { return N; }
  constexpr bool empty() const { return count == 0; }
  constexpr std::size_t size() const { return count; }
  // Never beyond the items, whatever `count` says: the list may live in a file.
  constexpr std::span<const T> span() const { return {items, std::min<std::size_t>(count, N)}; }
  constexpr std::span<T> span() { return {items, std::min<std::size_t>(count, N)}; }
  constexpr const T* begin() const { return items; }
  constexpr const T* end() const { return items + std::min<std::size_t>(count, N); }
  // False when the list is full.
  constexpr bool push_back(const T& item) {
    if (count >= N) return false;
    items[count++] = item;
    return true;
  }
  constexpr void clear() { count = 0; }
};

}  // namespace nvmlkit::sim::model
