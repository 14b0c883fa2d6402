// Errors: a code, the C function that returned it, and advice.
#pragma once

#include <cstdint>
#include <nvmlkit/generated/errc.hpp>
#include <string>
#include <system_error>

namespace nvmlkit::nvml {

// The category "nvml". Its texts need no driver, and a number without a name keeps its number.
const std::error_category& nvml_category() noexcept;
inline std::error_code make_error_code(Errc code) noexcept { return {static_cast<int>(code), nvml_category()}; }

// "not_supported"; "code 1234" when the number has no name.
std::string name_of(Errc code);

// What went wrong, as a value. Small and trivial to copy, so that a Result costs a call nothing.
class Failure {
 public:
  // `function` must outlive the failure: a name from symbols() or a literal. Null when no C function was called.
  constexpr explicit Failure(Errc code, const char* function = nullptr) noexcept : function_(function), code_(code) {}
  // Keeps one copy of each different detail until the process ends.
  Failure(Errc code, const char* function, const std::string& detail);

  constexpr Errc code() const noexcept { return code_; }
  std::error_code error_code() const noexcept { return make_error_code(code_); }
  constexpr const char* function() const noexcept { return function_ ? function_ : ""; }
  const std::string& detail() const noexcept;

  // "nvmlDeviceGetName: the GPU does not support this". For a missing function, with the header that introduced it.
  std::string message() const;
  // What a user can do about it; empty when there is nothing to say.
  std::string advice() const;

  friend constexpr bool operator==(const Failure& failure, Errc code) noexcept { return failure.code_ == code; }

 private:
  const char* function_;
  Errc code_;
  std::uint32_t detail_ = 0;  // 0: none
};

// What Result<T>::value() throws.
class Error : public std::system_error {
 public:
  explicit Error(const Failure& failure);
  ~Error() override;
  Errc errc() const noexcept { return failure_.code(); }
  const Failure& failure() const noexcept { return failure_; }
  const char* function() const noexcept { return failure_.function(); }
  std::string advice() const { return failure_.advice(); }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  Failure failure_;
  std::string message_;
};

// Throws Error. A library built without exceptions prints the message and aborts.
[[noreturn]] void raise(const Failure& failure);

}  // namespace nvmlkit::nvml

template <>
struct std::is_error_code_enum<nvmlkit::nvml::Errc> : std::true_type {};
