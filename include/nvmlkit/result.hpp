// Result<T>: an answer or a Failure.
#pragma once

#include <cstdint>
#include <functional>
#include <nvmlkit/detail/expected.hpp>
#include <nvmlkit/error.hpp>
#include <optional>
#include <type_traits>
#include <utility>

namespace nvmlkit::nvml {

// Which C function of a chain answered, and with which version of its struct. Two small numbers that fit where a Result
// has padding, and that only chains set.
class Provenance {
 public:
  // "nvmlDeviceGetMemoryInfo_v2"; empty for an answer of a function that has no other versions, and for failures.
  const char* symbol() const noexcept;
  // 2 for nvmlMemory_v2_t; 0 where the struct has no version, or there is none.
  unsigned int struct_version() const noexcept { return struct_version_; }

  void answered_by(std::size_t symbol, unsigned int struct_version) noexcept {
    symbol_ = static_cast<std::uint16_t>(symbol + 1);
    struct_version_ = static_cast<std::uint16_t>(struct_version);
  }

 private:
  std::uint16_t symbol_ = 0;  // 1 + index in symbols()
  std::uint16_t struct_version_ = 0;
};

// std::expected or tl::expected with a value() that throws nvml::Error, and aborts with the message where there are no
// exceptions.
template <class T>
class [[nodiscard]] Result : public detail::expected<T, Failure>, public Provenance {
  using Base = detail::expected<T, Failure>;

 public:
  using Base::Base;
  Result(Base other) : Base(std::move(other)) {}
  Result(Failure failure) : Base(detail::unexpect, std::move(failure)) {}

  const T& value() const& {
    if (!this->has_value()) raise(this->error());
    return **this;
  }
  T& value() & {
    if (!this->has_value()) raise(this->error());
    return **this;
  }
  // The next step, when there is a value: f(T) -> Result<U>.
  template <class F>
  auto and_then(F&& f) const& -> std::invoke_result_t<F, const T&> {
    if (!this->has_value()) return this->error();
    return std::invoke(std::forward<F>(f), **this);
  }
  template <class F>
  auto and_then(F&& f) && -> std::invoke_result_t<F, T&&> {
    if (!this->has_value()) return std::move(this->error());
    return std::invoke(std::forward<F>(f), std::move(**this));
  }
  // f(T) -> U makes a Result<U>.
  template <class F>
  auto transform(F&& f) const& -> Result<std::invoke_result_t<F, const T&>> {
    if (!this->has_value()) return this->error();
    return std::invoke(std::forward<F>(f), **this);
  }

  // By value, so that `for (auto x : library.list().value())` has something to stand on.
  T value() && {
    if (!this->has_value()) raise(this->error());
    return std::move(**this);
  }
};

template <>
class [[nodiscard]] Result<void> : public detail::expected<void, Failure>, public Provenance {
  using Base = detail::expected<void, Failure>;

 public:
  using Base::Base;
  Result() = default;
  Result(Base other) : Base(std::move(other)) {}
  Result(Failure failure) : Base(detail::unexpect, std::move(failure)) {}

  void value() const {
    if (!has_value()) raise(error());
  }
};

// An answer that this GPU may lack becomes an empty optional; every other failure stays one.
template <class T>
Result<std::optional<T>> optional_if_unsupported(Result<T> result) {
  if (result) return std::optional<T>(*std::move(result));
  const Errc code = result.error().code();
  if (code == Errc::not_supported || code == Errc::function_not_found) return std::optional<T>();
  return result.error();
}

}  // namespace nvmlkit::nvml
