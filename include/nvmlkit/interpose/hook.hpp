// A hook: every call of a wrapped dispatch table passes through it.
#pragma once

#include <cstdint>
#include <memory>
#include <nvmlkit/interpose/signature.hpp>
#include <nvmlkit/result.hpp>
#include <nvmlkit/table.hpp>
#include <span>

namespace nvmlkit::nvml::interpose {

// An argument or a result as the calling convention passes it: a number, an enum, a handle or a pointer.
using Word = std::uintptr_t;

// Calls symbols()[symbol] of a table. Answers NVML_ERROR_FUNCTION_NOT_FOUND where the table has none.
// The words must be what the function's signature says.
Word invoke(const Table& table, std::size_t symbol, const Word* arguments) noexcept;

// One call on its way.
class Call {
 public:
  Call(const Table& inner, std::size_t symbol, const Word* arguments) noexcept
      : inner_(inner), symbol_(symbol), arguments_(arguments) {}

  std::size_t symbol() const noexcept { return symbol_; }  // index in symbols()
  const char* name() const noexcept { return symbols()[symbol_].name; }
  const Signature& signature() const noexcept { return signatures()[symbol_]; }
  std::span<const Word> arguments() const noexcept { return {arguments_, signature().arguments.size()}; }
  // The result is a code and not a text.
  bool returns_code() const noexcept { return symbol_ != symbol_index(&Table::ErrorString); }

  // Calls what was wrapped. As often as a hook likes, or never.
  Word forward() const noexcept { return invoke(inner_, symbol_, arguments_); }

 private:
  const Table& inner_;
  std::size_t symbol_;
  const Word* arguments_;
};

// Sees every call of a wrapped table, from any thread, several at a time. Throws nothing.
class Hook {
 public:
  virtual ~Hook();
  // The answer for the caller.
  virtual Word on_call(const Call& call) noexcept = 0;
};

// C function pointers carry no context, so each wrapped table takes one of this many places in the process.
inline constexpr std::size_t kWrapLimit = 16;

// A table whose calls pass through a hook. It is an owner: the table's functions may be called while it lives, and a
// call after its end answers NVML_ERROR_UNINITIALIZED until another one takes its place. Declare it before the Library
// that uses it. No call may be under way when it ends.
class Wrapped {
 public:
  Wrapped(Wrapped&& other) noexcept;
  Wrapped& operator=(Wrapped&& other) noexcept;
  ~Wrapped();

  // Symbols that the wrapped table lacks are null here too. nvmlInternalGetExportTable, whose signature is not public,
  // is the inner one.
  const Table& table() const noexcept;

 private:
  friend Result<Wrapped> wrap(const Table& inner, std::shared_ptr<Hook> hook);
  struct Place;
  explicit Wrapped(std::unique_ptr<Place> place) noexcept;
  std::unique_ptr<Place> place_;
};

// Errc::insufficient_resources when kWrapLimit tables are wrapped already. Wrapping a wrapped table nests: the hook
// that was added last is called first.
Result<Wrapped> wrap(const Table& inner, std::shared_ptr<Hook> hook);

}  // namespace nvmlkit::nvml::interpose
